// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * Where a notification ring lies ({@code struct pvrdma_ring_page_info}): pages including the header page
 * that holds the ring state, and the page directory that lists them.
 */
public final class RingPages {
    /** Bytes of {@code struct pvrdma_ring_page_info}. */
    public static final int SIZE = 16;

    public static final int NUM_PAGES_OFFSET = 0;
    public static final int PDIR_DMA_OFFSET = 8;

    public static int numPages(MemorySegment s, long base) {
        return s.get(INT, base + NUM_PAGES_OFFSET);
    }

    public static void numPages(MemorySegment s, long base, int value) {
        s.set(INT, base + NUM_PAGES_OFFSET, value);
    }

    public static long pdirDma(MemorySegment s, long base) {
        return s.get(LONG, base + PDIR_DMA_OFFSET);
    }

    public static void pdirDma(MemorySegment s, long base, long value) {
        s.set(LONG, base + PDIR_DMA_OFFSET, value);
    }

    private RingPages() {}
}
