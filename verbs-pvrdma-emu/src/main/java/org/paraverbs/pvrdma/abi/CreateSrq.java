// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * CREATE_SRQ. The memory begins with a page of ring states, of which the receive one is used; the ring follows.
 */
public final class CreateSrq {
    /** Bytes of {@code struct pvrdma_cmd_create_srq}. */
    public static final int SIZE = 56;

    public static final int PDIR_DMA_OFFSET = 16;
    public static final int PD_HANDLE_OFFSET = 24;
    public static final int NCHUNKS_OFFSET = 28;
    public static final int ATTRS_OFFSET = 32;
    public static final int SRQ_TYPE_OFFSET = 48;

    public static long pdirDma(MemorySegment s, long base) {
        return s.get(LONG, base + PDIR_DMA_OFFSET);
    }

    public static void pdirDma(MemorySegment s, long base, long value) {
        s.set(LONG, base + PDIR_DMA_OFFSET, value);
    }

    public static int pdHandle(MemorySegment s, long base) {
        return s.get(INT, base + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + PD_HANDLE_OFFSET, value);
    }

    public static int nchunks(MemorySegment s, long base) {
        return s.get(INT, base + NCHUNKS_OFFSET);
    }

    public static void nchunks(MemorySegment s, long base, int value) {
        s.set(INT, base + NCHUNKS_OFFSET, value);
    }

    public static int srqType(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SRQ_TYPE_OFFSET));
    }

    public static void srqType(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SRQ_TYPE_OFFSET, (byte) value);
    }

    /** Carries the handle of the shared receive queue. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_create_srq_resp}. */
        public static final int SIZE = 24;

        public static final int SRQN_OFFSET = 16;

        public static int srqn(MemorySegment s, long base) {
            return s.get(INT, base + SRQN_OFFSET);
        }

        public static void srqn(MemorySegment s, long base, int value) {
            s.set(INT, base + SRQN_OFFSET, value);
        }

        private Response() {}
    }

    private CreateSrq() {}
}
