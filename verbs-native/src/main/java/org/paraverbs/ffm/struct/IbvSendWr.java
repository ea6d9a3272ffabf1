// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * {@code struct ibv_send_wr}: a work request for the send queue, {@code ibv_post_send(3)}. Immediate data is in
 * network byte order.
 */
public final class IbvSendWr {
    public static final long SIZE = 128;

    private static final ValueLayout.OfInt BIG_ENDIAN_INT = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private static final long WR_ID = 0;
    private static final long NEXT = 8;
    private static final long SG_LIST = 16;
    private static final long NUM_SGE = 24;
    private static final long OPCODE = 28;
    private static final long SEND_FLAGS = 32;
    private static final long IMM_DATA = 36;
    private static final long RDMA_REMOTE_ADDR = 40;
    private static final long RDMA_RKEY = 48;
    private static final long INVALIDATE_RKEY = 36;
    private static final long ATOMIC_REMOTE_ADDR = 40;
    private static final long ATOMIC_COMPARE_ADD = 48;
    private static final long ATOMIC_SWAP = 56;
    private static final long ATOMIC_RKEY = 64;
    private static final long UD_AH = 40;
    private static final long UD_REMOTE_QPN = 48;
    private static final long UD_REMOTE_QKEY = 52;
    private static final long BIND_MW_MW = 80;
    private static final long BIND_MW_RKEY = 88;
    private static final long BIND_MW_BIND_INFO_MR = 96;
    private static final long BIND_MW_BIND_INFO_ADDR = 104;
    private static final long BIND_MW_BIND_INFO_LENGTH = 112;
    private static final long BIND_MW_BIND_INFO_MW_ACCESS_FLAGS = 120;
    private static final long QP_TYPE_XRC_REMOTE_SRQN = 72;

    private IbvSendWr() {}

    public static long wrId(MemorySegment requests, long at) {
        return requests.get(JAVA_LONG, at + WR_ID);
    }

    public static void wrId(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + WR_ID, value);
    }

    public static long next(MemorySegment requests, long at) {
        return requests.get(JAVA_LONG, at + NEXT);
    }

    public static void next(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + NEXT, value);
    }

    public static long sgList(MemorySegment requests, long at) {
        return requests.get(JAVA_LONG, at + SG_LIST);
    }

    public static void sgList(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + SG_LIST, value);
    }

    public static int numSge(MemorySegment requests, long at) {
        return requests.get(JAVA_INT, at + NUM_SGE);
    }

    public static void numSge(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + NUM_SGE, value);
    }

    public static int opcode(MemorySegment requests, long at) {
        return requests.get(JAVA_INT, at + OPCODE);
    }

    public static void opcode(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + OPCODE, value);
    }

    public static int sendFlags(MemorySegment requests, long at) {
        return requests.get(JAVA_INT, at + SEND_FLAGS);
    }

    public static void sendFlags(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + SEND_FLAGS, value);
    }

    public static int immData(MemorySegment requests, long at) {
        return requests.get(BIG_ENDIAN_INT, at + IMM_DATA);
    }

    public static void immData(MemorySegment requests, long at, int value) {
        requests.set(BIG_ENDIAN_INT, at + IMM_DATA, value);
    }

    public static long rdmaRemoteAddr(MemorySegment requests, long at) {
        return requests.get(JAVA_LONG, at + RDMA_REMOTE_ADDR);
    }

    public static void rdmaRemoteAddr(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + RDMA_REMOTE_ADDR, value);
    }

    public static int rdmaRkey(MemorySegment requests, long at) {
        return requests.get(JAVA_INT, at + RDMA_RKEY);
    }

    public static void rdmaRkey(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + RDMA_RKEY, value);
    }

    public static void invalidateRkey(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + INVALIDATE_RKEY, value);
    }

    public static void atomicRemoteAddr(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + ATOMIC_REMOTE_ADDR, value);
    }

    public static void atomicCompareAdd(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + ATOMIC_COMPARE_ADD, value);
    }

    public static void atomicSwap(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + ATOMIC_SWAP, value);
    }

    public static void atomicRkey(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + ATOMIC_RKEY, value);
    }

    public static void udAh(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + UD_AH, value);
    }

    public static void udRemoteQpn(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + UD_REMOTE_QPN, value);
    }

    public static void udRemoteQkey(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + UD_REMOTE_QKEY, value);
    }

    public static void bindMwMw(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + BIND_MW_MW, value);
    }

    public static int bindMwRkey(MemorySegment requests, long at) {
        return requests.get(JAVA_INT, at + BIND_MW_RKEY);
    }

    public static void bindMwRkey(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + BIND_MW_RKEY, value);
    }

    public static void bindMwBindInfoMr(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + BIND_MW_BIND_INFO_MR, value);
    }

    public static void bindMwBindInfoAddr(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + BIND_MW_BIND_INFO_ADDR, value);
    }

    public static void bindMwBindInfoLength(MemorySegment requests, long at, long value) {
        requests.set(JAVA_LONG, at + BIND_MW_BIND_INFO_LENGTH, value);
    }

    public static void bindMwBindInfoMwAccessFlags(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + BIND_MW_BIND_INFO_MW_ACCESS_FLAGS, value);
    }

    public static void qpTypeXrcRemoteSrqn(MemorySegment requests, long at, int value) {
        requests.set(JAVA_INT, at + QP_TYPE_XRC_REMOTE_SRQN, value);
    }
}
