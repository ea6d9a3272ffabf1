// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class GidTest {

    @Test
    void anIpv4AddressIsMapped() throws Exception {
        Gid gid = Gid.of(InetAddress.getByName("192.168.0.200"));

        assertThat(gid).isEqualTo(new Gid(0, 0xffff_c0a8_00c8L));
        assertThat(gid.isIpv4Mapped()).isTrue();
        assertThat(gid.isLinkLocal()).isFalse();
        assertThat(gid.toInetAddress()).isEqualTo(InetAddress.getByName("192.168.0.200"));
        assertThat(gid).hasToString("0000:0000:0000:0000:0000:ffff:c0a8:00c8");
        // the highest bit of an IPv4 address must not spread
        assertThat(Gid.of(InetAddress.getByName("255.255.255.255"))).isEqualTo(new Gid(0, 0xffff_ffff_ffffL));
    }

    @Test
    void anIpv6AddressIsTheGid() throws Exception {
        Gid gid = Gid.of(InetAddress.getByName("2001:db8::a:b"));

        assertThat(gid).isEqualTo(new Gid(0x2001_0db8_0000_0000L, 0x0000_0000_000a_000bL));
        assertThat(gid.isIpv4Mapped()).isFalse();
        assertThat(gid.toInetAddress()).isEqualTo(InetAddress.getByName("2001:db8::a:b"));
    }

    @Test
    void linkLocalIsTheWholeOfItsPrefixAndNothingElse() throws Exception {
        assertThat(Gid.of(InetAddress.getByName("fe80::1")).isLinkLocal()).isTrue();
        assertThat(Gid.of(InetAddress.getByName("febf:ffff::1")).isLinkLocal()).isTrue();
        assertThat(Gid.of(InetAddress.getByName("fec0::1")).isLinkLocal()).isFalse();
        assertThat(Gid.of(InetAddress.getByName("fe7f::1")).isLinkLocal()).isFalse();
        assertThat(Gid.EMPTY.isLinkLocal()).isFalse();
    }

    @Test
    void onlyZeroIsEmpty() {
        assertThat(Gid.EMPTY.isEmpty()).isTrue();
        assertThat(Gid.EMPTY.isIpv4Mapped()).isFalse();
        assertThat(new Gid(0, 1).isEmpty()).isFalse();
        assertThat(new Gid(1, 0).isEmpty()).isFalse();
    }

    @Test
    void theTextIsThatOfSysfs() {
        assertThat(new Gid(0xfe80_0000_0000_0000L, 0x0250_56ff_fe00_0001L))
                .hasToString("fe80:0000:0000:0000:0250:56ff:fe00:0001");
        assertThat(new Gid(-1, -1)).hasToString("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
    }

    @Property
    void everyGidSurvivesItsBytesAndItsAddress(@ForAll @Size(16) byte[] bytes) {
        Gid gid = Gid.of(bytes);

        assertThat(gid.toBytes()).isEqualTo(bytes);
        assertThat(Gid.of(gid.toInetAddress())).isEqualTo(gid);
    }

    @Test
    void anotherNumberOfBytesIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Gid.of(new byte[4]))
                .withMessage("a GID has 16 bytes, not 4");
    }
}
