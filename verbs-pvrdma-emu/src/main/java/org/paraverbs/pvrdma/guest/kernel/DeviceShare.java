// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.Cqne;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.Eqe;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.RingPages;
import org.paraverbs.pvrdma.abi.SharedRegion;
import org.paraverbs.pvrdma.guest.kernel.KernelPages.Page;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/**
 * What driver and device share from probing to removal: the shared region, the slots, the notification rings
 * ({@code pvrdma_pci_probe}).
 *
 * <p>Left out, since there is no PCI bus: the search for the paired vmxnet3 adapter.
 */
final class DeviceShare implements AutoCloseable {
    /** The page frame of BAR2, as if the firmware had put it at 4 GiB - 128 MiB. */
    static final long UAR_PFN = 0xf8000;

    /** {@code struct pvrdma_gos_info}: 64 bits wide, Linux, version 1. */
    private static final int GUEST_INFO = 2 | 1 << 2 | 1 << 6;

    private static final int MODE_ROCE = 0;

    /** {@code IB_DEVICE_PORT_ACTIVE_EVENT} and {@code IB_DEVICE_RC_RNR_NAK_GEN}, which the driver adds. */
    private static final int FLAGS_OF_DRIVER = 1 << 10 | 1 << 12;

    private final String name;
    private final Bars bars;
    private final int version;
    private final KernelPages pages;
    private final Page region;
    private final Page commandSlot;
    private final Page responseSlot;
    private final Arena rings = Arena.ofShared();
    private final NotificationRing eventRing;
    private final NotificationRing completionRing;
    private final PinnedMemory eventPages;
    private final PinnedMemory completionPages;

    DeviceShare(String name, Bars bars, DmaSpace space) {
        this.name = name;
        this.bars = bars;
        version = bars.readRegister(Registers.VERSION);
        pages = new KernelPages(space);
        region = pages.allocate();
        commandSlot = pages.allocate();
        responseSlot = pages.allocate();
        eventRing = new NotificationRing(ringMemory(), Eqe.SIZE);
        completionRing = new NotificationRing(ringMemory(), Cqne.SIZE);
        eventPages = new PinnedMemory(space, pages, eventRing.memory());
        completionPages = new PinnedMemory(space, pages, completionRing.memory());
    }

    private MemorySegment ringMemory() {
        return NativeMemory.allocate(rings, (long) NotificationRing.PAGES * PageDirectory.PAGE_SIZE);
    }

    int version() {
        return version;
    }

    KernelPages pages() {
        return pages;
    }

    Page commandSlot() {
        return commandSlot;
    }

    Page responseSlot() {
        return responseSlot;
    }

    NotificationRing eventRing() {
        return eventRing;
    }

    NotificationRing completionRing() {
        return completionRing;
    }

    /**
     * Tells the device where all is, and learns what it can do.
     *
     * @return a read-only copy of its {@link DeviceCaps}, with what the driver adds
     */
    MemorySegment exchange() {
        MemorySegment s = region.memory();
        SharedRegion.driverVersion(s, 0, DeviceVersion.QPHANDLE_VERSION);
        SharedRegion.gosInfo(s, 0, GUEST_INFO);
        if (version < DeviceVersion.PPN64_VERSION) {
            SharedRegion.uarPfn(s, 0, (int) UAR_PFN);
        } else {
            SharedRegion.uarPfn64(s, 0, UAR_PFN);
        }
        SharedRegion.cmdSlotDma(s, 0, commandSlot.dma());
        SharedRegion.respSlotDma(s, 0, responseSlot.dma());
        RingPages.numPages(s, SharedRegion.ASYNC_RING_PAGES_OFFSET, eventPages.pageCount());
        RingPages.pdirDma(s, SharedRegion.ASYNC_RING_PAGES_OFFSET, eventPages.directoryDma());
        RingPages.numPages(s, SharedRegion.CQ_RING_PAGES_OFFSET, completionPages.pageCount());
        RingPages.pdirDma(s, SharedRegion.CQ_RING_PAGES_OFFSET, completionPages.directoryDma());
        // The high half last: with it the device reads the region and fills in its capabilities.
        bars.writeRegister(Registers.DSRLOW, (int) region.dma());
        bars.writeRegister(Registers.DSRHIGH, (int) (region.dma() >>> Integer.SIZE));
        MemorySegment caps = MemorySegment.ofArray(new byte[DeviceCaps.SIZE]);
        MemorySegment.copy(s, SharedRegion.CAPS_OFFSET, caps, 0, DeviceCaps.SIZE);
        check(caps);
        DeviceCaps.deviceCapFlags(caps, 0, DeviceCaps.deviceCapFlags(caps, 0) | FLAGS_OF_DRIVER);
        if (version < DeviceVersion.ROCEV2_VERSION) {
            DeviceCaps.maxSgeRd(caps, 0, DeviceCaps.maxSge(caps, 0));
        }
        return caps.asReadOnly();
    }

    private void check(MemorySegment caps) {
        int types = DeviceCaps.gidTypes(caps, 0);
        boolean oneType =
                types == GidType.ROCE_V1 || (types == GidType.ROCE_V2 && version >= DeviceVersion.ROCEV2_VERSION);
        if (DeviceCaps.mode(caps, 0) != MODE_ROCE || version < DeviceVersion.ROCEV1_VERSION || !oneType) {
            throw failure(
                    "the driver needs a device of version 17 with RoCE v1, or of version 18 and later with either RoCE v1"
                            + " or v2; this one has version " + version + ", mode " + DeviceCaps.mode(caps, 0)
                            + ", GID types " + types);
        }
        int uars = DeviceCaps.maxUar(caps, 0);
        if (uars < 1 || Integer.bitCount(uars) != 1) {
            throw failure("the number of its doorbell pages, " + uars + ", is not a power of two");
        }
        // The driver makes tables of these sizes, and provider and completions name queue pairs with 16 bits.
        int queuePairs = DeviceCaps.maxQp(caps, 0);
        int queues = DeviceCaps.maxCq(caps, 0);
        int sharedQueues = DeviceCaps.maxSrq(caps, 0);
        int gids = DeviceCaps.gidTblLen(caps, 0);
        if (queuePairs < 1
                || queuePairs > 0xffff
                || queues < 1
                || queues > 1 << 24
                || sharedQueues < 0
                || sharedQueues > 1 << 24
                || gids < 1
                || gids > 1 << 16) {
            throw failure("its limits cannot be: max_qp " + queuePairs + ", max_cq " + queues + ", max_srq "
                    + sharedQueues + ", gid_tbl_len " + gids);
        }
    }

    /** Unmasks the interrupts and starts the device. */
    void activate() {
        bars.writeRegister(Registers.IMR, 0);
        bars.writeRegister(Registers.CTL, DeviceCtl.ACTIVATE);
        int refusal = bars.readRegister(Registers.ERR);
        if (refusal != 0) {
            bars.writeRegister(Registers.IMR, -1);
            throw failure("the device was not activated: its register ERR holds " + refusal);
        }
    }

    /** Tells the device to go on with its work (pvrdma_main.c, when the network interface comes up). */
    boolean unquiesce() {
        bars.writeRegister(Registers.CTL, DeviceCtl.UNQUIESCE);
        return bars.readRegister(Registers.ERR) == 0;
    }

    void reset() {
        bars.writeRegister(Registers.IMR, -1);
        bars.writeRegister(Registers.CTL, DeviceCtl.RESET);
    }

    private VerbsException failure(String advice) {
        return new VerbsException("probe", name, Errno.EFAULT, advice);
    }

    /** Frees all, once the device is reset or was never activated. */
    @Override
    public void close() {
        eventPages.close();
        completionPages.close();
        rings.close();
        pages.close();
    }
}
