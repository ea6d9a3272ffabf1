// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_qp_cap}: the sizes of a queue pair, in and out of {@code ibv_create_qp(3)}. */
public final class IbvQpCap {
    public static final long SIZE = 20;

    private static final long MAX_SEND_WR = 0;
    private static final long MAX_RECV_WR = 4;
    private static final long MAX_SEND_SGE = 8;
    private static final long MAX_RECV_SGE = 12;
    private static final long MAX_INLINE_DATA = 16;

    private IbvQpCap() {}

    public static int maxSendWr(MemorySegment capacity) {
        return capacity.get(JAVA_INT, MAX_SEND_WR);
    }

    public static void maxSendWr(MemorySegment capacity, int value) {
        capacity.set(JAVA_INT, MAX_SEND_WR, value);
    }

    public static int maxRecvWr(MemorySegment capacity) {
        return capacity.get(JAVA_INT, MAX_RECV_WR);
    }

    public static void maxRecvWr(MemorySegment capacity, int value) {
        capacity.set(JAVA_INT, MAX_RECV_WR, value);
    }

    public static int maxSendSge(MemorySegment capacity) {
        return capacity.get(JAVA_INT, MAX_SEND_SGE);
    }

    public static void maxSendSge(MemorySegment capacity, int value) {
        capacity.set(JAVA_INT, MAX_SEND_SGE, value);
    }

    public static int maxRecvSge(MemorySegment capacity) {
        return capacity.get(JAVA_INT, MAX_RECV_SGE);
    }

    public static void maxRecvSge(MemorySegment capacity, int value) {
        capacity.set(JAVA_INT, MAX_RECV_SGE, value);
    }

    public static int maxInlineData(MemorySegment capacity) {
        return capacity.get(JAVA_INT, MAX_INLINE_DATA);
    }

    public static void maxInlineData(MemorySegment capacity, int value) {
        capacity.set(JAVA_INT, MAX_INLINE_DATA, value);
    }
}
