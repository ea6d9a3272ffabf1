// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The UDP header (RFC 768). */
public final class UdpHeader {
    /** Bytes of the header. */
    public static final int SIZE = 8;

    /** The destination port of RoCE v2 (IBTA annex A17, section A17.4.1; IANA {@code roce}). */
    public static final int ROCE_PORT = 4791;

    public static final int SOURCE_PORT_OFFSET = 0;
    public static final int DESTINATION_PORT_OFFSET = 2;
    public static final int LENGTH_OFFSET = 4;
    public static final int CHECKSUM_OFFSET = 6;

    public static int sourcePort(MemorySegment s, long base) {
        return Fields.u16(s, base + SOURCE_PORT_OFFSET);
    }

    public static int destinationPort(MemorySegment s, long base) {
        return Fields.u16(s, base + DESTINATION_PORT_OFFSET);
    }

    /** Bytes of header and payload. */
    public static int length(MemorySegment s, long base) {
        return Fields.u16(s, base + LENGTH_OFFSET);
    }

    /** The checksum; 0 for none, which RoCE v2 permits (IBTA annex A17, section A17.4.1.4). */
    public static int checksum(MemorySegment s, long base) {
        return Fields.u16(s, base + CHECKSUM_OFFSET);
    }

    /**
     * Writes a header without a checksum.
     *
     * @param length bytes of header and payload, 16 bits
     */
    public static void write(MemorySegment s, long base, int sourcePort, int destinationPort, int length) {
        Fields.u16(s, base + SOURCE_PORT_OFFSET, sourcePort);
        Fields.u16(s, base + DESTINATION_PORT_OFFSET, destinationPort);
        Fields.u16(s, base + LENGTH_OFFSET, length);
        Fields.u16(s, base + CHECKSUM_OFFSET, 0);
    }

    private UdpHeader() {}
}
