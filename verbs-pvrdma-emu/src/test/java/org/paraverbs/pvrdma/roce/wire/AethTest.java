// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class AethTest {
    @Test
    void readsAnAcknowledgement() {
        Packet packet = Capture.frame(2).parsed();
        assertThat(packet.opcode()).isEqualTo(Opcode.RC | Opcode.ACKNOWLEDGE);
        assertThat(Aeth.kind(packet.segment(), packet.aeth())).isEqualTo(Aeth.ACK);
        assertThat(Aeth.value(packet.segment(), packet.aeth())).isEqualTo(Aeth.NO_CREDIT_COUNT);
        assertThat(Aeth.msn(packet.segment(), packet.aeth())).isEqualTo(1);
    }

    @Test
    void readsThatThereIsNoReceive() {
        Packet packet = Capture.frame(1).parsed();
        assertThat(Aeth.kind(packet.segment(), packet.aeth())).isEqualTo(Aeth.RNR_NAK);
        assertThat(Aeth.value(packet.segment(), packet.aeth())).isEqualTo(12);
        assertThat(Aeth.msn(packet.segment(), packet.aeth())).isZero();
    }

    @Test
    void readsARefusal() {
        Packet packet = Capture.frame(24).parsed();
        assertThat(Aeth.kind(packet.segment(), packet.aeth())).isEqualTo(Aeth.NAK);
        assertThat(Aeth.value(packet.segment(), packet.aeth())).isEqualTo(Aeth.REMOTE_ACCESS_ERROR);
        assertThat(Aeth.msn(packet.segment(), packet.aeth())).isEqualTo(2);
    }

    @Test
    void writesTheSameBytes() {
        byte[] bytes = new byte[Aeth.SIZE];
        Aeth.write(MemorySegment.ofArray(bytes), 0, Aeth.NAK, Aeth.REMOTE_ACCESS_ERROR, 2);
        assertThat(bytes)
                .isEqualTo(Capture.frame(24).slice(Capture.frame(24).parsed().aeth(), Aeth.SIZE));
    }
}
