// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.perftest.stats.BandwidthSamples;
import org.paraverbs.perftest.stats.LatencySamples;
import org.paraverbs.perftest.time.RealTime;
import org.paraverbs.perftest.wire.Exchange;
import org.paraverbs.perftest.wire.ExchangePair;
import org.paraverbs.perftest.wire.PeerException;
import org.paraverbs.perftest.wire.TcpExchange;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Verbs;

/** The programs as they are called, on the emulator. */
@Timeout(300)
class EmulatorTest {
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-d emu1",
                "-i 1 -x 0 -m 1024 -p 4000 -S 2 -u 10 -F",
                "-s 1M -n 50",
                "-a -n 20",
                "-n 5",
                "-D 1",
                "-D 4 -f 1",
                "-q 4",
                "-t 16",
                "-r 1",
                "-I 0",
                "-Q 10 -s 64",
                "-l 8 -n 800",
                "-b",
                "-b -a -n 10",
                "-c RC",
                "-e",
                "-e -b -q 2",
                "-N",
                "--report_gbits"
            })
    void writeBandwidthInALoopback(String options) {
        assertThat(run("ib_write_bw", options)).as(err.toString(UTF_8)).isZero();
        List<String[]> results = results();
        assertThat(results).hasSize(options.contains("-a") ? 23 : 1);
        for (String[] columns : results) {
            assertThat(columns).hasSize(5);
            assertThat(Double.parseDouble(columns[3])).as("average").isPositive();
            assertThat(Double.parseDouble(columns[4])).as("message rate").isPositive();
        }
        assertThat(err.toString(UTF_8)).contains("say nothing of a network");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-s 64 -n 100",
                "-a -n 10",
                "-D 1",
                "-e",
                "-e -n 50 -s 4096",
                "-r 16",
                "-t 1",
                "-H -n 20",
                "-U -n 20",
                "-I 0",
                "-m 512 -s 4K",
                "-x 0 -u 12 -S 1 -F",
                "-D 1 -H"
            })
    void sendLatencyInALoopback(String options) {
        assertThat(run("ib_send_lat", options)).as(err.toString(UTF_8)).isZero();
        List<String[]> results = results();
        assertThat(results).hasSize(options.contains("-a") ? 23 : 1);
        for (String[] columns : results) {
            assertThat(columns).hasSize(options.contains("-D") ? 4 : 9);
            for (int i = 2; i < columns.length; i++) {
                assertThat(Double.parseDouble(columns[i])).isNotNegative();
            }
            assertThat(Double.parseDouble(columns[2])).isPositive();
        }
    }

    @Test
    void anUnknownDeviceIsToldWithTheKnownOnes() {
        assertThat(run("ib_write_bw", "-d emu77")).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("emu77", "no such device", "emu:emu0", "emu:emu1");
        assertThat(out.toString(UTF_8)).isEmpty();
    }

    @Test
    void anUnknownPortIsTold() {
        assertThat(run("ib_write_bw", "-i 9")).isEqualTo(1);
        assertThat(err.toString(UTF_8)).startsWith("ib_write_bw: ").contains("port");
    }

    @Test
    void anEmulatedDeviceIsNoServerForOthers() {
        int status = Main.run(stream(out), stream(err), false, "ib_write_bw", "-d", "emu0");
        assertThat(status).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("--loopback");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-b -q 3", "-a -n 10", "-e"})
    void serverAndClientOverTcp(String options) throws Exception {
        String[] arguments = words(options);
        var client = new Side(Program.IB_WRITE_BW, arguments);
        var server = new Side(Program.IB_WRITE_BW, arguments);
        try (var listener = TcpExchange.listen(0)) {
            server.start(device("emu1"), () -> listener.accept(RealTime.clock()));
            client.start(device("emu0"), () -> TcpExchange.connect("127.0.0.1", listener.port(), RealTime.clock()));
            assertThat(client.join()).isNull();
            assertThat(server.join()).isNull();
        }
        assertThat(BLANKS.split(server.results().getLast(), -1))
                .isEqualTo(BLANKS.split(client.results().getLast(), -1));
    }

    @Test
    void aWriteBeyondThePeersBufferIsARemoteAccessError() throws Exception {
        var client = new Side(Program.IB_WRITE_BW, "-s", "65536");
        var server = new Side(Program.IB_WRITE_BW, "-s", "8192");
        ExchangePair pair = ExchangePair.create();
        server.start(device("emu1"), pair::server);
        client.start(device("emu0"), pair::client);
        assertThat(client.join()).hasMessageContaining("Failed status 10").hasMessageContaining("remote access error");
        assertThat(server.join()).isInstanceOf(PeerException.class);
    }

    @Test
    void theBandwidthLoopAllocatesNothing() throws Exception {
        measureAllocation(Program.IB_WRITE_BW, session -> {
            var loop = new BandwidthLoop(session, 64);
            loop.run(BandwidthSamples.averageOnly(), null);
        });
    }

    @Test
    void theLatencyLoopAllocatesNothing() throws Exception {
        measureAllocation(Program.IB_SEND_LAT, session -> {
            var pingPong = new SendPingPong(session, 64, session.completionWait(null));
            pingPong.postReceives();
            session.barrier();
            LatencySamples samples = LatencySamples.of(session.settings().load().iterations());
            new LatencyLoop(session, pingPong, session.isClient()).run(samples, null);
        });
    }

    private interface Measured {
        void run(Session session);
    }

    /**
     * Runs the loop with few and with many messages: what a message allocates makes the difference, what preparing allocates
     * does not, but for the array of time stamps.
     */
    private void measureAllocation(Program program, Measured loop) throws Exception {
        int few = 20_000;
        int many = 120_000;
        long first = allocated(program, few, loop);
        long second = allocated(program, many, loop);
        long timeStamps = program.isBandwidth() ? 0 : 8L * (many - few);
        assertThat(second - first - timeStamps)
                .as("bytes of %d further messages", many - few)
                .isLessThan((many - few) / 10);
    }

    private long allocated(Program program, int messages, Measured loop) throws Exception {
        String[] arguments = {"-n", Integer.toString(messages), "-s", "64"};
        ExchangePair pair = ExchangePair.create();
        Thread server = Thread.ofPlatform()
                .start(() -> onSession(program, "emu1", pair.server(), arguments, session -> {
                    if (program.isBandwidth()) {
                        session.barrierAfterRun();
                    } else {
                        loop.run(session);
                    }
                }));
        var bytes = new long[1];
        onSession(program, "emu0", pair.client(), arguments, session -> {
            var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            loop.run(session);
            bytes[0] = threads.getCurrentThreadAllocatedBytes() - before;
            if (program.isBandwidth()) {
                session.barrier();
            }
        });
        server.join();
        return bytes[0];
    }

    private static void onSession(
            Program program, String device, Exchange exchange, String[] arguments, Measured measured) {
        var nowhere = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
        Settings settings = Objects.requireNonNull(new CommandLineParser(program, nowhere, nowhere).parse(arguments));
        var environment =
                new Environment(RealTime.clock(), RealTime::waiting, new Random(), new Stop(), new Progress());
        try (Context context = device(device).open();
                Exchange connection = exchange) {
            LocalPort port = LocalPort.of(context, settings.path(), note -> {});
            measured.run(
                    new Session(settings, environment, port, connection, new Report(settings, nowhere), note -> {}));
        }
    }

    private static Device device(String name) {
        return Verbs.device("emu:" + name);
    }

    private int run(String program, String options) {
        List<String> arguments = new ArrayList<>(List.of(program, "--loopback"));
        if (!options.contains("-d ")) {
            arguments.addAll(List.of("-d", "emu0"));
        }
        arguments.addAll(List.of(words(options)));
        return Main.run(stream(out), stream(err), false, arguments.toArray(new String[0]));
    }

    private List<String[]> results() {
        String all = out.toString(UTF_8);
        int header = all.lastIndexOf(" #bytes");
        assertThat(header).as(all).isNotNegative();
        return all.substring(all.indexOf('\n', header) + 1)
                .lines()
                .takeWhile(line -> !line.startsWith("----"))
                .map(line -> BLANKS.split(line.strip(), -1))
                .toList();
    }

    private static String[] words(String options) {
        return options.isEmpty() ? new String[0] : BLANKS.split(options, -1);
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, UTF_8);
    }
}
