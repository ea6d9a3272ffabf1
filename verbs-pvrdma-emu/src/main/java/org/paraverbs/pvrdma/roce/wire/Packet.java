// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/**
 * A packet that lies in a buffer, from the base transport header to the invariant CRC: where its headers and payload are. Made once
 * and used for one packet after the other; one thread at a time.
 */
public final class Packet {
    /** Bytes of the largest payload: that of the largest path MTU. */
    public static final int MAX_PAYLOAD = 4096;

    /** Bytes that no packet is longer than: the longest headers before a payload, and the payload with its CRC. */
    public static final int MAX_SIZE = Bth.SIZE + Reth.SIZE + ImmDt.SIZE + MAX_PAYLOAD + Icrc.SIZE;

    /** What {@link #parse} found. */
    public enum Fault {
        /** The packet can be read. */
        NONE,
        /** Too short for its headers, longer than any packet, or not of whole words. */
        LENGTH,
        /** Another version of the header. */
        VERSION,
        /** An opcode that these services do not have. */
        OPCODE,
        /** More padding than payload, or a payload that the opcode does not have, or a larger one than any MTU. */
        PAYLOAD
    }

    private static final int WORD = 4;

    private MemorySegment segment = MemorySegment.NULL;
    private long base;
    private int opcode;
    private int payloadLength;
    private int headerLength;

    /** A packet that is none yet. */
    public Packet() {}

    /**
     * Looks at bytes that came from outside.
     *
     * @param s where they lie; read again by the other methods, so nobody else may write there
     * @param at the first byte
     * @param length bytes from there to the end of the invariant CRC, which is not checked here
     * @return {@link Fault#NONE}, or what is wrong, after which nothing may be asked of the packet
     */
    public Fault parse(MemorySegment s, long at, long length) {
        if (length < Bth.SIZE + Icrc.SIZE || length > MAX_SIZE || length % WORD != 0) {
            return Fault.LENGTH;
        }
        if (Bth.version(s, at) != 0) {
            return Fault.VERSION;
        }
        int code = Bth.opcode(s, at);
        if (!Opcode.isKnown(code)) {
            return Fault.OPCODE;
        }
        int headers = Bth.SIZE + Opcode.extendedHeaderBytes(code);
        int padded = (int) length - headers - Icrc.SIZE;
        if (padded < 0) {
            return Fault.LENGTH;
        }
        int payload = padded - Bth.pad(s, at);
        if (payload < 0 || payload > MAX_PAYLOAD || (padded != 0 && !Opcode.mayHavePayload(code))) {
            return Fault.PAYLOAD;
        }
        segment = s;
        base = at;
        opcode = code;
        headerLength = headers;
        payloadLength = payload;
        return Fault.NONE;
    }

    /** Where the packet lies. */
    public MemorySegment segment() {
        return segment;
    }

    /** One of {@link Opcode}. */
    public int opcode() {
        return opcode;
    }

    /** Where the {@link Bth} is. */
    public long base() {
        return base;
    }

    /** Where the {@link Reth} is, if the opcode has one: the first of the extended headers. */
    public long reth() {
        return base + Bth.SIZE;
    }

    /** Where the {@link AtomicEth} is, if the opcode has one. */
    public long atomicEth() {
        return base + Bth.SIZE;
    }

    /** Where the {@link Aeth} is, if the opcode has one. */
    public long aeth() {
        return base + Bth.SIZE;
    }

    /** Where the {@link AtomicAckEth} is, if the opcode has one. */
    public long atomicAckEth() {
        return base + Bth.SIZE + Aeth.SIZE;
    }

    /** Where the {@link Deth} is, if the opcode has one. */
    public long deth() {
        return base + Bth.SIZE;
    }

    /** Where the {@link ImmDt} or {@link Ieth} is, if the opcode has one: the last of the extended headers. */
    public long immediateOrInvalidate() {
        return base + headerLength - ImmDt.SIZE;
    }

    /** Where the payload begins. */
    public long payload() {
        return base + headerLength;
    }

    /** Bytes of the payload, without padding. */
    public int payloadLength() {
        return payloadLength;
    }
}
