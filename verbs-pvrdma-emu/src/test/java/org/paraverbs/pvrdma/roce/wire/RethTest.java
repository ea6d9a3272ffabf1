// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class RethTest {
    @Test
    void readsWhatWasCaptured() {
        Packet packet = Capture.frame(15).parsed();
        assertThat(packet.opcode()).isEqualTo(Opcode.RC | Opcode.RDMA_READ_REQUEST);
        assertThat(Reth.address(packet.segment(), packet.reth())).isEqualTo(0x7f3195afe000L);
        assertThat(Reth.rkey(packet.segment(), packet.reth())).isEqualTo(0x115c);
        assertThat(Reth.length(packet.segment(), packet.reth())).isEqualTo(512);
    }

    @Test
    void writesTheSameBytes() {
        byte[] bytes = new byte[Reth.SIZE];
        Reth.write(MemorySegment.ofArray(bytes), 0, 0x7f3195afe000L, 0x115c, 512);
        assertThat(bytes)
                .isEqualTo(Capture.frame(15).slice(Capture.frame(15).parsed().reth(), Reth.SIZE));
    }

    @Test
    void aLengthIsNeverNegative() {
        MemorySegment s = MemorySegment.ofArray(new byte[Reth.SIZE]);
        Reth.write(s, 0, -1, -1, 0xffff_ffffL);
        assertThat(Reth.length(s, 0)).isEqualTo(0xffff_ffffL);
    }
}
