// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * What a peer needs in order to connect to a queue pair: exchange it over any connection and give the peer's to
 * {@link QueuePair#connect(Endpoint)}.
 *
 * @param gid the GID of the port; empty on InfiniBand without a global route
 * @param gidType what packets sent with it look like
 * @param lid the LID of the port on InfiniBand, 0 on Ethernet
 * @param qpn the queue pair number, 24 bits
 * @param psn the packet sequence number that this side starts with, 24 bits
 * @param mtu the largest path MTU of this side
 * @param readDepth how many READs and atomics this side can have outstanding in either direction, 0 to 255
 */
public record Endpoint(Gid gid, GidType gidType, int lid, int qpn, int psn, Mtu mtu, int readDepth) {

    /** The version of the form that {@link #toBytes()} writes. */
    public static final int VERSION = 1;

    /** The size of {@link #toBytes()}. */
    public static final int BYTES = 32;

    /** Checks the ranges. */
    public Endpoint {
        Objects.requireNonNull(gid, "gid");
        Objects.requireNonNull(gidType, "gidType");
        Objects.requireNonNull(mtu, "mtu");
        if (qpn >>> 24 != 0 || psn >>> 24 != 0) {
            throw new IllegalArgumentException("queue pair and sequence numbers have 24 bits: 0x"
                    + Integer.toHexString(qpn) + ", 0x" + Integer.toHexString(psn));
        }
        if (lid >>> 16 != 0 || readDepth >>> 8 != 0) {
            throw new IllegalArgumentException(
                    "LID " + lid + " or read depth " + readDepth + " is out of range (16 and 8 bits)");
        }
    }

    /**
     * A stable form of {@link #BYTES} bytes in network order: version (1 byte), GID type (1), MTU code (1), read depth
     * (1), LID (2), two zero bytes, QPN (4), PSN (4), GID (16).
     *
     * @return a new array
     */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .put((byte) VERSION)
                .put((byte) gidType.code())
                .put((byte) mtu.code())
                .put((byte) readDepth)
                .putShort((short) lid)
                .putShort((short) 0)
                .putInt(qpn)
                .putInt(psn)
                .put(gid.toBytes())
                .array();
    }

    /**
     * Reads what {@link #toBytes()} wrote, on this or on another machine.
     *
     * @param bytes {@link #BYTES} bytes
     * @return the endpoint
     * @throws IllegalArgumentException if they are not as many, of another version, or out of range
     */
    public static Endpoint of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("an endpoint has " + BYTES + " bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int version = buffer.get();
        if (version != VERSION) {
            throw new IllegalArgumentException("the endpoint has version " + version + ", this side reads version "
                    + VERSION + ": use the same release on both sides");
        }
        GidType gidType = GidType.ofCode(buffer.get());
        Mtu mtu = Mtu.ofCode(buffer.get());
        int readDepth = Byte.toUnsignedInt(buffer.get());
        int lid = Short.toUnsignedInt(buffer.getShort());
        buffer.getShort();
        int qpn = buffer.getInt();
        int psn = buffer.getInt();
        byte[] gid = new byte[Gid.BYTES];
        buffer.get(gid);
        return new Endpoint(Gid.of(gid), gidType, lid, qpn, psn, mtu, readDepth);
    }
}
