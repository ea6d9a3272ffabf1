// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * A scatter/gather element ({@code struct pvrdma_sge} of vmw_pvrdma-abi.h).
 */
public final class Sge {
    /** Bytes of {@code struct pvrdma_sge}. */
    public static final int SIZE = 16;

    public static final int ADDR_OFFSET = 0;
    public static final int LENGTH_OFFSET = 8;
    public static final int LKEY_OFFSET = 12;

    public static long addr(MemorySegment s, long base) {
        return s.get(LONG, base + ADDR_OFFSET);
    }

    public static void addr(MemorySegment s, long base, long value) {
        s.set(LONG, base + ADDR_OFFSET, value);
    }

    public static int length(MemorySegment s, long base) {
        return s.get(INT, base + LENGTH_OFFSET);
    }

    public static void length(MemorySegment s, long base, int value) {
        s.set(INT, base + LENGTH_OFFSET, value);
    }

    public static int lkey(MemorySegment s, long base) {
        return s.get(INT, base + LKEY_OFFSET);
    }

    public static void lkey(MemorySegment s, long base, int value) {
        s.set(INT, base + LKEY_OFFSET, value);
    }

    /** Both in one access: the length in the low half, the key in the high half. */
    public static long lengthAndLkey(MemorySegment s, long base) {
        return s.get(LONG, base + LENGTH_OFFSET);
    }

    /** Writes both in one access, for the reason that {@link SqWqe#opcodeAndFlags} has. */
    public static void lengthAndLkey(MemorySegment s, long base, int length, int lkey) {
        s.set(LONG, base + LENGTH_OFFSET, Layouts.pair(length, lkey));
    }

    private Sge() {}
}
