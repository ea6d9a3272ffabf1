// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class Ipv6HeaderTest {
    private static final long LINK_LOCAL = 0xfe80L << 48;
    private static final long VETH0 = 0x582011fffe69f8d6L;
    private static final long VETH1 = 0x202640fffea1afeaL;

    @Test
    void readsWhatWasCaptured() {
        Capture.Frame frame = Capture.frame(46);
        MemorySegment s = frame.segment();
        long at = frame.ip();
        assertThat(Ipv6Header.version(s, at)).isEqualTo(6);
        assertThat(Ipv6Header.trafficClass(s, at)).isZero();
        assertThat(Ipv6Header.flowLabel(s, at)).isZero();
        assertThat(Ipv6Header.payloadLength(s, at)).isEqualTo(40);
        assertThat(Ipv6Header.nextHeader(s, at)).isEqualTo(Ipv4Header.PROTOCOL_UDP);
        assertThat(Ipv6Header.hopLimit(s, at)).isEqualTo(64);
        assertThat(Ipv6Header.sourceHigh(s, at)).isEqualTo(LINK_LOCAL);
        assertThat(Ipv6Header.sourceLow(s, at)).isEqualTo(VETH0);
        assertThat(Ipv6Header.destinationHigh(s, at)).isEqualTo(LINK_LOCAL);
        assertThat(Ipv6Header.destinationLow(s, at)).isEqualTo(VETH1);
    }

    @Test
    void writesTheSameBytes() {
        byte[] bytes = new byte[Ipv6Header.SIZE];
        MemorySegment s = MemorySegment.ofArray(bytes);
        Ipv6Header.write(s, 0, 0, 0, 40, 64);
        Ipv6Header.addresses(s, 0, LINK_LOCAL, VETH0, LINK_LOCAL, VETH1);
        Capture.Frame frame = Capture.frame(46);
        assertThat(bytes).isEqualTo(frame.slice(frame.ip(), Ipv6Header.SIZE));
    }

    @Test
    void keepsClassAndFlowApart() {
        MemorySegment s = MemorySegment.ofArray(new byte[Ipv6Header.SIZE]);
        Ipv6Header.write(s, 0, 0xa5, 0xfedcb, 40, 64);
        assertThat(Ipv6Header.version(s, 0)).isEqualTo(6);
        assertThat(Ipv6Header.trafficClass(s, 0)).isEqualTo(0xa5);
        assertThat(Ipv6Header.flowLabel(s, 0)).isEqualTo(0xfedcb);
    }
}
