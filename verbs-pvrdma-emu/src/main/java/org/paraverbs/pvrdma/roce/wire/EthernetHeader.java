// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The Ethernet header (IEEE 802.3, clause 3.2), which only captures have. MAC addresses are the low 48 bits of a number. */
public final class EthernetHeader {
    /** Bytes of the header, without a VLAN tag. */
    public static final int SIZE = 14;

    public static final int DESTINATION_OFFSET = 0;
    public static final int SOURCE_OFFSET = 6;
    public static final int TYPE_OFFSET = 12;

    /** The type of {@link Ipv4Header IPv4}. */
    public static final int TYPE_IPV4 = 0x0800;

    /** The type of {@link Ipv6Header IPv6}. */
    public static final int TYPE_IPV6 = 0x86dd;

    public static long destination(MemorySegment s, long base) {
        return Fields.u48(s, base + DESTINATION_OFFSET);
    }

    public static void destination(MemorySegment s, long base, long mac) {
        Fields.u48(s, base + DESTINATION_OFFSET, mac);
    }

    public static long source(MemorySegment s, long base) {
        return Fields.u48(s, base + SOURCE_OFFSET);
    }

    public static void source(MemorySegment s, long base, long mac) {
        Fields.u48(s, base + SOURCE_OFFSET, mac);
    }

    public static int type(MemorySegment s, long base) {
        return Fields.u16(s, base + TYPE_OFFSET);
    }

    public static void type(MemorySegment s, long base, int value) {
        Fields.u16(s, base + TYPE_OFFSET, value);
    }

    private EthernetHeader() {}
}
