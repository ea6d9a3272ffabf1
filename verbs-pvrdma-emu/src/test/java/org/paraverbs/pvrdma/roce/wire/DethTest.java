// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class DethTest {
    @Test
    void readsWhatWasCaptured() {
        Packet packet = Capture.frame(29).parsed();
        assertThat(packet.opcode()).isEqualTo(Opcode.UD | Opcode.SEND_ONLY_WITH_IMMEDIATE);
        assertThat(Deth.qkey(packet.segment(), packet.deth())).isEqualTo(0x11111111);
        assertThat(Deth.sourceQpn(packet.segment(), packet.deth())).isEqualTo(0x52);
    }

    @Test
    void writesTheSameBytes() {
        byte[] bytes = new byte[Deth.SIZE];
        Deth.write(MemorySegment.ofArray(bytes), 0, 0x11111111, 0x52);
        assertThat(bytes)
                .isEqualTo(Capture.frame(29).slice(Capture.frame(29).parsed().deth(), Deth.SIZE));
    }
}
