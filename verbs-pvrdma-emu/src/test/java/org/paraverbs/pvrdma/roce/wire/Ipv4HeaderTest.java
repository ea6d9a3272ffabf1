// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class Ipv4HeaderTest {
    private static final int VETH0 = 0xc0a80701;
    private static final int VETH1 = 0xc0a80702;

    @Test
    void readsWhatWasCaptured() {
        Capture.Frame frame = Capture.frame(22);
        MemorySegment s = frame.segment();
        long at = frame.ip();
        assertThat(Ipv4Header.versionAndLength(s, at)).isEqualTo(Ipv4Header.VERSION_4_NO_OPTIONS);
        assertThat(Ipv4Header.trafficClass(s, at)).isZero();
        assertThat(Ipv4Header.totalLength(s, at)).isEqualTo(56);
        assertThat(Ipv4Header.identification(s, at)).isEqualTo(0x96b4);
        assertThat(Ipv4Header.fragment(s, at)).isEqualTo(Ipv4Header.DONT_FRAGMENT);
        assertThat(Ipv4Header.timeToLive(s, at)).isEqualTo(64);
        assertThat(Ipv4Header.protocol(s, at)).isEqualTo(Ipv4Header.PROTOCOL_UDP);
        assertThat(Ipv4Header.source(s, at)).isEqualTo(VETH1);
        assertThat(Ipv4Header.destination(s, at)).isEqualTo(VETH0);
    }

    @Test
    void itsChecksumIsThatOfEveryCapturedFrame() {
        assertThat(Capture.frames())
                .filteredOn(Capture.Frame::isIpv4)
                .hasSize(45)
                .allSatisfy(frame -> assertThat(Ipv4Header.computeChecksum(frame.segment(), frame.ip()))
                        .isEqualTo(Ipv4Header.checksum(frame.segment(), frame.ip())));
    }

    @Test
    void writesTheSameBytes() {
        byte[] bytes = new byte[Ipv4Header.SIZE];
        Ipv4Header.write(MemorySegment.ofArray(bytes), 0, 0, 56, 0x96b4, 64, VETH1, VETH0);
        Capture.Frame frame = Capture.frame(22);
        assertThat(bytes).isEqualTo(frame.slice(frame.ip(), Ipv4Header.SIZE));
    }
}
