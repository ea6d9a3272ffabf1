// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The IPv4 header without options (RFC 791, section 3.1; the traffic class by RFC 2474 and RFC 3168). */
public final class Ipv4Header {
    /** Bytes of a header without options. */
    public static final int SIZE = 20;

    public static final int VERSION_OFFSET = 0;
    public static final int TRAFFIC_CLASS_OFFSET = 1;
    public static final int TOTAL_LENGTH_OFFSET = 2;
    public static final int IDENTIFICATION_OFFSET = 4;
    public static final int FRAGMENT_OFFSET = 6;
    public static final int TIME_TO_LIVE_OFFSET = 8;
    public static final int PROTOCOL_OFFSET = 9;
    public static final int CHECKSUM_OFFSET = 10;
    public static final int SOURCE_OFFSET = 12;
    public static final int DESTINATION_OFFSET = 16;

    /** Version 4, five words of header: what {@link #versionAndLength} is without options. */
    public static final int VERSION_4_NO_OPTIONS = 0x45;

    /** The bit of {@link #fragment} that says: do not fragment. */
    public static final int DONT_FRAGMENT = 0x4000;

    /** The protocol number of UDP. */
    public static final int PROTOCOL_UDP = 17;

    public static int versionAndLength(MemorySegment s, long base) {
        return Fields.u8(s, base + VERSION_OFFSET);
    }

    public static int trafficClass(MemorySegment s, long base) {
        return Fields.u8(s, base + TRAFFIC_CLASS_OFFSET);
    }

    public static int totalLength(MemorySegment s, long base) {
        return Fields.u16(s, base + TOTAL_LENGTH_OFFSET);
    }

    public static int identification(MemorySegment s, long base) {
        return Fields.u16(s, base + IDENTIFICATION_OFFSET);
    }

    /** Three flags and the fragment offset. */
    public static int fragment(MemorySegment s, long base) {
        return Fields.u16(s, base + FRAGMENT_OFFSET);
    }

    public static int timeToLive(MemorySegment s, long base) {
        return Fields.u8(s, base + TIME_TO_LIVE_OFFSET);
    }

    public static int protocol(MemorySegment s, long base) {
        return Fields.u8(s, base + PROTOCOL_OFFSET);
    }

    public static int checksum(MemorySegment s, long base) {
        return Fields.u16(s, base + CHECKSUM_OFFSET);
    }

    public static int source(MemorySegment s, long base) {
        return Fields.i32(s, base + SOURCE_OFFSET);
    }

    public static int destination(MemorySegment s, long base) {
        return Fields.i32(s, base + DESTINATION_OFFSET);
    }

    /**
     * Writes a header, its checksum included, of a UDP datagram that is not to be fragmented.
     *
     * @param trafficClass DSCP and ECN, 8 bits
     * @param totalLength bytes of header and datagram, 16 bits
     * @param identification 16 bits
     * @param timeToLive 8 bits
     */
    public static void write(
            MemorySegment s,
            long base,
            int trafficClass,
            int totalLength,
            int identification,
            int timeToLive,
            int source,
            int destination) {
        Fields.u8(s, base + VERSION_OFFSET, VERSION_4_NO_OPTIONS);
        Fields.u8(s, base + TRAFFIC_CLASS_OFFSET, trafficClass);
        Fields.u16(s, base + TOTAL_LENGTH_OFFSET, totalLength);
        Fields.u16(s, base + IDENTIFICATION_OFFSET, identification);
        Fields.u16(s, base + FRAGMENT_OFFSET, DONT_FRAGMENT);
        Fields.u8(s, base + TIME_TO_LIVE_OFFSET, timeToLive);
        Fields.u8(s, base + PROTOCOL_OFFSET, PROTOCOL_UDP);
        Fields.u16(s, base + CHECKSUM_OFFSET, 0);
        Fields.i32(s, base + SOURCE_OFFSET, source);
        Fields.i32(s, base + DESTINATION_OFFSET, destination);
        Fields.u16(s, base + CHECKSUM_OFFSET, computeChecksum(s, base));
    }

    /** The checksum that the header as it lies there would need, whatever its checksum field says (RFC 1071). */
    public static int computeChecksum(MemorySegment s, long base) {
        int sum = 0;
        for (int at = 0; at < SIZE; at += Short.BYTES) {
            if (at != CHECKSUM_OFFSET) {
                sum += Fields.u16(s, base + at);
            }
        }
        // ten numbers of 16 bits: two turns take every carry back in
        sum = (sum & 0xffff) + (sum >>> Short.SIZE);
        sum = (sum & 0xffff) + (sum >>> Short.SIZE);
        return ~sum & 0xffff;
    }

    private Ipv4Header() {}
}
