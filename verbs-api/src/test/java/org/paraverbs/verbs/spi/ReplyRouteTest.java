// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.Route;

class ReplyRouteTest {
    private static final Gid SENDER = new Gid(0xfe80_0000_0000_0000L, 0x0001_0002_0003_0004L);
    private static final Gid OURS = new Gid(0xfe80_0000_0000_0000L, 0x0005_0006_0007_0008L);
    private static final Gid SENDER_IPV4 = new Gid(0, 0xffff_c000_0201L);
    private static final Gid OURS_IPV4 = new Gid(0, 0xffff_c000_0202L);

    private final FakeContext context = new FakeContext();

    @BeforeEach
    void giveGids() {
        context.withActivePort()
                .withGid(new GidEntry(0, 1, OURS, GidType.ROCE_V2))
                .withGid(new GidEntry(1, 1, OURS_IPV4, GidType.ROCE_V1))
                .withGid(new GidEntry(3, 1, OURS_IPV4, GidType.ROCE_V2));
    }

    private static CompletionRecord received(boolean hasHeader) {
        return new CompletionRecord(
                1, CompletionStatus.SUCCESS, 0, Opcode.RECEIVE, 44, false, 0, 0x11, 0x22, 9, 3, hasHeader, 0);
    }

    private static ByteBuffer ipv6(Gid source, Gid destination) {
        return ByteBuffer.allocate(40)
                .putInt(6 << 28 | 0x28 << 20 | 0x12345)
                .putInt(0)
                .put(source.toBytes())
                .put(destination.toBytes());
    }

    private static ByteBuffer ipv4() {
        return ByteBuffer.allocate(40)
                .position(20)
                .putShort((short) 0x4528)
                .position(32)
                .put(new byte[] {(byte) 192, 0, 2, 1, (byte) 192, 0, 2, 2});
    }

    private Route reply(ByteBuffer header) {
        return context.replyRoute(1, received(true), MemorySegment.ofBuffer(header.clear()));
    }

    @Test
    void anIpv6HeaderIsTurnedRound() {
        assertThat(reply(ipv6(SENDER, OURS))).isEqualTo(new Route(1, 0, SENDER, 9, 255, 0x28, 0x12345, 3));
    }

    @Test
    void anIpv4HeaderIsTurnedRoundAndFindsTheEntryOfVersion2() {
        assertThat(reply(ipv4())).isEqualTo(new Route(1, 3, SENDER_IPV4, 9, 255, 0x28, 0, 3));
    }

    @Test
    void aMappedAddressInAnIpv6HeaderIsOfVersion1() {
        assertThat(reply(ipv6(SENDER_IPV4, OURS_IPV4)).sourceGidIndex()).isEqualTo(1);
    }

    @Test
    void withoutHeaderTheLidLeadsBack() {
        assertThat(context.replyRoute(1, received(false), MemorySegment.NULL))
                .isEqualTo(new Route(1, 0, Gid.EMPTY, 9, 255, 0, 0, 3));
    }

    @Test
    void bytesThatAreNoHeaderAreRefused() {
        assertThatThrownBy(() -> reply(ByteBuffer.allocate(40)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("neither an IPv6 nor an IPv4 header");
        assertThatThrownBy(() -> reply(ByteBuffer.allocate(39)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("40 bytes, not 39");
        assertThatThrownBy(() -> reply(ipv6(SENDER, SENDER)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no GID of port 1");
    }
}
