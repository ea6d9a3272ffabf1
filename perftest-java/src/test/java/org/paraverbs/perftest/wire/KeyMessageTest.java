// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.verbs.Gid;

class KeyMessageTest {
    // Captured from Debian 12's ib_write_bw between two Soft-RoCE devices.
    private static final String CAPTURED = "0000:0001:000011:35a2c9:0000025e:000055842ec2b000:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:c0:a8:07:01:00000000:\0";

    private static final KeyMessage FIELDS =
            new KeyMessage(0, 1, 0x11, 0x35a2c9, 0x25e, 0x55842ec2b000L, new Gid(0, 0xffff_c0a8_0701L), 0);

    @Test
    void encodesWhatTheCProgramSends() {
        assertThat(FIELDS.encode()).isEqualTo(bytes(CAPTURED)).hasSize(KeyMessage.BYTES_WITH_GID);
    }

    @Test
    void decodesWhatTheCProgramSends() {
        assertThat(KeyMessage.decode(bytes(CAPTURED))).isEqualTo(FIELDS);
    }

    @Test
    void hasAShorterFormWithoutGid() {
        var message = new KeyMessage(0xabc, 1, 0xffffff, 0, 0xdeadbeef, -1, null, 0);
        byte[] encoded = message.encode();
        assertThat(encoded).isEqualTo(bytes("0abc:0001:ffffff:000000:deadbeef:ffffffffffffffff:00000000\0"));
        assertThat(encoded).hasSize(KeyMessage.BYTES_WITHOUT_GID);
        assertThat(KeyMessage.decode(encoded)).isEqualTo(message);
    }

    @Property
    void decodesAllThatItEncodes(
            @ForAll @IntRange(max = 0xffff) int lid,
            @ForAll @IntRange(min = 1, max = 0xffff) int reads,
            @ForAll @IntRange(max = 0xffffff) int qpn,
            @ForAll @IntRange(max = 0xffffff) int psn,
            @ForAll int rkey,
            @ForAll long address,
            @ForAll long gidHigh,
            @ForAll long gidLow) {
        var message = new KeyMessage(lid, reads, qpn, psn, rkey, address, new Gid(gidHigh, gidLow), 0);
        assertThat(message.encode()).hasSize(KeyMessage.BYTES_WITH_GID);
        assertThat(KeyMessage.decode(message.encode())).isEqualTo(message);
    }

    @Property
    void anyBytesAreAMessageOrAPeerException(@ForAll @Size(KeyMessage.BYTES_WITH_GID) byte[] garbage) {
        // Nothing else may come out: a hostile peer must not crash the program.
        try {
            assertThat(KeyMessage.decode(garbage).encode()).hasSize(KeyMessage.BYTES_WITH_GID);
        } catch (PeerException e) {
            assertThat(e).hasMessageContaining("queue pair description");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // A sign, a field too many, a field too few, an empty field, a GID byte of one digit, a wide number.
                "0000:0001:+00011:35a2c9:0000025e:000055842ec2b000:",
                "0000:0001:000011:35a2c9:000:025e:00055842ec2b000:",
                "0000:0001:000011035a2c9:0000025e:000055842ec2b000:",
                "0000:00001::000011:35a2c9:0000025e:0055842ec2b000:",
                "0000:0001:0000110:5a2c9:0000025e:000055842ec2b000:",
            })
    void refusesADamagedBeginning(String beginning) {
        byte[] message = bytes(beginning + CAPTURED.substring(beginning.length()));
        assertThat(message).hasSize(KeyMessage.BYTES_WITH_GID);
        assertThatThrownBy(() -> KeyMessage.decode(message)).isInstanceOf(PeerException.class);
    }

    @Test
    void explainsALongFormWhereTheShortOneIsExpected() {
        byte[] firstPart = Arrays.copyOf(bytes(CAPTURED), KeyMessage.BYTES_WITHOUT_GID);
        assertThatThrownBy(() -> KeyMessage.decode(firstPart)).hasMessageContaining("does the peer use GIDs (-x)");
    }

    @Test
    void refusesToSendWhatWouldNotFit() {
        assertThatThrownBy(() -> new KeyMessage(0, 0x10000, 1, 1, 1, 1, null, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("outstanding reads");
        assertThatThrownBy(() -> new KeyMessage(0, 1, 1 << 24, 1, 1, 1, null, 0))
                .hasMessageContaining("24 bits");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
