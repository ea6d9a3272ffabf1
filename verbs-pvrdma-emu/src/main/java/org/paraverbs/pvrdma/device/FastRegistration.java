// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcStatus;

/**
 * A work request that gives a region its memory: where its pages are listed, and what for. Only the kernel's queue pairs have it,
 * as iSER, NFS and others use it (pvrdma_qp.c {@code set_reg_seg}). Made once for a place in the window, and filled again and again.
 *
 * <p>A region is never changed: one with the same handle takes its place in the table, so that a peer that still holds the
 * old one finds it dead and whole. Therefore a registration allocates, unlike all else that a doorbell brings about: a region, and
 * a segment for each stretch of its memory, which {@link GuestMemory#resolve} makes. They could be used again only once every peer
 * has ended the round in which it may hold them, and the data path waits for no peer. An invalidation puts back the empty region that
 * CREATE_MR made, and allocates nothing.
 */
final class FastRegistration {
    /** The address that its users name its first byte by. */
    private long start;

    /** DMA address of the page directory. */
    private long directory;

    private int pageShift;
    private int pages;
    private int length;
    private int access;

    /** The handle of the region, and in the low 8 bits what the guest wants. */
    private int key;

    /** Copies it out of a work request. */
    void read(MemorySegment segment, long at) {
        start = SqWqe.fastRegIovaStart(segment, at);
        directory = SqWqe.fastRegPlPdirDma(segment, at);
        pageShift = SqWqe.fastRegPageShift(segment, at);
        pages = SqWqe.fastRegPageListLen(segment, at);
        length = SqWqe.fastRegLength(segment, at);
        access = SqWqe.fastRegAccessFlags(segment, at) & ~ResourceCommands.OPTIONAL_ACCESS;
        key = SqWqe.fastRegRkey(segment, at);
    }

    /**
     * Registers. What is wrong is a memory management operation error (IBTA volume 1, section 11.6.2), whose number is
     * that of a window's bind error.
     */
    int execute(DeviceCore core, ProtectionDomain pd) {
        MemoryRegion free = core.regions.get(MemoryRegion.handleOf(key));
        if (free == null || free.pd != pd || free.maxFastPages == 0 || free.live) {
            return WcStatus.MW_BIND_ERR;
        }
        long bytes = Integer.toUnsignedLong(length);
        boolean possible = pageShift == PageDirectory.PAGE_SHIFT
                && pages >= 1
                && pages <= Math.min(free.maxFastPages, CreateMr.MAX_FAST_REG_PAGES)
                && bytes >= 1
                && bytes <= core.configuration.limits().maxMrSize()
                && Long.compareUnsigned(start, -bytes) <= 0
                && PageDirectory.pagesSpanned(start, bytes) <= pages
                && ResourceCommands.isAccess(access);
        if (!possible) {
            return WcStatus.MW_BIND_ERR;
        }
        int skip = (int) (start & (PageDirectory.PAGE_SIZE - 1));
        GuestPages listed = GuestPages.read(core.memory, directory, pages, skip, bytes);
        if (listed == null) {
            return WcStatus.MW_BIND_ERR;
        }
        core.regions.replace(free.handle, free.registered(key, start, bytes, access, listed));
        return WcStatus.SUCCESS;
    }

    /** The region that a key names, if it can be invalidated: registered, by a work request, in this protection domain. */
    static boolean canInvalidate(DeviceCore core, ProtectionDomain pd, int key) {
        MemoryRegion region = MemoryRegion.find(core.regions, key, pd);
        return region != null && region.maxFastPages != 0;
    }

    /** Takes the memory from a region; gives the status. */
    static int invalidate(DeviceCore core, ProtectionDomain pd, int key) {
        if (!canInvalidate(core, pd, key)) {
            return WcStatus.MW_BIND_ERR;
        }
        MemoryRegion region = core.regions.get(MemoryRegion.handleOf(key));
        if (region != null) {
            region.live = false;
            core.regions.replace(region.handle, region.unregistered());
        }
        return WcStatus.SUCCESS;
    }
}
