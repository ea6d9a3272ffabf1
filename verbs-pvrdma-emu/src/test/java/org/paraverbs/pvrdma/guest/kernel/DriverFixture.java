// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import static org.paraverbs.pvrdma.guest.kernel.QueuePairRequest.OWN_RECEIVES;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.paraverbs.pvrdma.abi.AddressVector;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.pvrdma.device.PvrdmaDevice;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.verbs.Gid;

/** A driver on an emulated device. */
final class DriverFixture implements AutoCloseable {
    final DmaSpace space = new DmaSpace();
    final PvrdmaDriver driver;
    final Events events = new Events();

    private final PvrdmaDevice device;
    private final Arena arena = Arena.ofShared();

    /** Writes down what a context is told. */
    static final class Events implements EventListener {
        final List<String> told = new ArrayList<>();

        @Override
        public void onQueuePairEvent(int type, int handle) {
            told.add("QP " + handle + ": " + type);
        }

        @Override
        public void onCompletionQueueEvent(int type, int handle) {
            told.add("CQ " + handle + ": " + type);
        }

        @Override
        public void onSharedReceiveQueueEvent(int type, int handle) {
            told.add("SRQ " + handle + ": " + type);
        }

        @Override
        public void onPortEvent(int type, int port) {
            told.add("port " + port + ": " + type);
        }
    }

    DriverFixture(DeviceConfiguration configuration) {
        InterruptTable interrupts = new InterruptTable();
        device = new PvrdmaDevice(configuration, space, interrupts, new Fabric());
        bars = Bars.of(device);
        driver = new PvrdmaDriver("emu7", bars, interrupts, space, PvrdmaDriver.COMMAND_TIMEOUT);
        driver.addGid(0, new Gid(0xfe80_0000_0000_0000L, 1));
        driver.addGid(1, new Gid(0, 0xffff_c000_0201L));
    }

    final Bars bars;

    DriverFixture() {
        this(DeviceConfiguration.defaults());
    }

    int openContext() {
        return driver.openContext(events).handle();
    }

    MemorySegment pages(int count) {
        return arena.allocate(count * 4096L, 4096);
    }

    /** A completion queue of 64 entries. */
    int completionQueue(int context) {
        return driver.createCompletionQueue(context, 64, pages(2), 0, null).handle();
    }

    /** What a queue pair of one page for each ring asks for. */
    static QueuePairRequest request(int domain, int queue) {
        return new QueuePairRequest(QpType.RC, domain, queue, queue, OWN_RECEIVES, 32, 32, 1, 1, false);
    }

    CreatedQueuePair queuePair(int domain, int queue) {
        return driver.createQueuePair(request(domain, queue), pages(3), 1);
    }

    /** An address handle through the GID at index 1 to an IPv4 GID. */
    int addressHandle(int domain, long gidLow) {
        return driver.createAddressHandle(
                domain, route(1, 0, gidLow), MemorySegment.ofArray(new byte[AddressVector.SIZE]));
    }

    /** A route from port 1. */
    static MemorySegment route(int gidIndex, long gidHigh, long gidLow) {
        MemorySegment route = MemorySegment.ofArray(new byte[AhAttr.SIZE]);
        AhAttr.portNum(route, 0, 1);
        AhAttr.ahFlags(route, 0, 1);
        GlobalRoute.sgidIndex(route, AhAttr.GRH_OFFSET, gidIndex);
        GlobalRoute.dgidHigh(route, AhAttr.GRH_OFFSET, gidHigh);
        GlobalRoute.dgidLow(route, AhAttr.GRH_OFFSET, gidLow);
        return route;
    }

    @Override
    public void close() {
        driver.close();
        device.close();
        arena.close();
    }
}
