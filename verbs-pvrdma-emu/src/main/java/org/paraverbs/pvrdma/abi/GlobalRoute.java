// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG_BE;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct pvrdma_global_route}. GID halves are given in network byte order, high half first.
 */
public final class GlobalRoute {
    /** Bytes of {@code struct pvrdma_global_route}. */
    public static final int SIZE = 24;

    public static final int DGID_OFFSET = 0;
    public static final int FLOW_LABEL_OFFSET = 16;
    public static final int SGID_INDEX_OFFSET = 20;
    public static final int HOP_LIMIT_OFFSET = 21;
    public static final int TRAFFIC_CLASS_OFFSET = 22;

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

    public static int flowLabel(MemorySegment s, long base) {
        return s.get(INT, base + FLOW_LABEL_OFFSET);
    }

    public static void flowLabel(MemorySegment s, long base, int value) {
        s.set(INT, base + FLOW_LABEL_OFFSET, value);
    }

    public static int sgidIndex(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SGID_INDEX_OFFSET));
    }

    public static void sgidIndex(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SGID_INDEX_OFFSET, (byte) value);
    }

    public static int hopLimit(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + HOP_LIMIT_OFFSET));
    }

    public static void hopLimit(MemorySegment s, long base, int value) {
        s.set(BYTE, base + HOP_LIMIT_OFFSET, (byte) value);
    }

    public static int trafficClass(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + TRAFFIC_CLASS_OFFSET));
    }

    public static void trafficClass(MemorySegment s, long base, int value) {
        s.set(BYTE, base + TRAFFIC_CLASS_OFFSET, (byte) value);
    }

    private GlobalRoute() {}
}
