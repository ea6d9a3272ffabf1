// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_recv_wr}: a work request for the receive queue, {@code ibv_post_recv(3)}. */
public final class IbvRecvWr {
    public static final long SIZE = 32;

    private static final long WR_ID = 0;
    private static final long NEXT = 8;
    private static final long SG_LIST = 16;
    private static final long NUM_SGE = 24;

    private IbvRecvWr() {}

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
}
