// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Numbers as they lie in packets: big-endian, aligned to nothing. */
final class Fields {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int MASK_24 = 0xff_ffff;

    static int u8(MemorySegment s, long at) {
        return Byte.toUnsignedInt(s.get(ValueLayout.JAVA_BYTE, at));
    }

    static void u8(MemorySegment s, long at, int value) {
        s.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    static int u16(MemorySegment s, long at) {
        return Short.toUnsignedInt(s.get(SHORT, at));
    }

    static void u16(MemorySegment s, long at, int value) {
        s.set(SHORT, at, (short) value);
    }

    static int i32(MemorySegment s, long at) {
        return s.get(INT, at);
    }

    static void i32(MemorySegment s, long at, int value) {
        s.set(INT, at, value);
    }

    static long i64(MemorySegment s, long at) {
        return s.get(LONG, at);
    }

    static void i64(MemorySegment s, long at, long value) {
        s.set(LONG, at, value);
    }

    /** The low 24 bits of the word at {@code at}, whose first byte is another field. */
    static int low24(MemorySegment s, long at) {
        return i32(s, at) & MASK_24;
    }

    /** Writes the word at {@code at}: a byte and 24 bits. */
    static void byteAnd24(MemorySegment s, long at, int first, int low) {
        i32(s, at, (first << 24) | (low & MASK_24));
    }

    /** A number of 48 bits: a MAC address. */
    static long u48(MemorySegment s, long at) {
        return ((long) u16(s, at) << Integer.SIZE) | (i32(s, at + Short.BYTES) & 0xffff_ffffL);
    }

    static void u48(MemorySegment s, long at, long value) {
        u16(s, at, (int) (value >>> Integer.SIZE));
        i32(s, at + Short.BYTES, (int) value);
    }

    private Fields() {}
}
