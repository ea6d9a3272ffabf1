// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.perftest.fake.FakeDevice;
import org.paraverbs.perftest.time.RealTime;
import org.paraverbs.perftest.wire.ExchangePair;
import org.paraverbs.perftest.wire.PeerException;
import org.paraverbs.perftest.wire.TcpExchange;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Transition;

/** Whole runs on a device that does as it is told. */
@Timeout(300)
class RunTest {
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private final FakeDevice clientDevice = new FakeDevice("fake0");
    private final FakeDevice serverDevice = new FakeDevice("fake1");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-n 5",
                "-s 64",
                "-s 64 -n 250",
                "-s 64 -n 250 -q 3",
                "-a -n 20",
                "-b",
                "-b -a -n 20",
                "-b -q 2 -s 100",
                "-q 4",
                "-e",
                "-e -b -s 8",
                "-l 8 -n 80",
                "-l 8 -Q 4 -s 100 -n 80 -q 2",
                "-N",
                "-n 30000 -s 32",
                "-D 1",
                "-D 1 -b",
                "-m 1024",
                "-t 1 -n 50",
                "-Q 7 -s 100 -n 100",
                "--report_gbits"
            })
    void writeBandwidthCompletesOnBothSides(String options) throws Exception {
        Side[] sides = runPair(Program.IB_WRITE_BW, options);
        Side client = sides[0];
        boolean all = options.contains("-a");
        assertThat(client.results()).hasSize(all ? 23 : 1);
        for (String line : client.results()) {
            String[] columns = columns(line);
            assertThat(columns).hasSize(5);
            assertThat(Double.parseDouble(columns[3])).as(line).isPositive();
            if (!options.contains("-D")) {
                Settings.Load load = client.settings().load();
                assertThat(columns[1]).as(line).isEqualTo(Integer.toString(load.iterations() * load.queuePairs()));
            }
        }
        // One way, the server prints the client's last line; both ways, both print the sum.
        String[] ofClient = columns(client.results().getLast());
        String[] ofServer = columns(sides[1].results().getLast());
        if (!options.contains("-D 1 -b")) { // where the iterations are each side's own
            assertThat(ofServer).isEqualTo(ofClient);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-n 5",
                "-n 7",
                "-a -n 5",
                "-e",
                "-e -a -n 6",
                "-D 1",
                "-D 1 -H",
                "-s 4096",
                "-t 4 -n 50",
                "-r 2",
                "-r 1 -n 9",
                "-H -n 10",
                "-U -n 10",
                "-m 256 -s 9000"
            })
    void sendLatencyCompletesOnBothSides(String options) throws Exception {
        for (Side side : runPair(Program.IB_SEND_LAT, options)) {
            assertThat(side.results()).hasSize(options.contains("-a") ? 23 : 1);
            for (String line : side.results()) {
                String[] columns = columns(line);
                assertThat(columns).hasSize(options.contains("-D") ? 4 : 9);
                assertThat(Double.parseDouble(columns[2])).as(line).isPositive();
            }
        }
    }

    @Test
    void messagesOfAWriteArriveWhereThePeerSaid() throws Exception {
        Side[] sides = runPair(Program.IB_WRITE_BW, "-s 100 -q 2 -n 10");
        assertThat(sides[0].printed()).contains(" local address:", " remote address:");
        // Remote addresses of the client are the local ones of the server, in order.
        assertThat(addresses(sides[0].printed(), "remote")).isEqualTo(addresses(sides[1].printed(), "local"));
        assertThat(addresses(sides[1].printed(), "remote")).isEqualTo(addresses(sides[0].printed(), "local"));
    }

    private static List<String> addresses(String printed, String side) {
        String prefix = " " + side + " address:";
        return printed.lines()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .toList();
    }

    @Test
    void queuePairsHaveTheAttributesOfTheCProgram() throws Exception {
        runPair(Program.IB_WRITE_BW, "-n 50 -u 20 -S 3 -m 1024");
        assertThat(clientDevice.specs.getFirst().capacity()).isEqualTo(new QueuePairCapacity(50, 1, 1, 1, 0));
        assertThat(clientDevice.transitions.get(0)).isInstanceOfSatisfying(Transition.Init.class, init -> {
            assertThat(init.port()).isEqualTo(1);
            assertThat(init.access()).containsExactly(Access.REMOTE_WRITE);
        });
        assertThat(clientDevice.transitions.get(1)).isInstanceOfSatisfying(Transition.ReadyToReceive.class, ready -> {
            assertThat(ready.mtu()).isEqualTo(Mtu.MTU_1024);
            assertThat(ready.rnrTimer()).isEqualTo(new RnrTimer(12));
            assertThat(ready.maxReads()).isEqualTo(1);
            assertThat(ready.route().sourceGidIndex()).isEqualTo(1);
            assertThat(ready.route().hopLimit()).isEqualTo(255);
            assertThat(ready.route().serviceLevel()).isEqualTo(3);
            assertThat(ready.route().destination()).isEqualTo(new Gid(0, 0xffff_c0a8_0701L));
        });
        assertThat(clientDevice.transitions.get(2)).isInstanceOfSatisfying(Transition.ReadyToSend.class, ready -> {
            assertThat(ready.timeout()).isEqualTo(new AckTimeout(20));
            assertThat(ready.retries()).isEqualTo(7);
            assertThat(ready.rnrRetries()).isEqualTo(7);
            assertThat(ready.maxReads()).isEqualTo(1);
        });
        // The server of a one-way test never sends, so it stays ready to receive.
        assertThat(serverDevice.transitions).hasSize(2);
    }

    @Test
    void sendLatencyGoesToReadyToSendOnBothSides() throws Exception {
        runPair(Program.IB_SEND_LAT, "-n 50");
        assertThat(serverDevice.transitions).hasSize(3);
        assertThat(serverDevice.specs.getFirst().capacity()).isEqualTo(new QueuePairCapacity(1, 50, 1, 1, 0));
        assertThat(serverDevice.transitions.get(0))
                .isEqualTo(new Transition.Init(1, 0, java.util.Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE)));
    }

    @Test
    void theSmallerMtuOfBothIsUsedAndPrinted() throws Exception {
        serverDevice.activeMtu = Mtu.MTU_512;
        for (Side side : runPair(Program.IB_WRITE_BW, "-n 5")) {
            assertThat(side.printed()).contains(" Mtu             : 512[B]\n");
        }
    }

    @Test
    void aTooLargeMtuIsCutWithANote() throws Exception {
        clientDevice.activeMtu = Mtu.MTU_1024;
        Side client = runPair(Program.IB_WRITE_BW, "-n 5 -m 4096")[0];
        assertThat(client.notes).anyMatch(note -> note.contains("Requested mtu is higher than active mtu"));
    }

    @Test
    void withoutGidsTheShortMessagesAreUsed() throws Exception {
        clientDevice.linkLayer = LinkLayer.INFINIBAND;
        serverDevice.linkLayer = LinkLayer.INFINIBAND;
        for (Side side : runPair(Program.IB_SEND_LAT, "-n 5")) {
            assertThat(side.printed())
                    .contains(" Link type       : IB\n", "address: LID 0x1f")
                    .doesNotContain("GID");
        }
        assertThat(clientDevice.transitions.get(1)).isInstanceOfSatisfying(Transition.ReadyToReceive.class, ready -> {
            assertThat(ready.route().isGlobal()).isFalse();
            assertThat(ready.route().destinationLid()).isEqualTo(0x1f);
        });
    }

    @Test
    void shortMessagesGoInlineIfAskedFor() throws Exception {
        clientDevice.maxInlineSize = 64;
        Side client = runPair(Program.IB_SEND_LAT, "-n 5 -I 100")[0];
        assertThat(client.printed()).contains(" Max inline data : 64[B]\n");
        assertThat(client.notes).anyMatch(note -> note.contains("at most 64 bytes inline"));
    }

    @Test
    void aDeviceWithoutInlineDataIsUsedWithout() throws Exception {
        Side client = runPair(Program.IB_SEND_LAT, "-n 5 -I 100")[0];
        assertThat(client.printed()).contains(" Max inline data : 0[B]\n");
        assertThat(client.notes).anyMatch(note -> note.contains("no inline data"));
    }

    @Test
    void aPortThatIsDownIsToldBeforeAnyoneConnects() throws Exception {
        clientDevice.portState = PortState.DOWN;
        Throwable failure = fail(new Side(Program.IB_WRITE_BW), clientDevice);
        assertThat(failure)
                .isInstanceOf(PerftestException.class)
                .hasMessageContaining("Port number 1 of fake0 state is DOWN")
                .hasMessageContaining("-i");
        assertThat(clientDevice.openContexts).as("closed again").hasValue(0);
    }

    @Test
    void aPortWithoutAddressIsTold() throws Exception {
        clientDevice.gids = List.of();
        assertThat(fail(new Side(Program.IB_WRITE_BW), clientDevice)).hasMessageContaining("IP address");
    }

    @Test
    void anEmptyGidIndexIsToldWithTheUsedOnes() throws Exception {
        assertThat(fail(new Side(Program.IB_WRITE_BW, "-x", "7"), clientDevice))
                .hasMessageContaining("GID index 7 of port 1 of fake0 is empty")
                .hasMessageContaining("0000:ffff:c0a8:0701");
    }

    @Test
    void gidsOfTwoFamiliesEndBothSides() throws Exception {
        serverDevice.gids = List.of(new GidEntry(0, 1, new Gid(0xfe80_0000_0000_0000L, 9), GidType.ROCE_V2));
        Throwable[] failures = failPair(Program.IB_WRITE_BW, "");
        assertThat(failures[0]).hasMessageContaining("Found Incompatibility issue with GID types");
        assertThat(failures[1]).hasMessageContaining("Found Incompatibility issue with GID types");
    }

    @Test
    void aFailedCompletionIsTheWordsOfCAndTheirMeaning() throws Exception {
        clientDevice.failFromSend = 300;
        Throwable[] failures = failPair(Program.IB_WRITE_BW, "");
        assertThat(failures[0])
                .isInstanceOfSatisfying(
                        PerftestException.class, e -> assertThat(e.exitStatus()).isEqualTo(1))
                .hasMessageStartingWith("Completion with error at client\n Failed status 12: wr_id ")
                .hasMessageContaining("syndrom 0x0\nscnt=")
                .hasMessageContaining("transport retry counter exceeded");
        assertThat(failures[1]).isInstanceOf(PeerException.class).hasMessageContaining("closed the connection");
        assertThat(clientDevice.openContexts).hasValue(0);
        assertThat(serverDevice.openContexts).hasValue(0);
    }

    @Test
    void aFailedLoopOfALatencyTestHasTheStatusOfC() throws Exception {
        clientDevice.failFromSend = 300;
        clientDevice.failure = CompletionStatus.RNR_RETRY_EXCEEDED;
        assertThat(failPair(Program.IB_SEND_LAT, "")[0])
                .isInstanceOfSatisfying(
                        PerftestException.class, e -> assertThat(e.exitStatus()).isEqualTo(17))
                .hasMessageContaining("Failed status 13");
    }

    @Test
    void aSmallerBufferOfThePeerIsARemoteAccessError() throws Exception {
        Throwable[] failures =
                failPair(new Side(Program.IB_WRITE_BW, "-s", "65536"), new Side(Program.IB_WRITE_BW, "-s", "8192"));
        assertThat(failures[0]).hasMessageContaining("Failed status 10").hasMessageContaining("remote access error");
    }

    @Test
    @Timeout(120)
    void aPeerThatDiesWhileItIsWaitedForEndsTheTest() throws Exception {
        // From here on the client hears nothing: without a look at the connection it would poll for ever.
        serverDevice.silentFromSend = 100;
        var client = new Side(Program.IB_SEND_LAT);
        var server = new Side(Program.IB_SEND_LAT);
        try (var listener = TcpExchange.listen(0)) {
            server.start(serverDevice, () -> listener.accept(RealTime.clock()));
            client.start(clientDevice, () -> TcpExchange.connect("127.0.0.1", listener.port(), RealTime.clock()));
            await(() -> server.progress.messages() >= 100);
            server.stop.request(0);
            assertThat(server.join()).isInstanceOf(StoppedException.class);
            assertThat(client.join())
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("the peer left during the test");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-n 100000000 -s 8", "-D 1000", "-n 100000000 -s 8 -e -q 2"})
    void anInterruptionPrintsWhatWasMeasured(String options) throws Exception {
        Side client = new Side(Program.IB_WRITE_BW, words(options));
        Side server = new Side(Program.IB_WRITE_BW, words(options));
        ExchangePair pair = ExchangePair.create();
        server.start(serverDevice, pair::server);
        client.start(clientDevice, pair::client);
        await(() -> client.progress.messages() > 10_000);
        client.stop.request(0);
        assertThat(client.join()).isInstanceOf(StoppedException.class);
        if (!options.contains("-D")) { // whose sample may not have begun
            String[] columns = columns(client.results().getFirst());
            assertThat(Long.parseLong(columns[1])).isBetween(10_000L, 99_999_999L);
            assertThat(Double.parseDouble(columns[3])).isPositive();
        }
        assertThat(client.printed()).endsWith("-\n");
        assertThat(server.join()).isInstanceOf(PeerException.class);
    }

    @Test
    void anInterruptedLatencyTestPrintsWhatItHas() throws Exception {
        Side client = new Side(Program.IB_SEND_LAT, "-n", "1000000");
        Side server = new Side(Program.IB_SEND_LAT, "-n", "1000000");
        ExchangePair pair = ExchangePair.create();
        server.start(serverDevice, pair::server);
        client.start(clientDevice, pair::client);
        await(() -> client.progress.messages() > 50);
        client.stop.request(0);
        assertThat(client.join()).isInstanceOf(StoppedException.class);
        assertThat(columns(client.results().getFirst())).hasSize(9);
        // The peer's departure is seen by its connection, or by a message that is not acknowledged any more.
        assertThat(server.join()).hasMessageContaining("left");
    }

    private static String[] words(String options) {
        return options.isEmpty() ? new String[0] : BLANKS.split(options, -1);
    }

    private static String[] columns(String line) {
        return BLANKS.split(line.strip(), -1);
    }

    private static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(Duration.ofMillis(1));
        }
    }

    /** Runs client and server over TCP, as two processes would, and expects both to end well. */
    private Side[] runPair(Program program, String options) throws Exception {
        String[] arguments = words(options);
        var client = new Side(program, arguments);
        var server = new Side(program, arguments);
        Throwable[] failures = failPair(client, server);
        assertThat(failures[0]).isNull();
        assertThat(failures[1]).isNull();
        assertThat(clientDevice.openContexts).hasValue(0);
        assertThat(serverDevice.openContexts).hasValue(0);
        return new Side[] {client, server};
    }

    private Throwable[] failPair(Program program, String options) throws Exception {
        String[] arguments = words(options);
        return failPair(new Side(program, arguments), new Side(program, arguments));
    }

    private @Nullable Throwable[] failPair(Side client, Side server) throws Exception {
        try (var listener = TcpExchange.listen(0)) {
            server.start(serverDevice, () -> listener.accept(RealTime.clock()));
            client.start(clientDevice, () -> TcpExchange.connect("127.0.0.1", listener.port(), RealTime.clock()));
            return new @Nullable Throwable[] {client.join(), server.join()};
        }
    }

    private static @Nullable Throwable fail(Side side, FakeDevice device) throws InterruptedException {
        return side.start(device, () -> {
                    throw new AssertionError("nobody should connect");
                })
                .join();
    }
}
