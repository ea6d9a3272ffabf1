// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct ibv_port_attr}: the state of a port, {@code ibv_query_port(3)}. Later releases lengthen it; the
 * library is told the size that we know.
 */
public final class IbvPortAttr {
    public static final long SIZE = 52;

    private static final long STATE = 0;
    private static final long MAX_MTU = 4;
    private static final long ACTIVE_MTU = 8;
    private static final long GID_TBL_LEN = 12;
    private static final long PORT_CAP_FLAGS = 16;
    private static final long MAX_MSG_SZ = 20;
    private static final long BAD_PKEY_CNTR = 24;
    private static final long QKEY_VIOL_CNTR = 28;
    private static final long PKEY_TBL_LEN = 32;
    private static final long LID = 34;
    private static final long SM_LID = 36;
    private static final long LMC = 38;
    private static final long MAX_VL_NUM = 39;
    private static final long SM_SL = 40;
    private static final long SUBNET_TIMEOUT = 41;
    private static final long INIT_TYPE_REPLY = 42;
    private static final long ACTIVE_WIDTH = 43;
    private static final long ACTIVE_SPEED = 44;
    private static final long PHYS_STATE = 45;
    private static final long LINK_LAYER = 46;
    private static final long FLAGS = 47;
    private static final long PORT_CAP_FLAGS2 = 48;

    private IbvPortAttr() {}

    public static int state(MemorySegment attributes) {
        return attributes.get(JAVA_INT, STATE);
    }

    public static int maxMtu(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_MTU);
    }

    public static int activeMtu(MemorySegment attributes) {
        return attributes.get(JAVA_INT, ACTIVE_MTU);
    }

    public static int gidTblLen(MemorySegment attributes) {
        return attributes.get(JAVA_INT, GID_TBL_LEN);
    }

    public static int portCapFlags(MemorySegment attributes) {
        return attributes.get(JAVA_INT, PORT_CAP_FLAGS);
    }

    public static int maxMsgSz(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_MSG_SZ);
    }

    public static int badPkeyCntr(MemorySegment attributes) {
        return attributes.get(JAVA_INT, BAD_PKEY_CNTR);
    }

    public static int qkeyViolCntr(MemorySegment attributes) {
        return attributes.get(JAVA_INT, QKEY_VIOL_CNTR);
    }

    public static int pkeyTblLen(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, PKEY_TBL_LEN));
    }

    public static int lid(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, LID));
    }

    public static int smLid(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, SM_LID));
    }

    public static int lmc(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, LMC));
    }

    public static int maxVlNum(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, MAX_VL_NUM));
    }

    public static int smSl(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, SM_SL));
    }

    public static int subnetTimeout(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, SUBNET_TIMEOUT));
    }

    public static int initTypeReply(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, INIT_TYPE_REPLY));
    }

    public static int activeWidth(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, ACTIVE_WIDTH));
    }

    public static int activeSpeed(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, ACTIVE_SPEED));
    }

    public static int physState(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, PHYS_STATE));
    }

    public static int linkLayer(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, LINK_LAYER));
    }

    public static int flags(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, FLAGS));
    }

    public static int portCapFlags2(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, PORT_CAP_FLAGS2));
    }
}
