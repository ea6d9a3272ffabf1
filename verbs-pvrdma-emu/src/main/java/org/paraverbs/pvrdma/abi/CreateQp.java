// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;
import static org.paraverbs.pvrdma.abi.Layouts.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * CREATE_QP. {@code total_chunks} counts all pages (header page, send ring, receive ring, in this order),
 * {@code send_chunks} the pages of the send ring without the header page.
 */
public final class CreateQp {
    /** Bytes of {@code struct pvrdma_cmd_create_qp}. */
    public static final int SIZE = 80;

    public static final int PDIR_DMA_OFFSET = 16;
    public static final int PD_HANDLE_OFFSET = 24;
    public static final int SEND_CQ_HANDLE_OFFSET = 28;
    public static final int RECV_CQ_HANDLE_OFFSET = 32;
    public static final int SRQ_HANDLE_OFFSET = 36;
    public static final int MAX_SEND_WR_OFFSET = 40;
    public static final int MAX_RECV_WR_OFFSET = 44;
    public static final int MAX_SEND_SGE_OFFSET = 48;
    public static final int MAX_RECV_SGE_OFFSET = 52;
    public static final int MAX_INLINE_DATA_OFFSET = 56;
    public static final int LKEY_OFFSET = 60;
    public static final int ACCESS_FLAGS_OFFSET = 64;
    public static final int TOTAL_CHUNKS_OFFSET = 68;
    public static final int SEND_CHUNKS_OFFSET = 70;
    public static final int MAX_ATOMIC_ARG_OFFSET = 72;
    public static final int SQ_SIG_ALL_OFFSET = 74;
    public static final int QP_TYPE_OFFSET = 75;
    public static final int IS_SRQ_OFFSET = 76;

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

    public static int sendCqHandle(MemorySegment s, long base) {
        return s.get(INT, base + SEND_CQ_HANDLE_OFFSET);
    }

    public static void sendCqHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + SEND_CQ_HANDLE_OFFSET, value);
    }

    public static int recvCqHandle(MemorySegment s, long base) {
        return s.get(INT, base + RECV_CQ_HANDLE_OFFSET);
    }

    public static void recvCqHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + RECV_CQ_HANDLE_OFFSET, value);
    }

    public static int srqHandle(MemorySegment s, long base) {
        return s.get(INT, base + SRQ_HANDLE_OFFSET);
    }

    public static void srqHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + SRQ_HANDLE_OFFSET, value);
    }

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

    public static int lkey(MemorySegment s, long base) {
        return s.get(INT, base + LKEY_OFFSET);
    }

    public static void lkey(MemorySegment s, long base, int value) {
        s.set(INT, base + LKEY_OFFSET, value);
    }

    public static int accessFlags(MemorySegment s, long base) {
        return s.get(INT, base + ACCESS_FLAGS_OFFSET);
    }

    public static void accessFlags(MemorySegment s, long base, int value) {
        s.set(INT, base + ACCESS_FLAGS_OFFSET, value);
    }

    public static int totalChunks(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + TOTAL_CHUNKS_OFFSET));
    }

    public static void totalChunks(MemorySegment s, long base, int value) {
        s.set(SHORT, base + TOTAL_CHUNKS_OFFSET, (short) value);
    }

    public static int sendChunks(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + SEND_CHUNKS_OFFSET));
    }

    public static void sendChunks(MemorySegment s, long base, int value) {
        s.set(SHORT, base + SEND_CHUNKS_OFFSET, (short) value);
    }

    public static int maxAtomicArg(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + MAX_ATOMIC_ARG_OFFSET));
    }

    public static void maxAtomicArg(MemorySegment s, long base, int value) {
        s.set(SHORT, base + MAX_ATOMIC_ARG_OFFSET, (short) value);
    }

    public static int sqSigAll(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SQ_SIG_ALL_OFFSET));
    }

    public static void sqSigAll(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SQ_SIG_ALL_OFFSET, (byte) value);
    }

    public static int qpType(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + QP_TYPE_OFFSET));
    }

    public static void qpType(MemorySegment s, long base, int value) {
        s.set(BYTE, base + QP_TYPE_OFFSET, (byte) value);
    }

    public static int isSrq(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + IS_SRQ_OFFSET));
    }

    public static void isSrq(MemorySegment s, long base, int value) {
        s.set(BYTE, base + IS_SRQ_OFFSET, (byte) value);
    }

    /** Before version 20: the queue pair number is the handle. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_create_qp_resp}. */
        public static final int SIZE = 40;

        public static final int QPN_OFFSET = 16;
        public static final int MAX_SEND_WR_OFFSET = 20;
        public static final int MAX_RECV_WR_OFFSET = 24;
        public static final int MAX_SEND_SGE_OFFSET = 28;
        public static final int MAX_RECV_SGE_OFFSET = 32;
        public static final int MAX_INLINE_DATA_OFFSET = 36;

        public static int qpn(MemorySegment s, long base) {
            return s.get(INT, base + QPN_OFFSET);
        }

        public static void qpn(MemorySegment s, long base, int value) {
            s.set(INT, base + QPN_OFFSET, value);
        }

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

        private Response() {}
    }

    /** From version 20: number and handle are two things. */
    public static final class ResponseV2 {
        /** Bytes of {@code struct pvrdma_cmd_create_qp_resp_v2}. */
        public static final int SIZE = 48;

        public static final int QPN_OFFSET = 16;
        public static final int QP_HANDLE_OFFSET = 20;
        public static final int MAX_SEND_WR_OFFSET = 24;
        public static final int MAX_RECV_WR_OFFSET = 28;
        public static final int MAX_SEND_SGE_OFFSET = 32;
        public static final int MAX_RECV_SGE_OFFSET = 36;
        public static final int MAX_INLINE_DATA_OFFSET = 40;

        public static int qpn(MemorySegment s, long base) {
            return s.get(INT, base + QPN_OFFSET);
        }

        public static void qpn(MemorySegment s, long base, int value) {
            s.set(INT, base + QPN_OFFSET, value);
        }

        public static int qpHandle(MemorySegment s, long base) {
            return s.get(INT, base + QP_HANDLE_OFFSET);
        }

        public static void qpHandle(MemorySegment s, long base, int value) {
            s.set(INT, base + QP_HANDLE_OFFSET, value);
        }

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

        private ResponseV2() {}
    }

    private CreateQp() {}
}
