// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * A send work request as it lies in the ring: this header, then {@link Sge} elements. The fields from
 * {@code rdma_remote_addr} on are a union by {@link WrOpcode} and queue pair type. Immediate data are
 * big-endian for the program and pass through as they lie in memory.
 */
public final class SqWqe {
    /** Bytes of {@code struct pvrdma_sq_wqe_hdr}. */
    public static final int SIZE = 80;

    public static final int WR_ID_OFFSET = 0;
    public static final int NUM_SGE_OFFSET = 8;
    public static final int TOTAL_LEN_OFFSET = 12;
    public static final int OPCODE_OFFSET = 16;
    public static final int SEND_FLAGS_OFFSET = 20;
    public static final int IMM_DATA_OFFSET = 24;
    public static final int INVALIDATE_RKEY_OFFSET = 24;
    public static final int RDMA_REMOTE_ADDR_OFFSET = 32;
    public static final int RDMA_RKEY_OFFSET = 40;
    public static final int ATOMIC_REMOTE_ADDR_OFFSET = 32;
    public static final int ATOMIC_COMPARE_ADD_OFFSET = 40;
    public static final int ATOMIC_SWAP_OFFSET = 48;
    public static final int ATOMIC_RKEY_OFFSET = 56;
    public static final int UD_REMOTE_QPN_OFFSET = 32;
    public static final int UD_REMOTE_QKEY_OFFSET = 36;
    public static final int UD_AV_OFFSET = 40;
    public static final int FAST_REG_IOVA_START_OFFSET = 32;
    public static final int FAST_REG_PL_PDIR_DMA_OFFSET = 40;
    public static final int FAST_REG_PAGE_SHIFT_OFFSET = 48;
    public static final int FAST_REG_PAGE_LIST_LEN_OFFSET = 52;
    public static final int FAST_REG_LENGTH_OFFSET = 56;
    public static final int FAST_REG_ACCESS_FLAGS_OFFSET = 60;
    public static final int FAST_REG_RKEY_OFFSET = 64;

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

    public static int opcode(MemorySegment s, long base) {
        return s.get(INT, base + OPCODE_OFFSET);
    }

    public static void opcode(MemorySegment s, long base, int value) {
        s.set(INT, base + OPCODE_OFFSET, value);
    }

    public static int sendFlags(MemorySegment s, long base) {
        return s.get(INT, base + SEND_FLAGS_OFFSET);
    }

    public static void sendFlags(MemorySegment s, long base, int value) {
        s.set(INT, base + SEND_FLAGS_OFFSET, value);
    }

    public static int immData(MemorySegment s, long base) {
        return s.get(INT, base + IMM_DATA_OFFSET);
    }

    public static void immData(MemorySegment s, long base, int value) {
        s.set(INT, base + IMM_DATA_OFFSET, value);
    }

    public static int invalidateRkey(MemorySegment s, long base) {
        return s.get(INT, base + INVALIDATE_RKEY_OFFSET);
    }

    public static void invalidateRkey(MemorySegment s, long base, int value) {
        s.set(INT, base + INVALIDATE_RKEY_OFFSET, value);
    }

    public static long rdmaRemoteAddr(MemorySegment s, long base) {
        return s.get(LONG, base + RDMA_REMOTE_ADDR_OFFSET);
    }

    public static void rdmaRemoteAddr(MemorySegment s, long base, long value) {
        s.set(LONG, base + RDMA_REMOTE_ADDR_OFFSET, value);
    }

    public static int rdmaRkey(MemorySegment s, long base) {
        return s.get(INT, base + RDMA_RKEY_OFFSET);
    }

    public static void rdmaRkey(MemorySegment s, long base, int value) {
        s.set(INT, base + RDMA_RKEY_OFFSET, value);
    }

    public static long atomicRemoteAddr(MemorySegment s, long base) {
        return s.get(LONG, base + ATOMIC_REMOTE_ADDR_OFFSET);
    }

    public static void atomicRemoteAddr(MemorySegment s, long base, long value) {
        s.set(LONG, base + ATOMIC_REMOTE_ADDR_OFFSET, value);
    }

    public static long atomicCompareAdd(MemorySegment s, long base) {
        return s.get(LONG, base + ATOMIC_COMPARE_ADD_OFFSET);
    }

    public static void atomicCompareAdd(MemorySegment s, long base, long value) {
        s.set(LONG, base + ATOMIC_COMPARE_ADD_OFFSET, value);
    }

    public static long atomicSwap(MemorySegment s, long base) {
        return s.get(LONG, base + ATOMIC_SWAP_OFFSET);
    }

    public static void atomicSwap(MemorySegment s, long base, long value) {
        s.set(LONG, base + ATOMIC_SWAP_OFFSET, value);
    }

    public static int atomicRkey(MemorySegment s, long base) {
        return s.get(INT, base + ATOMIC_RKEY_OFFSET);
    }

    public static void atomicRkey(MemorySegment s, long base, int value) {
        s.set(INT, base + ATOMIC_RKEY_OFFSET, value);
    }

    public static int udRemoteQpn(MemorySegment s, long base) {
        return s.get(INT, base + UD_REMOTE_QPN_OFFSET);
    }

    public static void udRemoteQpn(MemorySegment s, long base, int value) {
        s.set(INT, base + UD_REMOTE_QPN_OFFSET, value);
    }

    public static int udRemoteQkey(MemorySegment s, long base) {
        return s.get(INT, base + UD_REMOTE_QKEY_OFFSET);
    }

    public static void udRemoteQkey(MemorySegment s, long base, int value) {
        s.set(INT, base + UD_REMOTE_QKEY_OFFSET, value);
    }

    public static long fastRegIovaStart(MemorySegment s, long base) {
        return s.get(LONG, base + FAST_REG_IOVA_START_OFFSET);
    }

    public static void fastRegIovaStart(MemorySegment s, long base, long value) {
        s.set(LONG, base + FAST_REG_IOVA_START_OFFSET, value);
    }

    public static long fastRegPlPdirDma(MemorySegment s, long base) {
        return s.get(LONG, base + FAST_REG_PL_PDIR_DMA_OFFSET);
    }

    public static void fastRegPlPdirDma(MemorySegment s, long base, long value) {
        s.set(LONG, base + FAST_REG_PL_PDIR_DMA_OFFSET, value);
    }

    public static int fastRegPageShift(MemorySegment s, long base) {
        return s.get(INT, base + FAST_REG_PAGE_SHIFT_OFFSET);
    }

    public static void fastRegPageShift(MemorySegment s, long base, int value) {
        s.set(INT, base + FAST_REG_PAGE_SHIFT_OFFSET, value);
    }

    public static int fastRegPageListLen(MemorySegment s, long base) {
        return s.get(INT, base + FAST_REG_PAGE_LIST_LEN_OFFSET);
    }

    public static void fastRegPageListLen(MemorySegment s, long base, int value) {
        s.set(INT, base + FAST_REG_PAGE_LIST_LEN_OFFSET, value);
    }

    public static int fastRegLength(MemorySegment s, long base) {
        return s.get(INT, base + FAST_REG_LENGTH_OFFSET);
    }

    public static void fastRegLength(MemorySegment s, long base, int value) {
        s.set(INT, base + FAST_REG_LENGTH_OFFSET, value);
    }

    public static int fastRegAccessFlags(MemorySegment s, long base) {
        return s.get(INT, base + FAST_REG_ACCESS_FLAGS_OFFSET);
    }

    public static void fastRegAccessFlags(MemorySegment s, long base, int value) {
        s.set(INT, base + FAST_REG_ACCESS_FLAGS_OFFSET, value);
    }

    public static int fastRegRkey(MemorySegment s, long base) {
        return s.get(INT, base + FAST_REG_RKEY_OFFSET);
    }

    public static void fastRegRkey(MemorySegment s, long base, int value) {
        s.set(INT, base + FAST_REG_RKEY_OFFSET, value);
    }

    /** Distance of two work requests in the ring: the next power of two that holds header and elements. */
    public static int stride(int maxSge) {
        return Layouts.powerOfTwoAtLeast(SIZE + maxSge * Sge.SIZE);
    }

    /** Both in one access: the opcode in the low half, the flags in the high half. */
    public static long opcodeAndFlags(MemorySegment s, long base) {
        return s.get(LONG, base + OPCODE_OFFSET);
    }

    /**
     * Writes both in one access. A device that reads both in one would wait for two separate writes to leave the
     * processor's store buffer, if it runs on the thread that wrote them.
     */
    public static void opcodeAndFlags(MemorySegment s, long base, int opcode, int flags) {
        s.set(LONG, base + OPCODE_OFFSET, Layouts.pair(opcode, flags));
    }

    private SqWqe() {}
}
