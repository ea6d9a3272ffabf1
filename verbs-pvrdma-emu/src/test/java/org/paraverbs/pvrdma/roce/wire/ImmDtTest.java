// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImmDtTest {
    /** A SEND, a datagram, and a SEND of an unreliable connection: behind other headers or alone. */
    @ParameterizedTest
    @ValueSource(ints = {3, 29, 42})
    void readsWhatWasCaptured(int frame) {
        Packet packet = Capture.frame(frame).parsed();
        assertThat(Opcode.hasImmediate(packet.opcode())).isTrue();
        assertThat(ImmDt.immediate(packet.segment(), packet.immediateOrInvalidate()))
                .isEqualTo(0x01020304);
    }

    @Test
    void writesTheSameBytes() {
        byte[] bytes = new byte[ImmDt.SIZE];
        ImmDt.write(MemorySegment.ofArray(bytes), 0, 0x01020304);
        assertThat(bytes)
                .isEqualTo(Capture.frame(3).slice(Capture.frame(3).parsed().immediateOrInvalidate(), 4));
    }
}
