// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * {@code struct ibv_wc}: a work completion, {@code ibv_poll_cq(3)}. With an error status only the id, the status,
 * the queue pair number and the vendor error are valid. Immediate data is in network byte order.
 */
public final class IbvWc {
    public static final long SIZE = 48;

    private static final ValueLayout.OfInt BIG_ENDIAN_INT = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private static final long WR_ID = 0;
    private static final long STATUS = 8;
    private static final long OPCODE = 12;
    private static final long VENDOR_ERR = 16;
    private static final long BYTE_LEN = 20;
    private static final long IMM_DATA = 24;
    private static final long INVALIDATED_RKEY = 24;
    private static final long QP_NUM = 28;
    private static final long SRC_QP = 32;
    private static final long WC_FLAGS = 36;
    private static final long SLID = 42;
    private static final long SL = 44;

    private IbvWc() {}

    public static long wrId(MemorySegment completions, long at) {
        return completions.get(JAVA_LONG, at + WR_ID);
    }

    public static int status(MemorySegment completions, long at) {
        return completions.get(JAVA_INT, at + STATUS);
    }

    public static int opcode(MemorySegment completions, long at) {
        return completions.get(JAVA_INT, at + OPCODE);
    }

    public static int vendorErr(MemorySegment completions, long at) {
        return completions.get(JAVA_INT, at + VENDOR_ERR);
    }

    public static int byteLen(MemorySegment completions, long at) {
        return completions.get(JAVA_INT, at + BYTE_LEN);
    }

    public static int immData(MemorySegment completions, long at) {
        return completions.get(BIG_ENDIAN_INT, at + IMM_DATA);
    }

    public static int invalidatedRkey(MemorySegment completions, long at) {
        return completions.get(JAVA_INT, at + INVALIDATED_RKEY);
    }

    public static int qpNum(MemorySegment completions, long at) {
        return completions.get(JAVA_INT, at + QP_NUM);
    }

    public static int wcFlags(MemorySegment completions, long at) {
        return completions.get(JAVA_INT, at + WC_FLAGS);
    }

    public static int srcQp(MemorySegment completions, long at) {
        return completions.get(JAVA_INT, at + SRC_QP);
    }

    public static int slid(MemorySegment completions, long at) {
        return Short.toUnsignedInt(completions.get(JAVA_SHORT, at + SLID));
    }

    public static int sl(MemorySegment completions, long at) {
        return Byte.toUnsignedInt(completions.get(JAVA_BYTE, at + SL));
    }

    public static void wrId(MemorySegment completions, long at, long value) {
        completions.set(JAVA_LONG, at + WR_ID, value);
    }

    public static void status(MemorySegment completions, long at, int value) {
        completions.set(JAVA_INT, at + STATUS, value);
    }

    public static void opcode(MemorySegment completions, long at, int value) {
        completions.set(JAVA_INT, at + OPCODE, value);
    }

    public static void vendorErr(MemorySegment completions, long at, int value) {
        completions.set(JAVA_INT, at + VENDOR_ERR, value);
    }

    public static void byteLen(MemorySegment completions, long at, int value) {
        completions.set(JAVA_INT, at + BYTE_LEN, value);
    }

    public static void qpNum(MemorySegment completions, long at, int value) {
        completions.set(JAVA_INT, at + QP_NUM, value);
    }

    public static void srcQp(MemorySegment completions, long at, int value) {
        completions.set(JAVA_INT, at + SRC_QP, value);
    }

    public static void wcFlags(MemorySegment completions, long at, int value) {
        completions.set(JAVA_INT, at + WC_FLAGS, value);
    }

    public static void slid(MemorySegment completions, long at, int value) {
        completions.set(JAVA_SHORT, at + SLID, (short) value);
    }

    public static void sl(MemorySegment completions, long at, int value) {
        completions.set(JAVA_BYTE, at + SL, (byte) value);
    }

    /** Of either of the two, as it is in memory. */
    public static void invalidatedRkey(MemorySegment completions, long at, int value) {
        completions.set(JAVA_INT, at + INVALIDATED_RKEY, value);
    }
}
