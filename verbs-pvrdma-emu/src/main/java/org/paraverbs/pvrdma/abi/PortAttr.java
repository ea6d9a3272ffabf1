// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct pvrdma_port_attr} of pvrdma_verbs.h.
 */
public final class PortAttr {
    /** Bytes of {@code struct pvrdma_port_attr}. */
    public static final int SIZE = 48;

    public static final int STATE_OFFSET = 0;
    public static final int MAX_MTU_OFFSET = 4;
    public static final int ACTIVE_MTU_OFFSET = 8;
    public static final int GID_TBL_LEN_OFFSET = 12;
    public static final int PORT_CAP_FLAGS_OFFSET = 16;
    public static final int MAX_MSG_SZ_OFFSET = 20;
    public static final int BAD_PKEY_CNTR_OFFSET = 24;
    public static final int QKEY_VIOL_CNTR_OFFSET = 28;
    public static final int PKEY_TBL_LEN_OFFSET = 32;
    public static final int LID_OFFSET = 34;
    public static final int SM_LID_OFFSET = 36;
    public static final int LMC_OFFSET = 38;
    public static final int MAX_VL_NUM_OFFSET = 39;
    public static final int SM_SL_OFFSET = 40;
    public static final int SUBNET_TIMEOUT_OFFSET = 41;
    public static final int INIT_TYPE_REPLY_OFFSET = 42;
    public static final int ACTIVE_WIDTH_OFFSET = 43;
    public static final int ACTIVE_SPEED_OFFSET = 44;
    public static final int PHYS_STATE_OFFSET = 45;

    public static int state(MemorySegment s, long base) {
        return s.get(INT, base + STATE_OFFSET);
    }

    public static void state(MemorySegment s, long base, int value) {
        s.set(INT, base + STATE_OFFSET, value);
    }

    public static int maxMtu(MemorySegment s, long base) {
        return s.get(INT, base + MAX_MTU_OFFSET);
    }

    public static void maxMtu(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_MTU_OFFSET, value);
    }

    public static int activeMtu(MemorySegment s, long base) {
        return s.get(INT, base + ACTIVE_MTU_OFFSET);
    }

    public static void activeMtu(MemorySegment s, long base, int value) {
        s.set(INT, base + ACTIVE_MTU_OFFSET, value);
    }

    public static int gidTblLen(MemorySegment s, long base) {
        return s.get(INT, base + GID_TBL_LEN_OFFSET);
    }

    public static void gidTblLen(MemorySegment s, long base, int value) {
        s.set(INT, base + GID_TBL_LEN_OFFSET, value);
    }

    public static int portCapFlags(MemorySegment s, long base) {
        return s.get(INT, base + PORT_CAP_FLAGS_OFFSET);
    }

    public static void portCapFlags(MemorySegment s, long base, int value) {
        s.set(INT, base + PORT_CAP_FLAGS_OFFSET, value);
    }

    public static int maxMsgSz(MemorySegment s, long base) {
        return s.get(INT, base + MAX_MSG_SZ_OFFSET);
    }

    public static void maxMsgSz(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_MSG_SZ_OFFSET, value);
    }

    public static int badPkeyCntr(MemorySegment s, long base) {
        return s.get(INT, base + BAD_PKEY_CNTR_OFFSET);
    }

    public static void badPkeyCntr(MemorySegment s, long base, int value) {
        s.set(INT, base + BAD_PKEY_CNTR_OFFSET, value);
    }

    public static int qkeyViolCntr(MemorySegment s, long base) {
        return s.get(INT, base + QKEY_VIOL_CNTR_OFFSET);
    }

    public static void qkeyViolCntr(MemorySegment s, long base, int value) {
        s.set(INT, base + QKEY_VIOL_CNTR_OFFSET, value);
    }

    public static int pkeyTblLen(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + PKEY_TBL_LEN_OFFSET));
    }

    public static void pkeyTblLen(MemorySegment s, long base, int value) {
        s.set(SHORT, base + PKEY_TBL_LEN_OFFSET, (short) value);
    }

    public static int lid(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + LID_OFFSET));
    }

    public static void lid(MemorySegment s, long base, int value) {
        s.set(SHORT, base + LID_OFFSET, (short) value);
    }

    public static int smLid(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + SM_LID_OFFSET));
    }

    public static void smLid(MemorySegment s, long base, int value) {
        s.set(SHORT, base + SM_LID_OFFSET, (short) value);
    }

    public static int lmc(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + LMC_OFFSET));
    }

    public static void lmc(MemorySegment s, long base, int value) {
        s.set(BYTE, base + LMC_OFFSET, (byte) value);
    }

    public static int maxVlNum(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + MAX_VL_NUM_OFFSET));
    }

    public static void maxVlNum(MemorySegment s, long base, int value) {
        s.set(BYTE, base + MAX_VL_NUM_OFFSET, (byte) value);
    }

    public static int smSl(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SM_SL_OFFSET));
    }

    public static void smSl(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SM_SL_OFFSET, (byte) value);
    }

    public static int subnetTimeout(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SUBNET_TIMEOUT_OFFSET));
    }

    public static void subnetTimeout(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SUBNET_TIMEOUT_OFFSET, (byte) value);
    }

    public static int initTypeReply(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + INIT_TYPE_REPLY_OFFSET));
    }

    public static void initTypeReply(MemorySegment s, long base, int value) {
        s.set(BYTE, base + INIT_TYPE_REPLY_OFFSET, (byte) value);
    }

    public static int activeWidth(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + ACTIVE_WIDTH_OFFSET));
    }

    public static void activeWidth(MemorySegment s, long base, int value) {
        s.set(BYTE, base + ACTIVE_WIDTH_OFFSET, (byte) value);
    }

    public static int activeSpeed(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + ACTIVE_SPEED_OFFSET));
    }

    public static void activeSpeed(MemorySegment s, long base, int value) {
        s.set(BYTE, base + ACTIVE_SPEED_OFFSET, (byte) value);
    }

    public static int physState(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + PHYS_STATE_OFFSET));
    }

    public static void physState(MemorySegment s, long base, int value) {
        s.set(BYTE, base + PHYS_STATE_OFFSET, (byte) value);
    }

    private PortAttr() {}
}
