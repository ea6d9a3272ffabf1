// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_qp_init_attr}: the arguments of {@code ibv_create_qp(3)}. */
public final class IbvQpInitAttr {
    public static final long SIZE = 64;

    private static final long QP_CONTEXT = 0;
    private static final long SEND_CQ = 8;
    private static final long RECV_CQ = 16;
    private static final long SRQ = 24;
    private static final long CAP = 32;
    private static final long QP_TYPE = 52;
    private static final long SQ_SIG_ALL = 56;

    private IbvQpInitAttr() {}

    public static void qpContext(MemorySegment attributes, long value) {
        attributes.set(JAVA_LONG, QP_CONTEXT, value);
    }

    public static void sendCq(MemorySegment attributes, long value) {
        attributes.set(JAVA_LONG, SEND_CQ, value);
    }

    public static void recvCq(MemorySegment attributes, long value) {
        attributes.set(JAVA_LONG, RECV_CQ, value);
    }

    public static void srq(MemorySegment attributes, long value) {
        attributes.set(JAVA_LONG, SRQ, value);
    }

    public static MemorySegment cap(MemorySegment attributes) {
        return attributes.asSlice(CAP, IbvQpCap.SIZE);
    }

    public static void qpType(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, QP_TYPE, value);
    }

    public static void sqSigAll(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, SQ_SIG_ALL, value);
    }
}
