// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.pvrdma.device.DeviceStatistics;
import org.paraverbs.pvrdma.device.PvrdmaDevice;
import org.paraverbs.pvrdma.guest.kernel.Bars;
import org.paraverbs.pvrdma.guest.kernel.DmaSpace;
import org.paraverbs.pvrdma.guest.kernel.InterruptTable;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;

/** A context of a guest whose rings the test can reach, and a region in it. */
final class OpenGuest implements AutoCloseable {
    private static final int WINDOW_SHIFT = 31;
    private static final int WINDOWS = 200;

    final DmaSpace space = new DmaSpace();
    final Context context;
    final ProtectionDomain domain;
    final MemoryRegion memory;

    /** What happens between a program's call and the command that the driver sends for it. */
    Runnable beforeCommand = () -> {};

    private final PvrdmaDevice device;
    private final PvrdmaDriver driver;
    private final Guest guest;

    private record NamedDevice(String name) implements Device {
        @Override
        public String providerName() {
            return "emu";
        }

        @Override
        public long guid() {
            return 1;
        }

        @Override
        public boolean emulated() {
            return true;
        }

        @Override
        public Context open() {
            throw new UnsupportedOperationException();
        }
    }

    OpenGuest() {
        this(DeviceConfiguration.defaults());
    }

    OpenGuest(DeviceConfiguration configuration) {
        InterruptTable interrupts = new InterruptTable();
        Fabric fabric = new Fabric();
        device = new PvrdmaDevice(configuration, space, interrupts, fabric);
        Bars bars = withHook(Bars.of(device));
        driver = new PvrdmaDriver("emu7", bars, interrupts, space, PvrdmaDriver.COMMAND_TIMEOUT);
        driver.addGid(0, new Gid(0, 0xffff_c000_0201L));
        guest = new Guest(driver, bars, fabric.clock());
        context = another();
        domain = context.allocateProtectionDomain();
        memory = domain.allocate(4096, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    /** Another context, which the test closes. */
    Context another() {
        return PvrdmaContext.open(new NamedDevice("emu7"), guest);
    }

    /** What the device has done, and how much of its limits is in use. */
    DeviceStatistics statistics() {
        return device.statistics();
    }

    private Bars withHook(Bars bars) {
        return new Bars() {
            @Override
            public int readRegister(int offset) {
                return bars.readRegister(offset);
            }

            @Override
            public void writeRegister(int offset, int value) {
                if (offset == Registers.REQUEST) {
                    beforeCommand.run();
                }
                bars.writeRegister(offset, value);
            }

            @Override
            public @Nullable String lastRefusal() {
                return bars.lastRefusal();
            }

            @Override
            public void writeUar(int page, int offset, int value) {
                bars.writeUar(page, offset, value);
            }
        };
    }

    /** A queue pair that is connected to itself. */
    QueuePair loop(CompletionQueue queue, int depth) {
        QueuePair pair = domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(depth));
        pair.connect(pair.endpoint());
        return pair;
    }

    /** Posts a WRITE to the own memory, which has completed when this returns. */
    void write(QueuePair pair, long id) {
        pair.sendQueue().write(id, memory.remote(), 8).local(memory, 0, 8).signaled();
        pair.sendQueue().post();
    }

    /** The mapped memory that is so long, which must be one piece only. */
    MemorySegment mappingOf(long byteSize) {
        List<MemorySegment> found = new ArrayList<>();
        for (long window = 1; window < WINDOWS; window++) {
            @Nullable MemorySegment mapping = space.resolve(window << WINDOW_SHIFT, byteSize);
            if (mapping != null && space.resolve(window << WINDOW_SHIFT, byteSize + 1) == null) {
                found.add(mapping);
            }
        }
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " mappings of " + byteSize + " bytes");
        }
        return found.get(0);
    }

    @Override
    public void close() {
        context.close();
        driver.close();
        device.close();
    }
}
