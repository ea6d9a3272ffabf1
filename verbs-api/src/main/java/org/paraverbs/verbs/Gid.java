// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A global identifier: 128 bits with the form of an IPv6 address ({@code union ibv_gid}). On RoCE it holds the IPv6 or
 * the IPv4-mapped IPv4 address of the port.
 *
 * @param high the first eight bytes, the first being the most significant
 * @param low the last eight bytes, likewise
 */
public record Gid(long high, long low) {

    /** The size of a GID in bytes. */
    public static final int BYTES = 16;

    /** The GID of an unused table entry. */
    public static final Gid EMPTY = new Gid(0, 0);

    /**
     * The GID in 16 bytes in network order.
     *
     * @param bytes 16 bytes
     * @return the GID
     * @throws IllegalArgumentException if there are not 16 bytes
     */
    public static Gid of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a GID has 16 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Gid(buffer.getLong(), buffer.getLong());
    }

    /**
     * The GID that a RoCE port derives from an IP address.
     *
     * @param address an IPv6 address, or an IPv4 address, which is mapped to IPv6
     * @return the GID
     */
    public static Gid of(InetAddress address) {
        byte[] bytes = Objects.requireNonNull(address, "address").getAddress();
        if (bytes.length == BYTES) {
            return of(bytes);
        }
        return new Gid(
                0,
                0xffff_0000_0000L
                        | Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt()));
    }

    /** The 16 bytes in network order, in a new array. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
    }

    /** Whether all bits are zero, as in an unused table entry. */
    public boolean isEmpty() {
        return high == 0 && low == 0;
    }

    /** Whether this is an IPv4 address mapped to IPv6, {@code ::ffff:a.b.c.d}. */
    public boolean isIpv4Mapped() {
        return high == 0 && low >>> 32 == 0xffff;
    }

    /** Whether this is a link-local address, {@code fe80::/10}, which no router forwards. */
    public boolean isLinkLocal() {
        return high >>> 54 == 0x3fa;
    }

    /**
     * The GID as an IP address.
     *
     * @return an IPv4 address if {@link #isIpv4Mapped()}, else an IPv6 address
     */
    public InetAddress toInetAddress() {
        try {
            return InetAddress.getByAddress(toBytes());
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes always are an address", e);
        }
    }

    /** Eight groups of four hexadecimal digits, as in sysfs: {@code fe80:0000:0000:0000:0250:56ff:fe00:0001}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(39);
        for (int group = 0; group < 8; group++) {
            long half = group < 4 ? high : low;
            int digits = (int) (half >>> (48 - 16 * (group & 3))) & 0xffff;
            if (group > 0) {
                text.append(':');
            }
            text.append(Integer.toHexString(0x10000 | digits), 1, 5);
        }
        return text.toString();
    }
}
