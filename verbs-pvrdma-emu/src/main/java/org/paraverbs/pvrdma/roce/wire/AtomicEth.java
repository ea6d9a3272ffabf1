// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The atomic extended transport header (IBTA volume 1, section 9.3.2). */
public final class AtomicEth {
    /** Bytes of the header. */
    public static final int SIZE = 28;

    public static final int ADDRESS_OFFSET = 0;
    public static final int RKEY_OFFSET = 8;
    public static final int SWAP_OR_ADD_OFFSET = 12;
    public static final int COMPARE_OFFSET = 20;

    public static long address(MemorySegment s, long base) {
        return Fields.i64(s, base + ADDRESS_OFFSET);
    }

    public static int rkey(MemorySegment s, long base) {
        return Fields.i32(s, base + RKEY_OFFSET);
    }

    public static long swapOrAdd(MemorySegment s, long base) {
        return Fields.i64(s, base + SWAP_OR_ADD_OFFSET);
    }

    public static long compare(MemorySegment s, long base) {
        return Fields.i64(s, base + COMPARE_OFFSET);
    }

    /** Writes the header; {@code compare} is of no meaning to a fetch-and-add. */
    public static void write(MemorySegment s, long base, long address, int rkey, long swapOrAdd, long compare) {
        Fields.i64(s, base + ADDRESS_OFFSET, address);
        Fields.i32(s, base + RKEY_OFFSET, rkey);
        Fields.i64(s, base + SWAP_OR_ADD_OFFSET, swapOrAdd);
        Fields.i64(s, base + COMPARE_OFFSET, compare);
    }

    private AtomicEth() {}
}
