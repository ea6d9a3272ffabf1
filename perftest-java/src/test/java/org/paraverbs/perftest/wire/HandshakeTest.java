// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.perftest.time.RealTime;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Mtu;

/** The conversation with a peer that is a plain socket, speaking what C programs speak, or garbage. */
@Timeout(300)
class HandshakeTest {
    private static final byte[] VERSION = padded("6.06");
    private static final byte[] PAGE = integer(4096);
    private static final byte[] CACHE_LINE = integer(64);
    private static final byte[] MTU = {'5', 0};
    private static final KeyMessage KEYS =
            new KeyMessage(0, 1, 0x12, 7, 0x99, 0x1000, new Gid(0, 0xffff_0a00_0001L), 0);
    private static final Negotiation PARAMETERS = new Negotiation(2, true, false, false, false, 65536, 5000, 1, 5);

    @Test
    void asClientItWritesFirstAndTakesTheLargerSizesAndTheSmallerMtu() throws Exception {
        // The server page size is larger, its MTU smaller.
        var script = concat(VERSION, integer(65536), integer(128), new byte[] {'3', 0}, KEYS.encode());
        try (var peer = new ScriptedPeer(script)) {
            try (Exchange exchange = peer.connect()) {
                var handshake = new Handshake(exchange);
                Handshake.Agreement agreement = handshake.begin(4096, 64, Mtu.MTU_4096, PARAMETERS);
                assertThat(agreement)
                        .isEqualTo(new Handshake.Agreement(new ProgramVersion("6.06"), 65536, 128, Mtu.MTU_1024));
                assertThat(handshake.swapKeys(KEYS)).isEqualTo(KEYS);
            }
            assertThat(peer.received()).isEqualTo(concat(VERSION, PAGE, CACHE_LINE, MTU, KEYS.encode()));
        }
    }

    @Test
    void asServerItReadsFirst() throws Exception {
        try (var listener = TcpExchange.listen(0);
                var client = new Socket(InetAddress.getLoopbackAddress(), listener.port());
                Exchange exchange = listener.accept(RealTime.clock())) {
            var future = CompletableFuture.supplyAsync(
                    () -> new Handshake(exchange).begin(4096, 64, Mtu.MTU_4096, PARAMETERS));
            // A server that wrote first would be read here as soon as anything is there.
            client.setSoTimeout(200);
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(java.net.SocketTimeoutException.class);
            client.setSoTimeout(0);
            for (byte[] message : new byte[][] {VERSION, PAGE, CACHE_LINE, MTU}) {
                client.getOutputStream().write(message);
                assertThat(client.getInputStream().readNBytes(message.length)).isEqualTo(message);
            }
            assertThat(future.get(10, TimeUnit.SECONDS).mtu()).isEqualTo(Mtu.MTU_4096);
        }
    }

    @Test
    void aMessageInPiecesIsPutTogether() throws Exception {
        var script = concat(VERSION, PAGE, CACHE_LINE, MTU, KEYS.encode());
        try (var peer = new ScriptedPeer(script, 7);
                Exchange exchange = peer.connect()) {
            var handshake = new Handshake(exchange);
            handshake.begin(4096, 64, Mtu.MTU_4096, PARAMETERS);
            assertThat(handshake.swapKeys(KEYS)).isEqualTo(KEYS);
        }
    }

    /** Every place at which a peer can leave: within each message of the beginning, and between them. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 16, 18, 20, 22, 24, 25, 26, 80, 133})
    void aPeerThatLeavesIsToldWithWhatWasMissing(int bytesBefore) throws Exception {
        var whole = concat(VERSION, PAGE, CACHE_LINE, MTU, KEYS.encode());
        try (var peer = new ScriptedPeer(Arrays.copyOf(whole, bytesBefore))) {
            try (Exchange exchange = peer.connect()) {
                var handshake = new Handshake(exchange);
                assertThatThrownBy(() -> {
                            handshake.begin(4096, 64, Mtu.MTU_4096, PARAMETERS);
                            handshake.swapKeys(KEYS);
                        })
                        .isInstanceOf(PeerException.class)
                        .hasMessageMatching("the peer (closed|has closed) the connection.*");
            }
        }
    }

    @Test
    void garbageInsteadOfAVersionIsShown() throws Exception {
        expectFailure("SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII), "no perftest program");
    }

    @Test
    void anOldPeerIsRefused() throws Exception {
        expectFailure(concat(padded("5.60"), PAGE, CACHE_LINE, MTU), "too old");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void aPageSizeThatWouldEatTheMemoryIsRefused(int pageSize) throws Exception {
        expectFailure(concat(VERSION, integer(pageSize), CACHE_LINE, MTU), "page size");
    }

    @Test
    void aWrongMtuIsIgnored() throws Exception {
        try (var peer = new ScriptedPeer(concat(VERSION, PAGE, CACHE_LINE, new byte[] {'9', 0}));
                Exchange exchange = peer.connect()) {
            assertThat(new Handshake(exchange)
                            .begin(4096, 64, Mtu.MTU_2048, PARAMETERS)
                            .mtu())
                    .isEqualTo(Mtu.MTU_2048);
        }
    }

    @Test
    void gidsOfTwoFamiliesDoNotGoTogether() {
        var other = new KeyMessage(0, 1, 2, 3, 4, 5, new Gid(0xfe80_0000_0000_0000L, 1), 0);
        assertThatThrownBy(() -> Handshake.requireSameGidFamily(KEYS, other))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("Found Incompatibility issue with GID types")
                .hasMessageContaining("-x");
        Handshake.requireSameGidFamily(KEYS, KEYS);
        Handshake.requireSameGidFamily(other, other);
    }

    @Test
    void release628GetsItsParameters() throws Exception {
        byte[] theirs = PARAMETERS.encode(Negotiation.BYTES);
        try (var peer = new ScriptedPeer(concat(padded("6.28"), PAGE, CACHE_LINE, MTU, theirs))) {
            try (Exchange exchange = peer.connect()) {
                new Handshake(exchange).begin(4096, 64, Mtu.MTU_4096, PARAMETERS);
            }
            assertThat(peer.received()).hasSize(26 + Negotiation.BYTES);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Negotiation.SHORT_BYTES, Negotiation.BYTES})
    void asServerItAnswersRelease628InTheFormThatCame(int length) throws Exception {
        try (var listener = TcpExchange.listen(0);
                var client = new Socket(InetAddress.getLoopbackAddress(), listener.port());
                Exchange exchange = listener.accept(RealTime.clock())) {
            client.getOutputStream().write(concat(padded("6.28"), PAGE, CACHE_LINE, MTU, PARAMETERS.encode(length)));
            new Handshake(exchange).begin(4096, 64, Mtu.MTU_4096, PARAMETERS);
            assertThat(client.getInputStream().readNBytes(26 + length)).hasSize(26 + length);
            assertThat(client.getInputStream().available()).isZero();
        }
    }

    @Test
    void theFarewellMayFindNobody() {
        var written = new ArrayList<Integer>();
        var peerThatIsGone = new StubExchange() {
            @Override
            public void write(byte[] message) {
                written.add(message.length);
                if (message.length != KeyMessage.BYTES_WITH_GID) {
                    throw new PeerException("gone");
                }
            }
        };
        new Handshake(peerThatIsGone).end(KEYS);
        assertThat(written).containsExactly(KeyMessage.BYTES_WITH_GID, "done".length() + 1);
    }

    @Test
    void aRefusedConnectionNamesTheServer() throws Exception {
        int freePort;
        try (var socket = new ServerSocket(0)) {
            freePort = socket.getLocalPort();
        }
        assertThatThrownBy(() -> TcpExchange.connect("127.0.0.1", freePort, RealTime.clock()))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("Couldn't connect to 127.0.0.1:" + freePort);
    }

    @Test
    void aPortInUseIsToldWithTheOptionThatHelps() {
        try (var first = TcpExchange.listen(0)) {
            assertThatThrownBy(() -> TcpExchange.listen(first.port())).hasMessageContaining("-p chooses another port");
        }
    }

    @Test
    void silenceEndsWithTheTime() {
        ExchangePair pair = ExchangePair.create();
        assertThatThrownBy(() -> pair.client().read(1, TimeUnit.MILLISECONDS.toNanos(20), "program version"))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("program version");
    }

    @Test
    void bothKindsOfExchangeNoticeThatThePeerHasLeft() throws Exception {
        ExchangePair pair = ExchangePair.create();
        assertThat(pair.client().peerHasLeft()).isFalse();
        pair.server().write(new byte[] {1});
        pair.server().close();
        assertThat(pair.client().peerHasLeft()).isTrue();
        assertThat(pair.client().read(1, 0, "last byte")).containsExactly(1);

        try (var peer = new ScriptedPeer(new byte[] {1});
                Exchange exchange = peer.connect()) {
            assertThat(exchange.await(2, TimeUnit.SECONDS.toNanos(10))).isFalse();
            assertThat(exchange.peerHasLeft()).isTrue();
            assertThat(exchange.read(1, 0, "last byte")).containsExactly(1);
        }
    }

    private static void expectFailure(byte[] script, String words) throws Exception {
        try (var peer = new ScriptedPeer(script);
                Exchange exchange = peer.connect()) {
            assertThatThrownBy(() -> new Handshake(exchange).begin(4096, 64, Mtu.MTU_4096, PARAMETERS))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining(words);
        }
    }

    /** Answers each message with the keys. */
    private abstract static class StubExchange implements Exchange {
        @Override
        public boolean isClient() {
            return true;
        }

        @Override
        public byte[] read(int length, long timeoutNs, String what) {
            return KEYS.encode();
        }

        @Override
        public boolean await(int length, long timeoutNs) {
            return true;
        }

        @Override
        public boolean peerHasLeft() {
            return false;
        }

        @Override
        public void close() {}
    }

    private static byte[] padded(String version) {
        return Arrays.copyOf(version.getBytes(StandardCharsets.US_ASCII), ProgramVersion.BYTES);
    }

    private static byte[] integer(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    private static byte[] concat(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
