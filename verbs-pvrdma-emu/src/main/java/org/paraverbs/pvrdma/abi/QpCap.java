// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct pvrdma_qp_cap}: sizes of a queue pair's two queues.
 */
public final class QpCap {
    /** Bytes of {@code struct pvrdma_qp_cap}. */
    public static final int SIZE = 24;

    public static final int MAX_SEND_WR_OFFSET = 0;
    public static final int MAX_RECV_WR_OFFSET = 4;
    public static final int MAX_SEND_SGE_OFFSET = 8;
    public static final int MAX_RECV_SGE_OFFSET = 12;
    public static final int MAX_INLINE_DATA_OFFSET = 16;

    public static int maxSendWr(MemorySegment s, long base) {
        return s.get(INT, base + MAX_SEND_WR_OFFSET);
    }

    public static void maxSendWr(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_SEND_WR_OFFSET, value);
    }

    public static int maxRecvWr(MemorySegment s, long base) {
        return s.get(INT, base + MAX_RECV_WR_OFFSET);
    }

    public static void maxRecvWr(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_RECV_WR_OFFSET, value);
    }

    public static int maxSendSge(MemorySegment s, long base) {
        return s.get(INT, base + MAX_SEND_SGE_OFFSET);
    }

    public static void maxSendSge(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_SEND_SGE_OFFSET, value);
    }

    public static int maxRecvSge(MemorySegment s, long base) {
        return s.get(INT, base + MAX_RECV_SGE_OFFSET);
    }

    public static void maxRecvSge(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_RECV_SGE_OFFSET, value);
    }

    public static int maxInlineData(MemorySegment s, long base) {
        return s.get(INT, base + MAX_INLINE_DATA_OFFSET);
    }

    public static void maxInlineData(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_INLINE_DATA_OFFSET, value);
    }

    private QpCap() {}
}
