// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * RESIZE_CQ, which the Linux driver never sends. It carries no memory.
 */
public final class ResizeCq {
    /** Bytes of {@code struct pvrdma_cmd_resize_cq}. */
    public static final int SIZE = 24;

    public static final int CQ_HANDLE_OFFSET = 16;
    public static final int CQE_OFFSET = 20;

    public static int cqHandle(MemorySegment s, long base) {
        return s.get(INT, base + CQ_HANDLE_OFFSET);
    }

    public static void cqHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + CQ_HANDLE_OFFSET, value);
    }

    public static int cqe(MemorySegment s, long base) {
        return s.get(INT, base + CQE_OFFSET);
    }

    public static void cqe(MemorySegment s, long base, int value) {
        s.set(INT, base + CQE_OFFSET, value);
    }

    /** Carries the number of entries. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_resize_cq_resp}. */
        public static final int SIZE = 24;

        public static final int CQE_OFFSET = 16;

        public static int cqe(MemorySegment s, long base) {
            return s.get(INT, base + CQE_OFFSET);
        }

        public static void cqe(MemorySegment s, long base, int value) {
            s.set(INT, base + CQE_OFFSET, value);
        }

        private Response() {}
    }

    private ResizeCq() {}
}
