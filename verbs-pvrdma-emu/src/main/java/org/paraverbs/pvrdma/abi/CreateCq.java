// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * CREATE_CQ. {@code nchunks} counts the ring's pages including the header page.
 */
public final class CreateCq {
    /** Bytes of {@code struct pvrdma_cmd_create_cq}. */
    public static final int SIZE = 40;

    public static final int PDIR_DMA_OFFSET = 16;
    public static final int CTX_HANDLE_OFFSET = 24;
    public static final int CQE_OFFSET = 28;
    public static final int NCHUNKS_OFFSET = 32;

    public static long pdirDma(MemorySegment s, long base) {
        return s.get(LONG, base + PDIR_DMA_OFFSET);
    }

    public static void pdirDma(MemorySegment s, long base, long value) {
        s.set(LONG, base + PDIR_DMA_OFFSET, value);
    }

    public static int ctxHandle(MemorySegment s, long base) {
        return s.get(INT, base + CTX_HANDLE_OFFSET);
    }

    public static void ctxHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + CTX_HANDLE_OFFSET, value);
    }

    public static int cqe(MemorySegment s, long base) {
        return s.get(INT, base + CQE_OFFSET);
    }

    public static void cqe(MemorySegment s, long base, int value) {
        s.set(INT, base + CQE_OFFSET, value);
    }

    public static int nchunks(MemorySegment s, long base) {
        return s.get(INT, base + NCHUNKS_OFFSET);
    }

    public static void nchunks(MemorySegment s, long base, int value) {
        s.set(INT, base + NCHUNKS_OFFSET, value);
    }

    /** Carries the handle and the number of entries; the provider needs the number that it asked for. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_create_cq_resp}. */
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

        private Response() {}
    }

    private CreateCq() {}
}
