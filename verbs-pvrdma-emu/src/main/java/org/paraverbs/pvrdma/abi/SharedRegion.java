// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * The device shared region ({@code struct pvrdma_device_shared_region} of pvrdma_dev_api.h), packed. The
 * driver fills in everything before {@link #CAPS_OFFSET}, writes the region's address to DSRLOW and DSRHIGH,
 * and the device answers with the capabilities. The user access region's page frame is 32 bits wide before
 * version 19 and 64 bits from then on, at the same offset.
 */
public final class SharedRegion {
    /** Bytes of {@code struct pvrdma_device_shared_region}. */
    public static final int SIZE = 280;

    public static final int DRIVER_VERSION_OFFSET = 0;
    public static final int GOS_INFO_OFFSET = 8;
    public static final int CMD_SLOT_DMA_OFFSET = 16;
    public static final int RESP_SLOT_DMA_OFFSET = 24;
    public static final int ASYNC_RING_PAGES_OFFSET = 32;
    public static final int CQ_RING_PAGES_OFFSET = 48;
    public static final int UAR_PFN_OFFSET = 64;
    public static final int UAR_PFN64_OFFSET = 64;
    public static final int CAPS_OFFSET = 72;

    public static int driverVersion(MemorySegment s, long base) {
        return s.get(INT, base + DRIVER_VERSION_OFFSET);
    }

    public static void driverVersion(MemorySegment s, long base, int value) {
        s.set(INT, base + DRIVER_VERSION_OFFSET, value);
    }

    /** {@code struct pvrdma_gos_info}: bits 0-1 width, 2-5 kind, 6-21 version of the guest system. */
    public static int gosInfo(MemorySegment s, long base) {
        return s.get(INT, base + GOS_INFO_OFFSET);
    }

    public static void gosInfo(MemorySegment s, long base, int value) {
        s.set(INT, base + GOS_INFO_OFFSET, value);
    }

    public static long cmdSlotDma(MemorySegment s, long base) {
        return s.get(LONG, base + CMD_SLOT_DMA_OFFSET);
    }

    public static void cmdSlotDma(MemorySegment s, long base, long value) {
        s.set(LONG, base + CMD_SLOT_DMA_OFFSET, value);
    }

    public static long respSlotDma(MemorySegment s, long base) {
        return s.get(LONG, base + RESP_SLOT_DMA_OFFSET);
    }

    public static void respSlotDma(MemorySegment s, long base, long value) {
        s.set(LONG, base + RESP_SLOT_DMA_OFFSET, value);
    }

    public static int uarPfn(MemorySegment s, long base) {
        return s.get(INT, base + UAR_PFN_OFFSET);
    }

    public static void uarPfn(MemorySegment s, long base, int value) {
        s.set(INT, base + UAR_PFN_OFFSET, value);
    }

    public static long uarPfn64(MemorySegment s, long base) {
        return s.get(LONG, base + UAR_PFN64_OFFSET);
    }

    public static void uarPfn64(MemorySegment s, long base, long value) {
        s.set(LONG, base + UAR_PFN64_OFFSET, value);
    }

    private SharedRegion() {}
}
