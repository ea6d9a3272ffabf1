// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;
import static org.paraverbs.pvrdma.abi.Layouts.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * A completion as it lies in the ring. The low 16 bits of {@code qp} are the queue pair's handle; a consumer
 * that does not know it is stuck for good.
 */
public final class Cqe {
    /** Bytes of {@code struct pvrdma_cqe}. */
    public static final int SIZE = 64;

    public static final int WR_ID_OFFSET = 0;
    public static final int QP_OFFSET = 8;
    public static final int OPCODE_OFFSET = 16;
    public static final int STATUS_OFFSET = 20;
    public static final int BYTE_LEN_OFFSET = 24;
    public static final int IMM_DATA_OFFSET = 28;
    public static final int SRC_QP_OFFSET = 32;
    public static final int WC_FLAGS_OFFSET = 36;
    public static final int VENDOR_ERR_OFFSET = 40;
    public static final int PKEY_INDEX_OFFSET = 44;
    public static final int SLID_OFFSET = 46;
    public static final int SL_OFFSET = 48;
    public static final int DLID_PATH_BITS_OFFSET = 49;
    public static final int PORT_NUM_OFFSET = 50;
    public static final int SMAC_OFFSET = 51;
    public static final int NETWORK_HDR_TYPE_OFFSET = 57;

    public static long wrId(MemorySegment s, long base) {
        return s.get(LONG, base + WR_ID_OFFSET);
    }

    public static void wrId(MemorySegment s, long base, long value) {
        s.set(LONG, base + WR_ID_OFFSET, value);
    }

    public static long qp(MemorySegment s, long base) {
        return s.get(LONG, base + QP_OFFSET);
    }

    public static void qp(MemorySegment s, long base, long value) {
        s.set(LONG, base + QP_OFFSET, value);
    }

    public static int opcode(MemorySegment s, long base) {
        return s.get(INT, base + OPCODE_OFFSET);
    }

    public static void opcode(MemorySegment s, long base, int value) {
        s.set(INT, base + OPCODE_OFFSET, value);
    }

    public static int status(MemorySegment s, long base) {
        return s.get(INT, base + STATUS_OFFSET);
    }

    public static void status(MemorySegment s, long base, int value) {
        s.set(INT, base + STATUS_OFFSET, value);
    }

    public static int byteLen(MemorySegment s, long base) {
        return s.get(INT, base + BYTE_LEN_OFFSET);
    }

    public static void byteLen(MemorySegment s, long base, int value) {
        s.set(INT, base + BYTE_LEN_OFFSET, value);
    }

    public static int immData(MemorySegment s, long base) {
        return s.get(INT, base + IMM_DATA_OFFSET);
    }

    public static void immData(MemorySegment s, long base, int value) {
        s.set(INT, base + IMM_DATA_OFFSET, value);
    }

    public static int srcQp(MemorySegment s, long base) {
        return s.get(INT, base + SRC_QP_OFFSET);
    }

    public static void srcQp(MemorySegment s, long base, int value) {
        s.set(INT, base + SRC_QP_OFFSET, value);
    }

    public static int wcFlags(MemorySegment s, long base) {
        return s.get(INT, base + WC_FLAGS_OFFSET);
    }

    public static void wcFlags(MemorySegment s, long base, int value) {
        s.set(INT, base + WC_FLAGS_OFFSET, value);
    }

    public static int vendorErr(MemorySegment s, long base) {
        return s.get(INT, base + VENDOR_ERR_OFFSET);
    }

    public static void vendorErr(MemorySegment s, long base, int value) {
        s.set(INT, base + VENDOR_ERR_OFFSET, value);
    }

    public static int pkeyIndex(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + PKEY_INDEX_OFFSET));
    }

    public static void pkeyIndex(MemorySegment s, long base, int value) {
        s.set(SHORT, base + PKEY_INDEX_OFFSET, (short) value);
    }

    public static int slid(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + SLID_OFFSET));
    }

    public static void slid(MemorySegment s, long base, int value) {
        s.set(SHORT, base + SLID_OFFSET, (short) value);
    }

    public static int sl(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SL_OFFSET));
    }

    public static void sl(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SL_OFFSET, (byte) value);
    }

    public static int dlidPathBits(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + DLID_PATH_BITS_OFFSET));
    }

    public static void dlidPathBits(MemorySegment s, long base, int value) {
        s.set(BYTE, base + DLID_PATH_BITS_OFFSET, (byte) value);
    }

    public static int portNum(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + PORT_NUM_OFFSET));
    }

    public static void portNum(MemorySegment s, long base, int value) {
        s.set(BYTE, base + PORT_NUM_OFFSET, (byte) value);
    }

    public static int networkHdrType(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + NETWORK_HDR_TYPE_OFFSET));
    }

    public static void networkHdrType(MemorySegment s, long base, int value) {
        s.set(BYTE, base + NETWORK_HDR_TYPE_OFFSET, (byte) value);
    }

    /**
     * Writes a whole completion, all 64 bytes, in words: port 1, everything else that is not named is zero.
     *
     * @param qp handle of the queue pair
     */
    public static void write(
            MemorySegment s,
            long base,
            long wrId,
            int qp,
            int opcode,
            int status,
            int byteLen,
            int immData,
            int srcQp,
            int wcFlags,
            int networkHdrType,
            int sl) {
        s.set(LONG, base + WR_ID_OFFSET, wrId);
        s.set(LONG, base + QP_OFFSET, qp);
        s.set(LONG, base + OPCODE_OFFSET, Layouts.pair(opcode, status));
        s.set(LONG, base + BYTE_LEN_OFFSET, Layouts.pair(byteLen, immData));
        s.set(LONG, base + SRC_QP_OFFSET, Layouts.pair(srcQp, wcFlags));
        s.set(LONG, base + VENDOR_ERR_OFFSET, 0L);
        s.set(LONG, base + SL_OFFSET, PORT_ONE | sl);
        s.set(LONG, base + SL_OFFSET + Long.BYTES, (long) networkHdrType << NETWORK_SHIFT);
    }

    private static final int NETWORK_SHIFT = (NETWORK_HDR_TYPE_OFFSET - SL_OFFSET - Long.BYTES) * Byte.SIZE;
    private static final long PORT_ONE = 1L << ((PORT_NUM_OFFSET - SL_OFFSET) * Byte.SIZE);

    private Cqe() {}
}
