// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * The invariant CRC of RoCE v2 (IBTA volume 1, section 7.8.1, and annex A17, section A17.3.3): that of Ethernet over the IP header,
 * the UDP header and the packet, where ones stand for what the network may change: traffic class, flow label, time to live or hop limit, both
 * checksums, and the byte with the congestion bits; eight bytes of ones stand for the local route header that InfiniBand
 * would have. It follows the packet, least significant byte first.
 *
 * <p>An object is for one way from an address to another and for one thread at a time. It allocates nothing after it is made.
 *
 * <p><b>The identification.</b> The CRC covers the identification of the IPv4 header and its flags, which a socket does not show.
 * {@link #check} first tries 0 and <em>do not fragment</em>, as we send. If that is not it, it asks whether any identification makes the
 * CRC right, which is possible since a CRC is linear: of the 32 bits 15 are left to find errors with. IPv6 has no identification, so there the
 * check is exact.
 */
public final class Icrc {
    /** Bytes of the CRC. */
    public static final int SIZE = 4;

    /** {@link #check}: the CRC is wrong. */
    public static final int WRONG = -1;

    private static final byte ONES = (byte) 0xff;
    private static final int LOCAL_ROUTE_BYTES = 8;
    private static final int POLYNOMIAL = 0xedb8_8320;
    private static final int ONE = 1 << 31;

    /** In the order of a CRC, bits of the header's third word that are unknown: identification, do not fragment. */
    private static final int UNKNOWN = 0x0040_ffff;

    private static final int DONT_FRAGMENT = 0x0040_0000;

    /** For each number of bytes, what takes back that so many bytes followed: x^-8n modulo the polynomial. */
    private static final int[] BACK =
            new int[Ipv4Header.SIZE + UdpHeader.SIZE + Packet.MAX_SIZE - Ipv4Header.IDENTIFICATION_OFFSET];

    static {
        BACK[0] = ONE;
        for (int i = 1; i < BACK.length; i++) {
            int back = BACK[i - 1];
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                back = back < 0 ? ((back ^ POLYNOMIAL) << 1) | 1 : back << 1;
            }
            BACK[i] = back;
        }
    }

    private final CRC32 crc = new CRC32();
    private final byte[] head;
    private final ByteBuffer fields;
    private final int ip;
    private final int udp;
    private final int bth;
    private final boolean ipv6;

    private Icrc(boolean ipv6) {
        this.ipv6 = ipv6;
        ip = LOCAL_ROUTE_BYTES;
        udp = ip + (ipv6 ? Ipv6Header.SIZE : Ipv4Header.SIZE);
        bth = udp + UdpHeader.SIZE;
        head = new byte[bth + Bth.SIZE];
        Arrays.fill(head, 0, LOCAL_ROUTE_BYTES, ONES);
        fields = ByteBuffer.wrap(head).order(ByteOrder.BIG_ENDIAN);
        fields.putShort(udp + UdpHeader.DESTINATION_PORT_OFFSET, (short) UdpHeader.ROCE_PORT);
        fields.putShort(udp + UdpHeader.CHECKSUM_OFFSET, (short) -1);
    }

    /**
     * For packets over IPv4.
     *
     * @param source the address that they come from
     * @param destination the address that they go to
     */
    public static Icrc ofIpv4(int source, int destination) {
        Icrc icrc = new Icrc(false);
        int ip = icrc.ip;
        icrc.head[ip + Ipv4Header.VERSION_OFFSET] = Ipv4Header.VERSION_4_NO_OPTIONS;
        icrc.head[ip + Ipv4Header.TRAFFIC_CLASS_OFFSET] = ONES;
        icrc.head[ip + Ipv4Header.TIME_TO_LIVE_OFFSET] = ONES;
        icrc.head[ip + Ipv4Header.PROTOCOL_OFFSET] = Ipv4Header.PROTOCOL_UDP;
        icrc.fields.putShort(ip + Ipv4Header.FRAGMENT_OFFSET, (short) Ipv4Header.DONT_FRAGMENT);
        icrc.fields.putShort(ip + Ipv4Header.CHECKSUM_OFFSET, (short) -1);
        icrc.fields.putInt(ip + Ipv4Header.SOURCE_OFFSET, source);
        icrc.fields.putInt(ip + Ipv4Header.DESTINATION_OFFSET, destination);
        return icrc;
    }

    /** For packets over IPv6, between two addresses. */
    public static Icrc ofIpv6(long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
        Icrc icrc = new Icrc(true);
        int ip = icrc.ip;
        icrc.fields.putInt(ip + Ipv6Header.VERSION_OFFSET, 0x6fff_ffff);
        icrc.head[ip + Ipv6Header.NEXT_HEADER_OFFSET] = Ipv4Header.PROTOCOL_UDP;
        icrc.head[ip + Ipv6Header.HOP_LIMIT_OFFSET] = ONES;
        icrc.fields.putLong(ip + Ipv6Header.SOURCE_OFFSET, sourceHigh);
        icrc.fields.putLong(ip + Ipv6Header.SOURCE_OFFSET + Long.BYTES, sourceLow);
        icrc.fields.putLong(ip + Ipv6Header.DESTINATION_OFFSET, destinationHigh);
        icrc.fields.putLong(ip + Ipv6Header.DESTINATION_OFFSET + Long.BYTES, destinationLow);
        return icrc;
    }

    /**
     * The CRC of a packet that is sent with identification 0 and <em>do not fragment</em>.
     *
     * @param packet where it lies, from index 0; its position and limit are changed
     * @param length bytes up to where the CRC is to be, {@link Bth#SIZE} to {@link Packet#MAX_SIZE} - {@link #SIZE}
     * @param sourcePort the UDP port that it is sent from
     */
    public int compute(ByteBuffer packet, int length, int sourcePort) {
        int datagram = UdpHeader.SIZE + length + SIZE;
        if (ipv6) {
            fields.putShort(ip + Ipv6Header.PAYLOAD_LENGTH_OFFSET, (short) datagram);
        } else {
            fields.putShort(ip + Ipv4Header.TOTAL_LENGTH_OFFSET, (short) (Ipv4Header.SIZE + datagram));
        }
        fields.putShort(udp + UdpHeader.SOURCE_PORT_OFFSET, (short) sourcePort);
        fields.putShort(udp + UdpHeader.LENGTH_OFFSET, (short) datagram);
        packet.clear();
        packet.get(head, bth, Bth.SIZE);
        head[bth + Bth.CONGESTION_OFFSET] = ONES;
        packet.limit(length);
        crc.reset();
        crc.update(head, 0, head.length);
        crc.update(packet);
        return (int) crc.getValue();
    }

    /**
     * Writes the CRC behind a packet; see {@link #compute}.
     *
     * @return bytes of the packet, CRC included
     */
    public int seal(ByteBuffer packet, int length, int sourcePort) {
        int value = compute(packet, length, sourcePort);
        packet.clear();
        packet.putInt(length, littleEndian(packet, value));
        return length + SIZE;
    }

    /**
     * Checks the CRC of a packet that came in.
     *
     * @param packet where it lies, from index 0; its position and limit are changed
     * @param length bytes, CRC included, {@link Bth#SIZE} + {@link #SIZE} to {@link Packet#MAX_SIZE}
     * @param sourcePort the UDP port that it came from
     * @return the identification that makes it right, 0 for IPv6, or {@link #WRONG}
     */
    public int check(ByteBuffer packet, int length, int sourcePort) {
        int end = length - SIZE;
        int difference = compute(packet, end, sourcePort);
        packet.clear();
        difference ^= littleEndian(packet, packet.getInt(end));
        if (difference == 0) {
            return 0;
        }
        return ipv6 ? WRONG : identification(difference, end);
    }

    /**
     * What identification and flag, instead of 0 and <em>do not fragment</em>, make a difference to the CRC.
     *
     * @param end bytes of the packet without its CRC
     */
    private static int identification(int difference, int end) {
        int followed = Ipv4Header.SIZE + UdpHeader.SIZE + end - Ipv4Header.IDENTIFICATION_OFFSET;
        int word = multiply(difference, BACK[followed]);
        if ((word & ~UNKNOWN) != 0) {
            return WRONG;
        }
        int first = word & 0xff;
        int second = (word >>> Byte.SIZE) & 0xff;
        // 0 with other flags than ours is an identification, too
        return (word & ~DONT_FRAGMENT) == 0 ? 0 : (first << Byte.SIZE) | second;
    }

    /** The product of two polynomials, whose bits are in the order of a CRC, modulo that of the CRC. */
    private static int multiply(int a, int b) {
        int product = 0;
        int factor = a;
        int power = b;
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            product ^= power & (factor >> 31);
            factor <<= 1;
            power = (power >>> 1) ^ (POLYNOMIAL & -(power & 1));
        }
        return product;
    }

    private static int littleEndian(ByteBuffer buffer, int value) {
        return buffer.order() == ByteOrder.LITTLE_ENDIAN ? value : Integer.reverseBytes(value);
    }
}
