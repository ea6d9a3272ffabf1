// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class RemoteBufferTest {

    @Test
    void theByteFormIsFixed() {
        assertThat(HexFormat.of().formatHex(new RemoteBuffer(0x7f00_0000_1000L, 0x1_0000_0002L, 0x0a0b_0c0d).toBytes()))
                .isEqualTo("00007f0000001000" + "0000000100000002" + "0a0b0c0d");
    }

    @Property
    void everyBufferSurvivesItsByteForm(
            @ForAll long address, @ForAll @LongRange(max = Long.MAX_VALUE) long length, @ForAll int rkey) {
        RemoteBuffer buffer = new RemoteBuffer(address, length, rkey);

        assertThat(RemoteBuffer.of(buffer.toBytes())).isEqualTo(buffer);
    }

    @Test
    void garbageIsRefusedWithTheReason() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RemoteBuffer.of(new byte[19]))
                .withMessage("a remote buffer has 20 bytes, not 19");
        byte[] negative = new byte[RemoteBuffer.BYTES];
        negative[8] = (byte) 0x80;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RemoteBuffer.of(negative))
                .withMessageContaining("cannot have -9223372036854775808 bytes");
    }
}
