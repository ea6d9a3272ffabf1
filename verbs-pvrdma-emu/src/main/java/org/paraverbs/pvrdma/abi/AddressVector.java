// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG_BE;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct pvrdma_av}: where a datagram goes. GID halves are given in network byte order, high half first.
 */
public final class AddressVector {
    /** Bytes of {@code struct pvrdma_av}. */
    public static final int SIZE = 40;

    public static final int PORT_PD_OFFSET = 0;
    public static final int SL_TCLASS_FLOWLABEL_OFFSET = 4;
    public static final int DGID_OFFSET = 8;
    public static final int SRC_PATH_BITS_OFFSET = 24;
    public static final int GID_INDEX_OFFSET = 25;
    public static final int STAT_RATE_OFFSET = 26;
    public static final int HOP_LIMIT_OFFSET = 27;
    public static final int DMAC_OFFSET = 28;

    public static int portPd(MemorySegment s, long base) {
        return s.get(INT, base + PORT_PD_OFFSET);
    }

    public static void portPd(MemorySegment s, long base, int value) {
        s.set(INT, base + PORT_PD_OFFSET, value);
    }

    public static int slTclassFlowlabel(MemorySegment s, long base) {
        return s.get(INT, base + SL_TCLASS_FLOWLABEL_OFFSET);
    }

    public static void slTclassFlowlabel(MemorySegment s, long base, int value) {
        s.set(INT, base + SL_TCLASS_FLOWLABEL_OFFSET, value);
    }

    public static long dgidHigh(MemorySegment s, long base) {
        return s.get(LONG_BE, base + DGID_OFFSET);
    }

    public static void dgidHigh(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + DGID_OFFSET, value);
    }

    public static long dgidLow(MemorySegment s, long base) {
        return s.get(LONG_BE, base + DGID_OFFSET + 8);
    }

    public static void dgidLow(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + DGID_OFFSET + 8, value);
    }

    public static int srcPathBits(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SRC_PATH_BITS_OFFSET));
    }

    public static void srcPathBits(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SRC_PATH_BITS_OFFSET, (byte) value);
    }

    public static int gidIndex(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + GID_INDEX_OFFSET));
    }

    public static void gidIndex(MemorySegment s, long base, int value) {
        s.set(BYTE, base + GID_INDEX_OFFSET, (byte) value);
    }

    public static int statRate(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + STAT_RATE_OFFSET));
    }

    public static void statRate(MemorySegment s, long base, int value) {
        s.set(BYTE, base + STAT_RATE_OFFSET, (byte) value);
    }

    public static int hopLimit(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + HOP_LIMIT_OFFSET));
    }

    public static void hopLimit(MemorySegment s, long base, int value) {
        s.set(BYTE, base + HOP_LIMIT_OFFSET, (byte) value);
    }

    private AddressVector() {}
}
