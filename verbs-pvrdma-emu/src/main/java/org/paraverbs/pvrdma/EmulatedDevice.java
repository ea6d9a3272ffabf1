// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.pvrdma.device.PvrdmaDevice;
import org.paraverbs.pvrdma.guest.kernel.Bars;
import org.paraverbs.pvrdma.guest.kernel.DmaSpace;
import org.paraverbs.pvrdma.guest.kernel.InterruptTable;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.pvrdma.guest.user.Guest;
import org.paraverbs.pvrdma.guest.user.PvrdmaContext;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.VerbsException;

/** An emulated device with its driver, both made when it is opened for the first time. */
final class EmulatedDevice implements Device {
    private final String name;
    private final DeviceConfiguration configuration;
    private final Fabric fabric;
    private final List<Gid> gids;

    // Guarded by this.
    private @Nullable PvrdmaDevice device;
    private @Nullable Guest guest;
    private boolean unplugged;
    private final List<Context> opened = new ArrayList<>();

    EmulatedDevice(String name, DeviceConfiguration configuration, Fabric fabric, List<Gid> gids) {
        this.name = name;
        this.configuration = configuration;
        this.fabric = fabric;
        this.gids = gids;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String providerName() {
        return EmulatorProvider.NAME;
    }

    @Override
    public long guid() {
        return configuration.nodeGuid();
    }

    @Override
    public boolean emulated() {
        return true;
    }

    @Override
    public synchronized Context open() {
        requirePlugged("ibv_open_device");
        Context context = PvrdmaContext.open(this, guest());
        opened.removeIf(earlier -> !earlier.isOpen());
        opened.add(context);
        return context;
    }

    private void requirePlugged(String verb) {
        if (unplugged) {
            throw new VerbsException(verb, name, Errno.ENODEV, "its machine has been closed");
        }
    }

    synchronized EmulatedNetworkAdapter networkAdapter() {
        requirePlugged("network adapter");
        PvrdmaDriver driver = guest().driver();
        return new EmulatedNetworkAdapter(Objects.requireNonNull(device, "made with its guest"), driver);
    }

    synchronized PvrdmaDevice pvrdmaDevice() {
        if (device == null) {
            requirePlugged("ibv_open_device");
        }
        guest();
        return Objects.requireNonNull(device, "made with its guest");
    }

    private Guest guest() {
        Guest present = guest;
        if (present == null) {
            present = boot();
            guest = present;
        }
        return present;
    }

    private Guest boot() {
        DmaSpace memory = new DmaSpace();
        InterruptTable interrupts = new InterruptTable();
        PvrdmaDevice made = new PvrdmaDevice(configuration, memory, interrupts, fabric);
        try {
            Bars bars = Bars.of(made);
            PvrdmaDriver driver = new PvrdmaDriver(name, bars, interrupts, memory, PvrdmaDriver.COMMAND_TIMEOUT);
            for (int index = 0;
                    index < Math.min(gids.size(), configuration.limits().gidTableLength());
                    index++) {
                driver.addGid(index, gids.get(index));
            }
            device = made;
            return new Guest(driver, bars, fabric.clock());
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    synchronized void unplug() {
        unplugged = true;
        RuntimeException failure = null;
        for (Iterator<Context> contexts = opened.iterator(); contexts.hasNext(); contexts.remove()) {
            try {
                contexts.next().close();
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (guest != null && device != null) {
            guest.driver().close();
            device.close();
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return EmulatorProvider.NAME + ":" + name;
    }
}
