// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * A receive work request as it lies in the ring: this header, then {@link Sge} elements.
 */
public final class RqWqe {
    /** Bytes of {@code struct pvrdma_rq_wqe_hdr}. */
    public static final int SIZE = 16;

    public static final int WR_ID_OFFSET = 0;
    public static final int NUM_SGE_OFFSET = 8;
    public static final int TOTAL_LEN_OFFSET = 12;

    public static long wrId(MemorySegment s, long base) {
        return s.get(LONG, base + WR_ID_OFFSET);
    }

    public static void wrId(MemorySegment s, long base, long value) {
        s.set(LONG, base + WR_ID_OFFSET, value);
    }

    public static int numSge(MemorySegment s, long base) {
        return s.get(INT, base + NUM_SGE_OFFSET);
    }

    public static void numSge(MemorySegment s, long base, int value) {
        s.set(INT, base + NUM_SGE_OFFSET, value);
    }

    public static int totalLen(MemorySegment s, long base) {
        return s.get(INT, base + TOTAL_LEN_OFFSET);
    }

    public static void totalLen(MemorySegment s, long base, int value) {
        s.set(INT, base + TOTAL_LEN_OFFSET, value);
    }

    /** Distance of two work requests in the ring: the next power of two that holds header and elements. */
    public static int stride(int maxSge) {
        return Layouts.powerOfTwoAtLeast(SIZE + maxSge * Sge.SIZE);
    }

    private RqWqe() {}
}
