// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class AtomicAckEthTest {
    @Test
    void readsWhatWasCaptured() {
        Packet packet = Capture.frame(22).parsed();
        assertThat(packet.opcode()).isEqualTo(Opcode.RC | Opcode.ATOMIC_ACKNOWLEDGE);
        assertThat(AtomicAckEth.original(packet.segment(), packet.atomicAckEth()))
                .isZero();
        assertThat(packet.atomicAckEth() + AtomicAckEth.SIZE).isEqualTo(packet.payload());
        assertThat(Aeth.msn(packet.segment(), packet.aeth())).isEqualTo(3);
    }

    @Test
    void writesWhatItReads() {
        MemorySegment s = MemorySegment.ofArray(new byte[AtomicAckEth.SIZE]);
        AtomicAckEth.write(s, 0, 0x0102030405060708L);
        assertThat(AtomicAckEth.original(s, 0)).isEqualTo(0x0102030405060708L);
        assertThat(Fields.u8(s, 0)).isEqualTo(1);
    }
}
