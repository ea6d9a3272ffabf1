// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG_BE;

import java.lang.foreign.MemorySegment;

/**
 * CREATE_BIND: puts a GID in the GID table; the driver waits for no response.
 */
public final class CreateBind {
    /** Bytes of {@code struct pvrdma_cmd_create_bind}. */
    public static final int SIZE = 48;

    public static final int MTU_OFFSET = 16;
    public static final int VLAN_OFFSET = 20;
    public static final int INDEX_OFFSET = 24;
    public static final int NEW_GID_OFFSET = 28;
    public static final int GID_TYPE_OFFSET = 44;

    public static int mtu(MemorySegment s, long base) {
        return s.get(INT, base + MTU_OFFSET);
    }

    public static void mtu(MemorySegment s, long base, int value) {
        s.set(INT, base + MTU_OFFSET, value);
    }

    public static int vlan(MemorySegment s, long base) {
        return s.get(INT, base + VLAN_OFFSET);
    }

    public static void vlan(MemorySegment s, long base, int value) {
        s.set(INT, base + VLAN_OFFSET, value);
    }

    public static int index(MemorySegment s, long base) {
        return s.get(INT, base + INDEX_OFFSET);
    }

    public static void index(MemorySegment s, long base, int value) {
        s.set(INT, base + INDEX_OFFSET, value);
    }

    public static long newGidHigh(MemorySegment s, long base) {
        return s.get(LONG_BE, base + NEW_GID_OFFSET);
    }

    public static void newGidHigh(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + NEW_GID_OFFSET, value);
    }

    public static long newGidLow(MemorySegment s, long base) {
        return s.get(LONG_BE, base + NEW_GID_OFFSET + 8);
    }

    public static void newGidLow(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + NEW_GID_OFFSET + 8, value);
    }

    public static int gidType(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + GID_TYPE_OFFSET));
    }

    public static void gidType(MemorySegment s, long base, int value) {
        s.set(BYTE, base + GID_TYPE_OFFSET, (byte) value);
    }

    private CreateBind() {}
}
