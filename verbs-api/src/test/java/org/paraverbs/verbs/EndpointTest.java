// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class EndpointTest {

    private static final Gid GID = new Gid(0, 0xffff_c0a8_0001L);

    @Test
    void theByteFormIsFixed() {
        Endpoint endpoint = new Endpoint(GID, GidType.ROCE_V2, 0x1234, 0x00ab_cdef, 0x0012_3456, Mtu.MTU_1024, 16);

        assertThat(HexFormat.of().formatHex(endpoint.toBytes()))
                .isEqualTo("01" + "02" + "03" + "10" + "1234" + "0000" + "00abcdef" + "00123456"
                        + "00000000000000000000ffffc0a80001");
    }

    @Property
    void everyEndpointSurvivesItsByteForm(
            @ForAll long high,
            @ForAll long low,
            @ForAll GidType type,
            @ForAll @IntRange(max = 0xffff) int lid,
            @ForAll @IntRange(max = 0xff_ffff) int qpn,
            @ForAll @IntRange(max = 0xff_ffff) int psn,
            @ForAll Mtu mtu,
            @ForAll @IntRange(max = 255) int readDepth) {
        Endpoint endpoint = new Endpoint(new Gid(high, low), type, lid, qpn, psn, mtu, readDepth);

        assertThat(Endpoint.of(endpoint.toBytes())).isEqualTo(endpoint);
    }

    @Property
    void garbageIsRefusedOrRead(@ForAll @Size(Endpoint.BYTES) byte[] garbage, @ForAll boolean ofThisVersion) {
        if (ofThisVersion) {
            garbage[0] = Endpoint.VERSION;
        }
        try {
            Endpoint endpoint = Endpoint.of(garbage);
            assertThat(garbage[0]).isEqualTo((byte) Endpoint.VERSION);
            assertThat(endpoint.qpn() >>> 24).isZero();
            assertThat(endpoint.psn() >>> 24).isZero();
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageMatching(".*(version|MTU code|24 bits).*");
        }
    }

    @Test
    void anotherLengthOrVersionIsRefusedWithTheReason() {
        for (int length : new int[] {0, Endpoint.BYTES - 1, Endpoint.BYTES + 1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Endpoint.of(new byte[length]))
                    .withMessage("an endpoint has 32 bytes, not " + length);
        }
        byte[] later = new Endpoint(GID, GidType.ROCE_V2, 0, 1, 2, Mtu.MTU_256, 1).toBytes();
        later[0] = 2;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Endpoint.of(later))
                .withMessageContaining("version 2")
                .withMessageContaining("version 1")
                .withMessageContaining("same release on both sides");
    }

    @Test
    void anUnknownGidTypeIsAValue() {
        byte[] bytes = new Endpoint(GID, GidType.ROCE_V2, 0, 1, 2, Mtu.MTU_256, 1).toBytes();
        bytes[1] = 77;

        assertThat(Endpoint.of(bytes).gidType()).isEqualTo(GidType.UNKNOWN);
    }

    @Test
    void numbersBeyondTheirBitsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> endpoint(0x100_0000, 0, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> endpoint(-1, 0, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> endpoint(0, 0x100_0000, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> endpoint(0, 0, 0x1_0000, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> endpoint(0, 0, 0, 256));
        assertThatIllegalArgumentException().isThrownBy(() -> endpoint(0, 0, 0, -1));
        assertThat(endpoint(0xff_ffff, 0xff_ffff, 0xffff, 255).qpn()).isEqualTo(0xff_ffff);
    }

    private static Endpoint endpoint(int qpn, int psn, int lid, int readDepth) {
        return new Endpoint(GID, GidType.ROCE_V2, lid, qpn, psn, Mtu.MTU_256, readDepth);
    }
}
