// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.VerbsException;

/** Which port and GID an endpoint takes, and why. */
class GidChoiceTest {

    private static final Gid LINK_LOCAL = new Gid(0xfe80_0000_0000_0000L, 0x0250_56ff_fe00_0001L);
    private static final Gid IPV4 = new Gid(0, 0xffff_c0a8_0001L);
    private static final Gid IPV6 = new Gid(0x2001_0db8_0000_0000L, 1);

    private final FakeContext context = new FakeContext();

    /** From the best to the worst. */
    private static final List<GidEntry> RANKING = List.of(
            new GidEntry(0, 1, IPV4, GidType.ROCE_V2),
            new GidEntry(0, 1, IPV6, GidType.ROCE_V2),
            new GidEntry(0, 1, IPV4, GidType.ROCE_V1),
            new GidEntry(0, 1, IPV6, GidType.ROCE_V1),
            new GidEntry(0, 1, LINK_LOCAL, GidType.ROCE_V2),
            new GidEntry(0, 1, LINK_LOCAL, GidType.ROCE_V1));

    @Test
    void theBestOfATableInAnyOrderIsTaken() {
        Random random = new Random(1);
        for (int best = 0; best < RANKING.size(); best++) {
            for (int round = 0; round < 20; round++) {
                List<GidEntry> table = new ArrayList<>(RANKING.subList(best, RANKING.size()));
                Collections.shuffle(table, random);
                FakeContext device = new FakeContext().withActivePort();
                for (int index = 0; index < table.size(); index++) {
                    GidEntry entry = table.get(index);
                    device.withGid(new GidEntry(3 * index, 1, entry.gid(), entry.type()));
                }
                GidEntry chosen = GidChoice.best(device).entry();
                assertThat(chosen.gid()).isEqualTo(RANKING.get(best).gid());
                assertThat(chosen.type()).isEqualTo(RANKING.get(best).type());
            }
        }
    }

    @Test
    void ofEqualOnesTheFirstIsTakenAndTheReasonNamesThemAll() {
        context.withActivePort()
                .withGid(new GidEntry(0, 1, LINK_LOCAL, GidType.ROCE_V2))
                .withGid(new GidEntry(1, 1, IPV4, GidType.ROCE_V2))
                .withGid(new GidEntry(5, 1, new Gid(0, 0xffff_0a00_0001L), GidType.ROCE_V2));
        GidChoice choice = GidChoice.best(context);

        assertThat(choice.entry().index()).isEqualTo(1);
        assertThat(choice.reason())
                .isEqualTo("GID index 1 (ROCE_V2, 192.168.0.1) of port 1, the first active one, is the best of"
                        + " 0 ROCE_V2 fe80:0000:0000:0000:0250:56ff:fe00:0001,"
                        + " 1 ROCE_V2 0000:0000:0000:0000:0000:ffff:c0a8:0001,"
                        + " 5 ROCE_V2 0000:0000:0000:0000:0000:ffff:0a00:0001");
    }

    @Test
    void theFirstActivePortIsTaken() {
        context.withPort(PortState.DOWN, LinkLayer.ETHERNET, Mtu.MTU_1024, 0)
                .withActivePort()
                .withGid(new GidEntry(0, 1, IPV4, GidType.ROCE_V2))
                .withGid(new GidEntry(4, 2, IPV6, GidType.ROCE_V2));

        assertThat(GidChoice.best(context).entry()).isEqualTo(new GidEntry(4, 2, IPV6, GidType.ROCE_V2));
        assertThat(GidChoice.best(context).port().port()).isEqualTo(2);
    }

    @Test
    void withoutAnActivePortTheStatesAreNamed() {
        context.withPort(PortState.DOWN, LinkLayer.ETHERNET, Mtu.MTU_1024, 0)
                .withPort(PortState.INIT, LinkLayer.ETHERNET, Mtu.MTU_1024, 0);

        assertRefused(() -> GidChoice.best(context), Errno.ENETDOWN, "port 1 is DOWN, port 2 is INIT", "bring");
        assertRefused(() -> GidChoice.best(new FakeContext()), Errno.ENETDOWN, "the device has none");
        assertRefused(() -> GidChoice.given(context, 1, 0), Errno.ENETDOWN, "the port is DOWN, not ACTIVE");
    }

    @Test
    void anEthernetPortWithoutAGidNeedsAnAddress() {
        context.withActivePort();

        assertRefused(() -> GidChoice.best(context), Errno.ENODATA, "the port has no GID", "IP address");
    }

    @Test
    void anInfinibandPortWithoutAGidIsAddressedByItsLid() {
        context.withPort(PortState.ACTIVE, LinkLayer.INFINIBAND, Mtu.MTU_4096, 17);
        GidChoice choice = GidChoice.best(context);

        assertThat(choice.entry().gid()).isEqualTo(Gid.EMPTY);
        assertThat(choice.reason()).isEqualTo("port 1 is addressed by LID 17");
    }

    @Test
    void aGivenEntryIsTakenIfItIsInUse() {
        context.withActivePort()
                .withGid(new GidEntry(0, 1, IPV4, GidType.ROCE_V2))
                .withGid(new GidEntry(2, 1, LINK_LOCAL, GidType.ROCE_V2));

        assertThat(GidChoice.given(context, 1, 2).entry().gid()).isEqualTo(LINK_LOCAL);
        assertThat(GidChoice.given(context, 1, 2).reason()).isEqualTo("GID index 2 of port 1 was asked for");
        assertRefused(
                () -> GidChoice.given(context, 1, 1),
                Errno.ENODATA,
                "GID index 1",
                "entries in use: 0 ROCE_V2 0000:",
                "2 ROCE_V2 fe80:");
        assertRefused(() -> GidChoice.given(context, 9, 0), Errno.EINVAL, "port 9");
    }

    private static void assertRefused(Runnable call, Errno code, String... parts) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(parts);
    }
}
