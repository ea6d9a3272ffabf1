// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The IPv6 header (RFC 8200, section 3). Addresses are two halves of 64 bits. */
public final class Ipv6Header {
    /** Bytes of the header. */
    public static final int SIZE = 40;

    public static final int VERSION_OFFSET = 0;
    public static final int PAYLOAD_LENGTH_OFFSET = 4;
    public static final int NEXT_HEADER_OFFSET = 6;
    public static final int HOP_LIMIT_OFFSET = 7;
    public static final int SOURCE_OFFSET = 8;
    public static final int DESTINATION_OFFSET = 24;

    private static final int VERSION_6 = 6 << 28;
    private static final int CLASS_SHIFT = 20;
    private static final int FLOW_MASK = (1 << CLASS_SHIFT) - 1;

    /** Bits that say which version of the protocol it is. */
    public static int version(MemorySegment s, long base) {
        return Fields.u8(s, base + VERSION_OFFSET) >>> 4;
    }

    public static int trafficClass(MemorySegment s, long base) {
        return (Fields.i32(s, base + VERSION_OFFSET) >>> CLASS_SHIFT) & 0xff;
    }

    public static int flowLabel(MemorySegment s, long base) {
        return Fields.i32(s, base + VERSION_OFFSET) & FLOW_MASK;
    }

    public static int payloadLength(MemorySegment s, long base) {
        return Fields.u16(s, base + PAYLOAD_LENGTH_OFFSET);
    }

    public static int nextHeader(MemorySegment s, long base) {
        return Fields.u8(s, base + NEXT_HEADER_OFFSET);
    }

    public static int hopLimit(MemorySegment s, long base) {
        return Fields.u8(s, base + HOP_LIMIT_OFFSET);
    }

    public static long sourceHigh(MemorySegment s, long base) {
        return Fields.i64(s, base + SOURCE_OFFSET);
    }

    public static long sourceLow(MemorySegment s, long base) {
        return Fields.i64(s, base + SOURCE_OFFSET + Long.BYTES);
    }

    public static long destinationHigh(MemorySegment s, long base) {
        return Fields.i64(s, base + DESTINATION_OFFSET);
    }

    public static long destinationLow(MemorySegment s, long base) {
        return Fields.i64(s, base + DESTINATION_OFFSET + Long.BYTES);
    }

    /**
     * Writes the header of a UDP datagram, all but the addresses.
     *
     * @param trafficClass DSCP and ECN, 8 bits
     * @param flowLabel 20 bits
     * @param payloadLength bytes that follow the header, 16 bits
     * @param hopLimit 8 bits
     */
    public static void write(
            MemorySegment s, long base, int trafficClass, int flowLabel, int payloadLength, int hopLimit) {
        Fields.i32(
                s, base + VERSION_OFFSET, VERSION_6 | ((trafficClass & 0xff) << CLASS_SHIFT) | (flowLabel & FLOW_MASK));
        Fields.u16(s, base + PAYLOAD_LENGTH_OFFSET, payloadLength);
        Fields.u8(s, base + NEXT_HEADER_OFFSET, Ipv4Header.PROTOCOL_UDP);
        Fields.u8(s, base + HOP_LIMIT_OFFSET, hopLimit);
    }

    /** Writes the addresses. */
    public static void addresses(
            MemorySegment s, long base, long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
        Fields.i64(s, base + SOURCE_OFFSET, sourceHigh);
        Fields.i64(s, base + SOURCE_OFFSET + Long.BYTES, sourceLow);
        Fields.i64(s, base + DESTINATION_OFFSET, destinationHigh);
        Fields.i64(s, base + DESTINATION_OFFSET + Long.BYTES, destinationLow);
    }

    private Ipv6Header() {}
}
