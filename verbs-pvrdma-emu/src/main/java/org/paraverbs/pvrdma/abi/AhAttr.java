// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct pvrdma_ah_attr}: the path to the peer. The 6 bytes of the MAC address are at
 * {@link #DMAC_OFFSET}.
 */
public final class AhAttr {
    /** Bytes of {@code struct pvrdma_ah_attr}. */
    public static final int SIZE = 40;

    public static final int GRH_OFFSET = 0;
    public static final int DLID_OFFSET = 24;
    public static final int VLAN_ID_OFFSET = 26;
    public static final int SL_OFFSET = 28;
    public static final int SRC_PATH_BITS_OFFSET = 29;
    public static final int STATIC_RATE_OFFSET = 30;
    public static final int AH_FLAGS_OFFSET = 31;
    public static final int PORT_NUM_OFFSET = 32;
    public static final int DMAC_OFFSET = 33;

    public static int dlid(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + DLID_OFFSET));
    }

    public static void dlid(MemorySegment s, long base, int value) {
        s.set(SHORT, base + DLID_OFFSET, (short) value);
    }

    public static int vlanId(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + VLAN_ID_OFFSET));
    }

    public static void vlanId(MemorySegment s, long base, int value) {
        s.set(SHORT, base + VLAN_ID_OFFSET, (short) value);
    }

    public static int sl(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SL_OFFSET));
    }

    public static void sl(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SL_OFFSET, (byte) value);
    }

    public static int srcPathBits(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + SRC_PATH_BITS_OFFSET));
    }

    public static void srcPathBits(MemorySegment s, long base, int value) {
        s.set(BYTE, base + SRC_PATH_BITS_OFFSET, (byte) value);
    }

    public static int staticRate(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + STATIC_RATE_OFFSET));
    }

    public static void staticRate(MemorySegment s, long base, int value) {
        s.set(BYTE, base + STATIC_RATE_OFFSET, (byte) value);
    }

    public static int ahFlags(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + AH_FLAGS_OFFSET));
    }

    public static void ahFlags(MemorySegment s, long base, int value) {
        s.set(BYTE, base + AH_FLAGS_OFFSET, (byte) value);
    }

    public static int portNum(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + PORT_NUM_OFFSET));
    }

    public static void portNum(MemorySegment s, long base, int value) {
        s.set(BYTE, base + PORT_NUM_OFFSET, (byte) value);
    }

    private AhAttr() {}
}
