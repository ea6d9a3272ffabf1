// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The datagram extended transport header (IBTA volume 1, section 9.3.1). */
public final class Deth {
    /** Bytes of the header. */
    public static final int SIZE = 8;

    public static final int QKEY_OFFSET = 0;
    public static final int SOURCE_QPN_OFFSET = 4;

    public static int qkey(MemorySegment s, long base) {
        return Fields.i32(s, base + QKEY_OFFSET);
    }

    /** Number of the queue pair that sent the datagram, 24 bits. */
    public static int sourceQpn(MemorySegment s, long base) {
        return Fields.low24(s, base + SOURCE_QPN_OFFSET);
    }

    public static void write(MemorySegment s, long base, int qkey, int sourceQpn) {
        Fields.i32(s, base + QKEY_OFFSET, qkey);
        Fields.byteAnd24(s, base + SOURCE_QPN_OFFSET, 0, sourceQpn);
    }

    private Deth() {}
}
