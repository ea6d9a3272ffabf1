// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT_BE;
import static org.paraverbs.pvrdma.abi.Layouts.LONG_BE;
import static org.paraverbs.pvrdma.abi.Layouts.SHORT_BE;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct pvrdma_grh}: the global route header that precedes the payload of a received datagram. Numbers are in network byte order.
 */
public final class Grh {
    /** Bytes of {@code struct pvrdma_grh}. */
    public static final int SIZE = 40;

    public static final int VERSION_TCLASS_FLOW_OFFSET = 0;
    public static final int PAYLEN_OFFSET = 4;
    public static final int NEXT_HDR_OFFSET = 6;
    public static final int HOP_LIMIT_OFFSET = 7;
    public static final int SGID_OFFSET = 8;
    public static final int DGID_OFFSET = 24;

    public static int versionTclassFlow(MemorySegment s, long base) {
        return s.get(INT_BE, base + VERSION_TCLASS_FLOW_OFFSET);
    }

    public static void versionTclassFlow(MemorySegment s, long base, int value) {
        s.set(INT_BE, base + VERSION_TCLASS_FLOW_OFFSET, value);
    }

    public static int paylen(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT_BE, base + PAYLEN_OFFSET));
    }

    public static void paylen(MemorySegment s, long base, int value) {
        s.set(SHORT_BE, base + PAYLEN_OFFSET, (short) value);
    }

    public static int nextHdr(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + NEXT_HDR_OFFSET));
    }

    public static void nextHdr(MemorySegment s, long base, int value) {
        s.set(BYTE, base + NEXT_HDR_OFFSET, (byte) value);
    }

    public static int hopLimit(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + HOP_LIMIT_OFFSET));
    }

    public static void hopLimit(MemorySegment s, long base, int value) {
        s.set(BYTE, base + HOP_LIMIT_OFFSET, (byte) value);
    }

    public static long sgidHigh(MemorySegment s, long base) {
        return s.get(LONG_BE, base + SGID_OFFSET);
    }

    public static void sgidHigh(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + SGID_OFFSET, value);
    }

    public static long sgidLow(MemorySegment s, long base) {
        return s.get(LONG_BE, base + SGID_OFFSET + 8);
    }

    public static void sgidLow(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + SGID_OFFSET + 8, value);
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

    private Grh() {}
}
