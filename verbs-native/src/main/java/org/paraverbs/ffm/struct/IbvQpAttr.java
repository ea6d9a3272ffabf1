// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_qp_attr}: the attributes of a queue pair, {@code ibv_modify_qp(3)} and {@code ibv_query_qp(3)}. */
public final class IbvQpAttr {
    public static final long SIZE = 144;

    private static final long QP_STATE = 0;
    private static final long CUR_QP_STATE = 4;
    private static final long PATH_MTU = 8;
    private static final long PATH_MIG_STATE = 12;
    private static final long QKEY = 16;
    private static final long RQ_PSN = 20;
    private static final long SQ_PSN = 24;
    private static final long DEST_QP_NUM = 28;
    private static final long QP_ACCESS_FLAGS = 32;
    private static final long CAP = 36;
    private static final long AH_ATTR = 56;
    private static final long PKEY_INDEX = 120;
    private static final long EN_SQD_ASYNC_NOTIFY = 124;
    private static final long SQ_DRAINING = 125;
    private static final long MAX_RD_ATOMIC = 126;
    private static final long MAX_DEST_RD_ATOMIC = 127;
    private static final long MIN_RNR_TIMER = 128;
    private static final long PORT_NUM = 129;
    private static final long TIMEOUT = 130;
    private static final long RETRY_CNT = 131;
    private static final long RNR_RETRY = 132;

    private IbvQpAttr() {}

    public static int qpState(MemorySegment attributes) {
        return attributes.get(JAVA_INT, QP_STATE);
    }

    public static void qpState(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, QP_STATE, value);
    }

    public static int curQpState(MemorySegment attributes) {
        return attributes.get(JAVA_INT, CUR_QP_STATE);
    }

    public static void curQpState(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, CUR_QP_STATE, value);
    }

    public static int pathMtu(MemorySegment attributes) {
        return attributes.get(JAVA_INT, PATH_MTU);
    }

    public static void pathMtu(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, PATH_MTU, value);
    }

    public static int pathMigState(MemorySegment attributes) {
        return attributes.get(JAVA_INT, PATH_MIG_STATE);
    }

    public static void pathMigState(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, PATH_MIG_STATE, value);
    }

    public static int qkey(MemorySegment attributes) {
        return attributes.get(JAVA_INT, QKEY);
    }

    public static void qkey(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, QKEY, value);
    }

    public static int rqPsn(MemorySegment attributes) {
        return attributes.get(JAVA_INT, RQ_PSN);
    }

    public static void rqPsn(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, RQ_PSN, value);
    }

    public static int sqPsn(MemorySegment attributes) {
        return attributes.get(JAVA_INT, SQ_PSN);
    }

    public static void sqPsn(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, SQ_PSN, value);
    }

    public static int destQpNum(MemorySegment attributes) {
        return attributes.get(JAVA_INT, DEST_QP_NUM);
    }

    public static void destQpNum(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, DEST_QP_NUM, value);
    }

    public static int qpAccessFlags(MemorySegment attributes) {
        return attributes.get(JAVA_INT, QP_ACCESS_FLAGS);
    }

    public static void qpAccessFlags(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, QP_ACCESS_FLAGS, value);
    }

    public static MemorySegment cap(MemorySegment attributes) {
        return attributes.asSlice(CAP, IbvQpCap.SIZE);
    }

    public static MemorySegment ahAttr(MemorySegment attributes) {
        return attributes.asSlice(AH_ATTR, IbvAhAttr.SIZE);
    }

    public static int pkeyIndex(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, PKEY_INDEX));
    }

    public static void pkeyIndex(MemorySegment attributes, int value) {
        attributes.set(JAVA_SHORT, PKEY_INDEX, (short) value);
    }

    public static int enSqdAsyncNotify(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, EN_SQD_ASYNC_NOTIFY));
    }

    public static void enSqdAsyncNotify(MemorySegment attributes, int value) {
        attributes.set(JAVA_BYTE, EN_SQD_ASYNC_NOTIFY, (byte) value);
    }

    public static int sqDraining(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, SQ_DRAINING));
    }

    public static void sqDraining(MemorySegment attributes, int value) {
        attributes.set(JAVA_BYTE, SQ_DRAINING, (byte) value);
    }

    public static int maxRdAtomic(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, MAX_RD_ATOMIC));
    }

    public static void maxRdAtomic(MemorySegment attributes, int value) {
        attributes.set(JAVA_BYTE, MAX_RD_ATOMIC, (byte) value);
    }

    public static int maxDestRdAtomic(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, MAX_DEST_RD_ATOMIC));
    }

    public static void maxDestRdAtomic(MemorySegment attributes, int value) {
        attributes.set(JAVA_BYTE, MAX_DEST_RD_ATOMIC, (byte) value);
    }

    public static int minRnrTimer(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, MIN_RNR_TIMER));
    }

    public static void minRnrTimer(MemorySegment attributes, int value) {
        attributes.set(JAVA_BYTE, MIN_RNR_TIMER, (byte) value);
    }

    public static int portNum(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, PORT_NUM));
    }

    public static void portNum(MemorySegment attributes, int value) {
        attributes.set(JAVA_BYTE, PORT_NUM, (byte) value);
    }

    public static int timeout(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, TIMEOUT));
    }

    public static void timeout(MemorySegment attributes, int value) {
        attributes.set(JAVA_BYTE, TIMEOUT, (byte) value);
    }

    public static int retryCnt(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, RETRY_CNT));
    }

    public static void retryCnt(MemorySegment attributes, int value) {
        attributes.set(JAVA_BYTE, RETRY_CNT, (byte) value);
    }

    public static int rnrRetry(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, RNR_RETRY));
    }

    public static void rnrRetry(MemorySegment attributes, int value) {
        attributes.set(JAVA_BYTE, RNR_RETRY, (byte) value);
    }
}
