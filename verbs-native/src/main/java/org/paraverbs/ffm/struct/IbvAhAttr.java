// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_ah_attr}: an address: the way to a remote port, {@code ibv_modify_qp(3)}. */
public final class IbvAhAttr {
    public static final long SIZE = 32;

    private static final long GRH = 0;
    private static final long DLID = 24;
    private static final long SL = 26;
    private static final long SRC_PATH_BITS = 27;
    private static final long STATIC_RATE = 28;
    private static final long IS_GLOBAL = 29;
    private static final long PORT_NUM = 30;

    private IbvAhAttr() {}

    public static MemorySegment grh(MemorySegment address) {
        return address.asSlice(GRH, IbvGlobalRoute.SIZE);
    }

    public static int dlid(MemorySegment address) {
        return Short.toUnsignedInt(address.get(JAVA_SHORT, DLID));
    }

    public static void dlid(MemorySegment address, int value) {
        address.set(JAVA_SHORT, DLID, (short) value);
    }

    public static int sl(MemorySegment address) {
        return Byte.toUnsignedInt(address.get(JAVA_BYTE, SL));
    }

    public static void sl(MemorySegment address, int value) {
        address.set(JAVA_BYTE, SL, (byte) value);
    }

    public static int srcPathBits(MemorySegment address) {
        return Byte.toUnsignedInt(address.get(JAVA_BYTE, SRC_PATH_BITS));
    }

    public static void srcPathBits(MemorySegment address, int value) {
        address.set(JAVA_BYTE, SRC_PATH_BITS, (byte) value);
    }

    public static int staticRate(MemorySegment address) {
        return Byte.toUnsignedInt(address.get(JAVA_BYTE, STATIC_RATE));
    }

    public static void staticRate(MemorySegment address, int value) {
        address.set(JAVA_BYTE, STATIC_RATE, (byte) value);
    }

    public static int isGlobal(MemorySegment address) {
        return Byte.toUnsignedInt(address.get(JAVA_BYTE, IS_GLOBAL));
    }

    public static void isGlobal(MemorySegment address, int value) {
        address.set(JAVA_BYTE, IS_GLOBAL, (byte) value);
    }

    public static int portNum(MemorySegment address) {
        return Byte.toUnsignedInt(address.get(JAVA_BYTE, PORT_NUM));
    }

    public static void portNum(MemorySegment address, int value) {
        address.set(JAVA_BYTE, PORT_NUM, (byte) value);
    }
}
