// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct pvrdma_srq_attr}: what a shared receive queue holds.
 */
public final class SrqAttr {
    /** Bytes of {@code struct pvrdma_srq_attr}. */
    public static final int SIZE = 16;

    public static final int MAX_WR_OFFSET = 0;
    public static final int MAX_SGE_OFFSET = 4;
    public static final int SRQ_LIMIT_OFFSET = 8;

    public static int maxWr(MemorySegment s, long base) {
        return s.get(INT, base + MAX_WR_OFFSET);
    }

    public static void maxWr(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_WR_OFFSET, value);
    }

    public static int maxSge(MemorySegment s, long base) {
        return s.get(INT, base + MAX_SGE_OFFSET);
    }

    public static void maxSge(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_SGE_OFFSET, value);
    }

    public static int srqLimit(MemorySegment s, long base) {
        return s.get(INT, base + SRQ_LIMIT_OFFSET);
    }

    public static void srqLimit(MemorySegment s, long base, int value) {
        s.set(INT, base + SRQ_LIMIT_OFFSET, value);
    }

    private SrqAttr() {}
}
