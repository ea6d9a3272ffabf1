// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class AtomicEthTest {
    @Test
    void readsWhatWasCaptured() {
        Packet packet = Capture.frame(21).parsed();
        MemorySegment s = packet.segment();
        assertThat(packet.opcode()).isEqualTo(Opcode.RC | Opcode.COMPARE_SWAP);
        assertThat(AtomicEth.address(s, packet.atomicEth())).isEqualTo(0x7f3195b30000L);
        assertThat(AtomicEth.rkey(s, packet.atomicEth())).isEqualTo(0x1519);
        assertThat(AtomicEth.swapOrAdd(s, packet.atomicEth())).isEqualTo(1);
        assertThat(AtomicEth.compare(s, packet.atomicEth())).isZero();
    }

    @Test
    void writesTheSameBytes() {
        byte[] bytes = new byte[AtomicEth.SIZE];
        AtomicEth.write(MemorySegment.ofArray(bytes), 0, 0x7f3195b30000L, 0x1519, 1, 0);
        assertThat(bytes)
                .isEqualTo(Capture.frame(21).slice(Capture.frame(21).parsed().atomicEth(), AtomicEth.SIZE));
    }

    @Test
    void everyFieldStandsForItself() {
        MemorySegment s = MemorySegment.ofArray(new byte[AtomicEth.SIZE]);
        AtomicEth.write(s, 0, 1L << 63, -2, Long.MAX_VALUE, Long.MIN_VALUE);
        assertThat(AtomicEth.address(s, 0)).isEqualTo(1L << 63);
        assertThat(AtomicEth.rkey(s, 0)).isEqualTo(-2);
        assertThat(AtomicEth.swapOrAdd(s, 0)).isEqualTo(Long.MAX_VALUE);
        assertThat(AtomicEth.compare(s, 0)).isEqualTo(Long.MIN_VALUE);
    }
}
