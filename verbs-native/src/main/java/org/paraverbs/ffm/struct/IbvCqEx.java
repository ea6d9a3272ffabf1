// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct ibv_cq_ex}: a completion queue of {@code ibv_create_cq_ex(3)}, which begins as {@link IbvCq}. The id and the
 * status are those of the completion that polling has come to; the rest is read by functions.
 */
public final class IbvCqEx {
    public static final long SIZE = 288;

    private static final long STATUS = 132;
    private static final long WR_ID = 136;
    private static final long START_POLL = 144;
    private static final long END_POLL = 160;
    private static final long READ_OPCODE = 168;
    private static final long READ_VENDOR_ERR = 176;
    private static final long READ_BYTE_LEN = 184;
    private static final long READ_IMM_DATA = 192;
    private static final long READ_QP_NUM = 200;
    private static final long READ_SRC_QP = 208;
    private static final long READ_WC_FLAGS = 216;
    private static final long READ_SLID = 224;
    private static final long READ_SL = 232;
    private static final long READ_COMPLETION_TS = 248;
    private static final long READ_COMPLETION_WALLCLOCK_NS = 280;

    private IbvCqEx() {}

    public static int status(MemorySegment queue) {
        return queue.get(JAVA_INT, STATUS);
    }

    public static long wrId(MemorySegment queue) {
        return queue.get(JAVA_LONG, WR_ID);
    }

    public static long startPoll(MemorySegment queue) {
        return queue.get(JAVA_LONG, START_POLL);
    }

    public static long endPoll(MemorySegment queue) {
        return queue.get(JAVA_LONG, END_POLL);
    }

    public static long readOpcode(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_OPCODE);
    }

    public static long readVendorErr(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_VENDOR_ERR);
    }

    public static long readByteLen(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_BYTE_LEN);
    }

    public static long readImmData(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_IMM_DATA);
    }

    public static long readQpNum(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_QP_NUM);
    }

    public static long readSrcQp(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_SRC_QP);
    }

    public static long readWcFlags(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_WC_FLAGS);
    }

    public static long readSlid(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_SLID);
    }

    public static long readSl(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_SL);
    }

    public static long readCompletionTs(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_COMPLETION_TS);
    }

    public static long readCompletionWallclockNs(MemorySegment queue) {
        return queue.get(JAVA_LONG, READ_COMPLETION_WALLCLOCK_NS);
    }
}
