// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Not captured: no program here makes Soft-RoCE send one. */
class IethTest {
    @Test
    void followsTheBaseHeaderOfASendWithInvalidate() {
        byte[] bytes = new byte[Bth.SIZE + Ieth.SIZE + 4 + Icrc.SIZE];
        MemorySegment s = MemorySegment.ofArray(bytes);
        Bth.write(s, 0, Opcode.SEND_ONLY_WITH_INVALIDATE, false, 0, 0xffff, 1, true, 1);
        Ieth.write(s, Bth.SIZE, 0xabcdef01);
        Packet packet = new Packet();
        assertThat(packet.parse(s, 0, bytes.length)).isEqualTo(Packet.Fault.NONE);
        assertThat(Opcode.hasInvalidate(packet.opcode())).isTrue();
        assertThat(Ieth.rkey(s, packet.immediateOrInvalidate())).isEqualTo(0xabcdef01);
        assertThat(packet.payloadLength()).isEqualTo(4);
    }
}
