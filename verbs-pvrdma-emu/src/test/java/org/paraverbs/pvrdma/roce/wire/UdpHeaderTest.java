// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class UdpHeaderTest {
    @Test
    void readsWhatWasCaptured() {
        Capture.Frame frame = Capture.frame(3);
        MemorySegment s = frame.segment();
        assertThat(UdpHeader.sourcePort(s, frame.udp())).isEqualTo(49476);
        assertThat(UdpHeader.destinationPort(s, frame.udp())).isEqualTo(UdpHeader.ROCE_PORT);
        assertThat(UdpHeader.length(s, frame.udp())).isEqualTo(36);
        assertThat(UdpHeader.checksum(s, frame.udp())).isZero();
    }

    @Test
    void writesTheSameBytes() {
        byte[] bytes = new byte[UdpHeader.SIZE];
        UdpHeader.write(MemorySegment.ofArray(bytes), 0, 49476, UdpHeader.ROCE_PORT, 36);
        Capture.Frame frame = Capture.frame(3);
        assertThat(bytes).isEqualTo(frame.slice(frame.udp(), UdpHeader.SIZE));
    }
}
