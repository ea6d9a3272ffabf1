// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.pvrdma.device.PvrdmaDevice;
import org.paraverbs.pvrdma.link.Clock;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Gid;

/**
 * Emulated devices of one's own, on a network of their own: for tests that must not meet those of others, or that want
 * other limits or another clock than {@code emu0} and {@code emu1} have.
 *
 * <pre>{@code
 * try (EmulatedMachine machine = EmulatedMachine.builder().devices(3).build();
 *      Context context = machine.device(0).open()) { ... }
 * }</pre>
 *
 * <p>Device {@code n} is named {@code emun} and has two GIDs: the link-local IPv6 address of its MAC address at index 0, and
 * the IPv4 address 192.0.2.{@code n+1} (RFC 5737) at index 1. It comes to life when it is opened first. All methods may be
 * called by any thread.
 */
public final class EmulatedMachine implements AutoCloseable {
    private static final int MAX_DEVICES = 254;

    private final Fabric fabric;
    private final List<EmulatedDevice> devices;

    private EmulatedMachine(Builder builder) {
        fabric = new Fabric(builder.clock);
        List<EmulatedDevice> made = new ArrayList<>();
        for (int i = 0; i < builder.devices; i++) {
            DeviceConfiguration configuration =
                    builder.configuration.withMacAddress(builder.configuration.macAddress() + i);
            made.add(new EmulatedDevice("emu" + i, configuration, fabric, List.of(linkLocal(configuration), ipv4(i))));
        }
        devices = List.copyOf(made);
    }

    /** RFC 4291, appendix A: the interface identifier is the modified EUI-64, as the node GUID is. */
    private static Gid linkLocal(DeviceConfiguration configuration) {
        return new Gid(0xfe80_0000_0000_0000L, configuration.nodeGuid());
    }

    private static Gid ipv4(int device) {
        return new Gid(0, 0xffff_c000_0200L + device + 1);
    }

    /** Begins with two devices of the usual limits, in real time. */
    public static Builder builder() {
        return new Builder();
    }

    /** The devices, in the order of their numbers. */
    public List<Device> devices() {
        return List.copyOf(devices);
    }

    /**
     * A device.
     *
     * @param number from 0
     * @return the device
     * @throws IndexOutOfBoundsException if there is no such device
     */
    public Device device(int number) {
        return devices.get(number);
    }

    /**
     * A device as its host has it: takes its port down and up, quiesces it, moderates its interrupts, and tells what it has done and
     * how much of its limits is in use. Makes the device and its driver, if the device was not opened before.
     *
     * @param number from 0
     * @return the device behind {@link #device}
     * @throws IndexOutOfBoundsException if there is no such device
     */
    public PvrdmaDevice pvrdmaDevice(int number) {
        return devices.get(number).pvrdmaDevice();
    }

    /**
     * The network adapter that a device is paired with, as the guest's system has it. Makes the device and its driver, if the
     * device was not opened before.
     *
     * @param number from 0
     * @return the adapter
     * @throws IndexOutOfBoundsException if there is no such device
     * @throws org.paraverbs.verbs.VerbsException ENODEV if the machine has been closed
     */
    public EmulatedNetworkAdapter networkAdapter(int number) {
        return devices.get(number).networkAdapter();
    }

    /**
     * The network that the devices are plugged into. With a clock that is moved by hand, {@link Fabric#runDue} carries out
     * what is due.
     *
     * @return the network
     */
    public Fabric fabric() {
        return fabric;
    }

    /** Closes every context that is still open, and unplugs the devices. */
    @Override
    public void close() {
        RuntimeException failure = null;
        for (EmulatedDevice device : devices.reversed()) {
            try {
                device.unplug();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Collects what differs from the usual. */
    public static final class Builder {
        private int devices = 2;
        private DeviceConfiguration configuration = DeviceConfiguration.defaults();
        private Clock clock = Clock.real();

        private Builder() {}

        /**
         * Sets the number of devices.
         *
         * @param count 1 to 254
         * @return this
         * @throws IllegalArgumentException for another number
         */
        public Builder devices(int count) {
            if (count < 1 || count > MAX_DEVICES) {
                throw new IllegalArgumentException("a machine has 1 to " + MAX_DEVICES + " devices, not " + count);
            }
            devices = count;
            return this;
        }

        /**
         * Sets what the devices can do. Their MAC addresses count up from that of the configuration.
         *
         * @param value the configuration of every device
         * @return this
         */
        public Builder configuration(DeviceConfiguration value) {
            configuration = Objects.requireNonNull(value, "value");
            return this;
        }

        /**
         * Sets the clock that timeouts go by.
         *
         * @param value the clock
         * @return this
         */
        public Builder clock(Clock value) {
            clock = Objects.requireNonNull(value, "value");
            return this;
        }

        /** The machine. */
        public EmulatedMachine build() {
            return new EmulatedMachine(this);
        }
    }
}
