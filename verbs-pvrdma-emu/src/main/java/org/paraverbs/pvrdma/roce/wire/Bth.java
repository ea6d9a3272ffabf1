// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The base transport header (IBTA volume 1, section 9.2), which every packet begins with. */
public final class Bth {
    /** Bytes of the header. */
    public static final int SIZE = 12;

    public static final int OPCODE_OFFSET = 0;
    public static final int FLAGS_OFFSET = 1;
    public static final int PKEY_OFFSET = 2;

    /** The byte with the congestion bits, which the {@link Icrc} does not cover. */
    public static final int CONGESTION_OFFSET = 4;

    public static final int ACK_REQUEST_OFFSET = 8;

    /** Bytes of padding at most: payloads end on a word. */
    public static final int MAX_PAD = 3;

    private static final int SOLICITED = 0x80;
    private static final int MIGRATED = 0x40;
    private static final int PAD_SHIFT = 4;
    private static final int VERSION_MASK = 0xf;
    private static final int FORWARD_CONGESTION = 0x80;
    private static final int BACKWARD_CONGESTION = 0x40;
    private static final int ACK_REQUEST = 0x80;

    /** What the packet is: one of {@link Opcode}. */
    public static int opcode(MemorySegment s, long base) {
        return Fields.u8(s, base + OPCODE_OFFSET);
    }

    /** Whether the responder is to raise a solicited event. */
    public static boolean isSolicited(MemorySegment s, long base) {
        return (Fields.u8(s, base + FLAGS_OFFSET) & SOLICITED) != 0;
    }

    /** Whether the sender's path has migrated. Without path migration it always has (section 17.2.8). */
    public static boolean isMigrated(MemorySegment s, long base) {
        return (Fields.u8(s, base + FLAGS_OFFSET) & MIGRATED) != 0;
    }

    /** Bytes, 0 to 3, that follow the payload so that it ends on a word. */
    public static int pad(MemorySegment s, long base) {
        return (Fields.u8(s, base + FLAGS_OFFSET) >>> PAD_SHIFT) & MAX_PAD;
    }

    /** The version of the header: 0. */
    public static int version(MemorySegment s, long base) {
        return Fields.u8(s, base + FLAGS_OFFSET) & VERSION_MASK;
    }

    public static int pkey(MemorySegment s, long base) {
        return Fields.u16(s, base + PKEY_OFFSET);
    }

    /** Whether the network was congested on the way here. */
    public static boolean isForwardCongested(MemorySegment s, long base) {
        return (Fields.u8(s, base + CONGESTION_OFFSET) & FORWARD_CONGESTION) != 0;
    }

    /** Whether the network was congested on the way of what this answers. */
    public static boolean isBackwardCongested(MemorySegment s, long base) {
        return (Fields.u8(s, base + CONGESTION_OFFSET) & BACKWARD_CONGESTION) != 0;
    }

    /** Sets the bit that says that congestion was noticed; see {@link Opcode#CONGESTION_NOTIFICATION}. */
    public static void markBackwardCongested(MemorySegment s, long base) {
        long at = base + CONGESTION_OFFSET;
        Fields.u8(s, at, Fields.u8(s, at) | BACKWARD_CONGESTION);
    }

    /** Number of the queue pair that the packet is for, 24 bits. */
    public static int destinationQpn(MemorySegment s, long base) {
        return Fields.low24(s, base + CONGESTION_OFFSET);
    }

    /** Whether the responder is to acknowledge. */
    public static boolean isAckRequested(MemorySegment s, long base) {
        return (Fields.u8(s, base + ACK_REQUEST_OFFSET) & ACK_REQUEST) != 0;
    }

    /** Packet sequence number, 24 bits. */
    public static int psn(MemorySegment s, long base) {
        return Fields.low24(s, base + ACK_REQUEST_OFFSET);
    }

    /** Writes a header of version 0 without congestion bits, in the state of path migration that says: migrated. */
    public static void write(
            MemorySegment s,
            long base,
            int opcode,
            boolean solicited,
            int pad,
            int pkey,
            int destinationQpn,
            boolean ackRequested,
            int psn) {
        Fields.u8(s, base + OPCODE_OFFSET, opcode);
        Fields.u8(s, base + FLAGS_OFFSET, (solicited ? SOLICITED : 0) | MIGRATED | (pad << PAD_SHIFT));
        Fields.u16(s, base + PKEY_OFFSET, pkey);
        Fields.byteAnd24(s, base + CONGESTION_OFFSET, 0, destinationQpn);
        Fields.byteAnd24(s, base + ACK_REQUEST_OFFSET, ackRequested ? ACK_REQUEST : 0, psn);
    }

    private Bth() {}
}
