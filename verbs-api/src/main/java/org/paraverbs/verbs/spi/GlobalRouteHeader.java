// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static java.nio.ByteOrder.BIG_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.QueuePair;

/**
 * What stands in front of a received datagram: a global route header, which has the form of an IPv6 header (InfiniBand
 * Architecture Specification, volume 1, 8.3), or of RoCE v2 over IPv4 an IPv4 header in the last 20 of the 40 bytes
 * (annex A17.4.5.2).
 *
 * @param source where it came from
 * @param destination what it was sent to
 * @param trafficClass the traffic class, or the type of service of IPv4
 * @param flowLabel the flow label, 0 of IPv4
 * @param isIpv4 whether it was an IPv4 header
 */
record GlobalRouteHeader(Gid source, Gid destination, int trafficClass, int flowLabel, boolean isIpv4) {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN);

    private static final long IPV4_AT = 20;
    private static final long IPV4_MAPPED = 0xffffL << 32;

    /**
     * Reads a header.
     *
     * @param bytes the bytes in front of the datagram
     * @return the header
     * @throws IllegalArgumentException if they are none
     */
    static GlobalRouteHeader read(MemorySegment bytes) {
        if (bytes.byteSize() < QueuePair.GLOBAL_ROUTE_HEADER_BYTES) {
            throw new IllegalArgumentException("a global route header has " + QueuePair.GLOBAL_ROUTE_HEADER_BYTES
                    + " bytes, not " + bytes.byteSize());
        }
        int ipv6 = bytes.get(INT, 0);
        int ipv4 = bytes.get(INT, IPV4_AT);
        // In an IPv6 header those are bytes of the source's GID. As libibverbs does it: a header of either kind says
        // so.
        if (ipv4 >>> 24 == 0x45 && ipv6 >>> 28 != 6) {
            return new GlobalRouteHeader(
                    mapped(bytes.get(INT, IPV4_AT + 12)),
                    mapped(bytes.get(INT, IPV4_AT + 16)),
                    ipv4 >>> 16 & 0xff,
                    0,
                    true);
        }
        if (ipv6 >>> 28 != 6) {
            throw new IllegalArgumentException(
                    "the bytes in front of the datagram are neither an IPv6 nor an IPv4 header");
        }
        return new GlobalRouteHeader(
                new Gid(bytes.get(LONG, 8), bytes.get(LONG, 16)),
                new Gid(bytes.get(LONG, 24), bytes.get(LONG, 32)),
                ipv6 >>> 20 & 0xff,
                ipv6 & 0xfffff,
                false);
    }

    private static Gid mapped(int ipv4) {
        return new Gid(0, IPV4_MAPPED | Integer.toUnsignedLong(ipv4));
    }
}
