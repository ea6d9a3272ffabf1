// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static java.nio.ByteOrder.BIG_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.abi.Grh;
import org.paraverbs.pvrdma.abi.NetworkType;

/**
 * The 40 bytes that precede a datagram's payload in the receiver's memory: a global route header (IBTA volume 1, section 8.3)
 * for RoCE v1; for RoCE v2 the IPv6 header, which has the same form, or an IPv4 header in the last 20 bytes, the first
 * 20 being of no meaning (IBTA annex A17, section A17.4.5.2). {@code ibv_init_ah_from_wc} reads the sender's
 * address from it.
 */
final class DatagramHeader {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN);

    private static final long MAPPED = 0xffff; // ::ffff:0:0/96, RFC 4291
    private static final int NEXT_HEADER_IBA = 0x1b;
    private static final int NEXT_HEADER_UDP = 17;
    private static final int IPV4_BYTES = 20;
    private static final int DONT_FRAGMENT = 0x4000;

    /** Base and datagram extended transport headers, and the invariant CRC. */
    private static final int TRANSPORT_BYTES = 12 + 8 + 4;

    private static final int IMMEDIATE_BYTES = 4;
    private static final int UDP_BYTES = 8;

    /** The network layer that carries a datagram between two GIDs. */
    static int networkType(int gidType, long sgidHigh, long sgidLow, long dgidHigh, long dgidLow) {
        if (gidType == GidType.ROCE_V1) {
            return NetworkType.ROCE_V1;
        }
        return isIpv4(sgidHigh, sgidLow) && isIpv4(dgidHigh, dgidLow) ? NetworkType.IPV4 : NetworkType.IPV6;
    }

    /** Whether a GID is an IPv4 address. */
    static boolean isIpv4(long high, long low) {
        return high == 0 && low >>> Integer.SIZE == MAPPED;
    }

    /**
     * Writes the header.
     *
     * @param trafficClassAndFlow traffic class and flow label, as the low 28 bits
     */
    static void write(
            MemorySegment s,
            long at,
            int networkType,
            long sgidHigh,
            long sgidLow,
            long dgidHigh,
            long dgidLow,
            int trafficClassAndFlow,
            int hopLimit,
            int payloadBytes,
            boolean withImmediate) {
        int padded = (payloadBytes + 3) & ~3;
        int transport = TRANSPORT_BYTES + padded + (withImmediate ? IMMEDIATE_BYTES : 0);
        if (networkType == NetworkType.IPV4) {
            s.set(INT, at, 0);
            s.set(INT, at + 4, 0);
            s.set(INT, at + 8, 0);
            s.set(INT, at + 12, 0);
            s.set(INT, at + 16, 0);
            writeIpv4(
                    s,
                    at + Grh.SIZE - IPV4_BYTES,
                    trafficClassAndFlow >>> 20,
                    IPV4_BYTES + UDP_BYTES + transport,
                    hopLimit,
                    (int) sgidLow,
                    (int) dgidLow);
            return;
        }
        boolean udp = networkType == NetworkType.IPV6;
        Grh.versionTclassFlow(s, at, 6 << 28 | trafficClassAndFlow);
        Grh.paylen(s, at, transport + (udp ? UDP_BYTES : 0));
        Grh.nextHdr(s, at, udp ? NEXT_HEADER_UDP : NEXT_HEADER_IBA);
        Grh.hopLimit(s, at, hopLimit);
        Grh.sgidHigh(s, at, sgidHigh);
        Grh.sgidLow(s, at, sgidLow);
        Grh.dgidHigh(s, at, dgidHigh);
        Grh.dgidLow(s, at, dgidLow);
    }

    /** RFC 791, section 3.1. */
    private static void writeIpv4(
            MemorySegment s, long at, int typeOfService, int totalBytes, int timeToLive, int source, int destination) {
        int first = 0x45 << 24 | typeOfService << 16 | totalBytes;
        int third = timeToLive << 24 | NEXT_HEADER_UDP << 16;
        int sum = halves(first) + halves(DONT_FRAGMENT) + halves(third) + halves(source) + halves(destination);
        sum = halves(sum);
        sum = halves(sum); // what the first addition carried
        s.set(INT, at, first);
        s.set(INT, at + 4, DONT_FRAGMENT);
        s.set(INT, at + 8, third | (~sum & 0xffff));
        s.set(INT, at + 12, source);
        s.set(INT, at + 16, destination);
    }

    private static int halves(int word) {
        return (word >>> 16) + (word & 0xffff);
    }

    private DatagramHeader() {}
}
