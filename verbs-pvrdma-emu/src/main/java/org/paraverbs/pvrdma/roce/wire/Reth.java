// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The RDMA extended transport header (IBTA volume 1, section 9.3.3): what a WRITE or READ is about. */
public final class Reth {
    /** Bytes of the header. */
    public static final int SIZE = 16;

    public static final int ADDRESS_OFFSET = 0;
    public static final int RKEY_OFFSET = 8;
    public static final int LENGTH_OFFSET = 12;

    public static long address(MemorySegment s, long base) {
        return Fields.i64(s, base + ADDRESS_OFFSET);
    }

    public static int rkey(MemorySegment s, long base) {
        return Fields.i32(s, base + RKEY_OFFSET);
    }

    /** Bytes of the message: 0 to 2^32 - 1, of which the specification allows up to 2^31. */
    public static long length(MemorySegment s, long base) {
        return Integer.toUnsignedLong(Fields.i32(s, base + LENGTH_OFFSET));
    }

    /**
     * Writes the header.
     *
     * @param length bytes of the message, 0 to 2^31
     */
    public static void write(MemorySegment s, long base, long address, int rkey, long length) {
        Fields.i64(s, base + ADDRESS_OFFSET, address);
        Fields.i32(s, base + RKEY_OFFSET, rkey);
        Fields.i32(s, base + LENGTH_OFFSET, (int) length);
    }

    private Reth() {}
}
