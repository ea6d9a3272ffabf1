// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct pvrdma_qp_attr} of pvrdma_verbs.h. {@link QpAttrMask} says which fields of a MODIFY_QP
 * count; all others may hold garbage.
 */
public final class QpAttr {
    /** Bytes of {@code struct pvrdma_qp_attr}. */
    public static final int SIZE = 160;

    public static final int QP_STATE_OFFSET = 0;
    public static final int CUR_QP_STATE_OFFSET = 4;
    public static final int PATH_MTU_OFFSET = 8;
    public static final int PATH_MIG_STATE_OFFSET = 12;
    public static final int QKEY_OFFSET = 16;
    public static final int RQ_PSN_OFFSET = 20;
    public static final int SQ_PSN_OFFSET = 24;
    public static final int DEST_QP_NUM_OFFSET = 28;
    public static final int QP_ACCESS_FLAGS_OFFSET = 32;
    public static final int PKEY_INDEX_OFFSET = 36;
    public static final int ALT_PKEY_INDEX_OFFSET = 38;
    public static final int EN_SQD_ASYNC_NOTIFY_OFFSET = 40;
    public static final int SQ_DRAINING_OFFSET = 41;
    public static final int MAX_RD_ATOMIC_OFFSET = 42;
    public static final int MAX_DEST_RD_ATOMIC_OFFSET = 43;
    public static final int MIN_RNR_TIMER_OFFSET = 44;
    public static final int PORT_NUM_OFFSET = 45;
    public static final int TIMEOUT_OFFSET = 46;
    public static final int RETRY_CNT_OFFSET = 47;
    public static final int RNR_RETRY_OFFSET = 48;
    public static final int ALT_PORT_NUM_OFFSET = 49;
    public static final int ALT_TIMEOUT_OFFSET = 50;
    public static final int CAP_OFFSET = 56;
    public static final int AH_ATTR_OFFSET = 80;
    public static final int ALT_AH_ATTR_OFFSET = 120;

    public static int qpState(MemorySegment s, long base) {
        return s.get(INT, base + QP_STATE_OFFSET);
    }

    public static void qpState(MemorySegment s, long base, int value) {
        s.set(INT, base + QP_STATE_OFFSET, value);
    }

    public static int curQpState(MemorySegment s, long base) {
        return s.get(INT, base + CUR_QP_STATE_OFFSET);
    }

    public static void curQpState(MemorySegment s, long base, int value) {
        s.set(INT, base + CUR_QP_STATE_OFFSET, value);
    }

    public static int pathMtu(MemorySegment s, long base) {
        return s.get(INT, base + PATH_MTU_OFFSET);
    }

    public static void pathMtu(MemorySegment s, long base, int value) {
        s.set(INT, base + PATH_MTU_OFFSET, value);
    }

    public static int pathMigState(MemorySegment s, long base) {
        return s.get(INT, base + PATH_MIG_STATE_OFFSET);
    }

    public static void pathMigState(MemorySegment s, long base, int value) {
        s.set(INT, base + PATH_MIG_STATE_OFFSET, value);
    }

    public static int qkey(MemorySegment s, long base) {
        return s.get(INT, base + QKEY_OFFSET);
    }

    public static void qkey(MemorySegment s, long base, int value) {
        s.set(INT, base + QKEY_OFFSET, value);
    }

    public static int rqPsn(MemorySegment s, long base) {
        return s.get(INT, base + RQ_PSN_OFFSET);
    }

    public static void rqPsn(MemorySegment s, long base, int value) {
        s.set(INT, base + RQ_PSN_OFFSET, value);
    }

    public static int sqPsn(MemorySegment s, long base) {
        return s.get(INT, base + SQ_PSN_OFFSET);
    }

    public static void sqPsn(MemorySegment s, long base, int value) {
        s.set(INT, base + SQ_PSN_OFFSET, value);
    }

    public static int destQpNum(MemorySegment s, long base) {
        return s.get(INT, base + DEST_QP_NUM_OFFSET);
    }

    public static void destQpNum(MemorySegment s, long base, int value) {
        s.set(INT, base + DEST_QP_NUM_OFFSET, value);
    }

    public static int qpAccessFlags(MemorySegment s, long base) {
        return s.get(INT, base + QP_ACCESS_FLAGS_OFFSET);
    }

    public static void qpAccessFlags(MemorySegment s, long base, int value) {
        s.set(INT, base + QP_ACCESS_FLAGS_OFFSET, value);
    }

    public static int pkeyIndex(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + PKEY_INDEX_OFFSET));
    }

    public static void pkeyIndex(MemorySegment s, long base, int value) {
        s.set(SHORT, base + PKEY_INDEX_OFFSET, (short) value);
    }

    public static int altPkeyIndex(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + ALT_PKEY_INDEX_OFFSET));
    }

    public static void altPkeyIndex(MemorySegment s, long base, int value) {
        s.set(SHORT, base + ALT_PKEY_INDEX_OFFSET, (short) value);
    }

    public static int enSqdAsyncNotify(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + EN_SQD_ASYNC_NOTIFY_OFFSET));
    }

    public static void enSqdAsyncNotify(MemorySegment s, long base, int value) {
        s.set(BYTE, base + EN_SQD_ASYNC_NOTIFY_OFFSET, (byte) value);
    }

    public static int sqDraining(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SQ_DRAINING_OFFSET));
    }

    public static void sqDraining(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SQ_DRAINING_OFFSET, (byte) value);
    }

    public static int maxRdAtomic(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + MAX_RD_ATOMIC_OFFSET));
    }

    public static void maxRdAtomic(MemorySegment s, long base, int value) {
        s.set(BYTE, base + MAX_RD_ATOMIC_OFFSET, (byte) value);
    }

    public static int maxDestRdAtomic(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + MAX_DEST_RD_ATOMIC_OFFSET));
    }

    public static void maxDestRdAtomic(MemorySegment s, long base, int value) {
        s.set(BYTE, base + MAX_DEST_RD_ATOMIC_OFFSET, (byte) value);
    }

    public static int minRnrTimer(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + MIN_RNR_TIMER_OFFSET));
    }

    public static void minRnrTimer(MemorySegment s, long base, int value) {
        s.set(BYTE, base + MIN_RNR_TIMER_OFFSET, (byte) value);
    }

    public static int portNum(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + PORT_NUM_OFFSET));
    }

    public static void portNum(MemorySegment s, long base, int value) {
        s.set(BYTE, base + PORT_NUM_OFFSET, (byte) value);
    }

    public static int timeout(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + TIMEOUT_OFFSET));
    }

    public static void timeout(MemorySegment s, long base, int value) {
        s.set(BYTE, base + TIMEOUT_OFFSET, (byte) value);
    }

    public static int retryCnt(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + RETRY_CNT_OFFSET));
    }

    public static void retryCnt(MemorySegment s, long base, int value) {
        s.set(BYTE, base + RETRY_CNT_OFFSET, (byte) value);
    }

    public static int rnrRetry(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + RNR_RETRY_OFFSET));
    }

    public static void rnrRetry(MemorySegment s, long base, int value) {
        s.set(BYTE, base + RNR_RETRY_OFFSET, (byte) value);
    }

    public static int altPortNum(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + ALT_PORT_NUM_OFFSET));
    }

    public static void altPortNum(MemorySegment s, long base, int value) {
        s.set(BYTE, base + ALT_PORT_NUM_OFFSET, (byte) value);
    }

    public static int altTimeout(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + ALT_TIMEOUT_OFFSET));
    }

    public static void altTimeout(MemorySegment s, long base, int value) {
        s.set(BYTE, base + ALT_TIMEOUT_OFFSET, (byte) value);
    }

    private QpAttr() {}
}
