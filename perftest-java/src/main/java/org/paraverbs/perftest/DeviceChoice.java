// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Verbs;

/**
 * Which devices a run uses.
 *
 * @param own this side's, or the client's of a loopback
 * @param loopbackServer the server's of a loopback
 */
record DeviceChoice(Device own, Device loopbackServer) {

    static DeviceChoice of(@Nullable String name, boolean loopback, Notes notes) {
        List<Device> devices = Verbs.devices();
        Device own = name == null ? first(devices, notes) : Verbs.device(name);
        if (own.emulated() && !loopback) {
            throw new PerftestException(own.name() + " is an emulated device, which only this process can reach: add"
                    + " --loopback to run both sides here, or choose a real device with -d");
        }
        return new DeviceChoice(own, loopback ? other(own, devices) : own);
    }

    private static Device first(List<Device> devices, Notes notes) {
        if (devices.isEmpty()) {
            List<String> reasons = Verbs.unavailability();
            throw new PerftestException("Did not detect devices: "
                    + (reasons.isEmpty() ? "no provider has any" : String.join("; ", reasons)));
        }
        Device first = devices.getFirst();
        if (first.emulated()) {
            List<String> reasons = Verbs.unavailability();
            notes.add("There is no RDMA device here"
                    + (reasons.isEmpty() ? "" : " (" + String.join("; ", reasons) + ")") + ": using the emulator's "
                    + first.name() + ".");
        }
        return first;
    }

    /** An emulated server gets the other emulated device; a real device talks to itself. */
    private static Device other(Device own, List<Device> devices) {
        return devices.stream()
                .filter(device -> own.emulated()
                        && device.emulated()
                        && device.providerName().equals(own.providerName())
                        && !device.name().equals(own.name()))
                .findFirst()
                .orElse(own);
    }
}
