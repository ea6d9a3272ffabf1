// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.verbs.Mtu;

class OptionsTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void writeBandwidthHasTheDefaultsOfPerftest() {
        Settings settings = writeBandwidth();
        assertThat(settings.rendezvous()).isEqualTo(new Settings.Rendezvous(null, 18515, false));
        assertThat(settings.path()).isEqualTo(new Settings.Path(null, 1, Settings.Path.ANY_GID, null, 0, 14));
        assertThat(settings.load())
                .isEqualTo(new Settings.Load(
                        65536, false, 5000, 0, 0, 1, 128, 1, 1, 1, Settings.Load.DEFAULT_INLINE, false, false));
        assertThat(settings.reporting()).isEqualTo(new Settings.Reporting(false, true, false, false));
    }

    @Test
    void sendLatencyHasTheDefaultsOfPerftest() {
        Settings.Load load = sendLatency().load();
        assertThat(load)
                .isEqualTo(new Settings.Load(
                        2, false, 1000, 0, 0, 1, 1, 512, 1, 1, Settings.Load.DEFAULT_INLINE, false, false));
    }

    @Test
    void shortAndLongNamesAreTheSame() {
        Settings expected = writeBandwidth(
                "-d",
                "emu0",
                "-i",
                "2",
                "-p",
                "1234",
                "-s",
                "4096",
                "-n",
                "100",
                "-q",
                "3",
                "-t",
                "64",
                "-I",
                "8",
                "-m",
                "1024",
                "-x",
                "5",
                "-Q",
                "10",
                "-l",
                "10",
                "-b",
                "-e",
                "-u",
                "20",
                "-S",
                "3",
                "-N",
                "--report_gbits",
                "peer");
        Settings settings = writeBandwidth(
                "--ib-dev=emu0",
                "--ib-port=2",
                "--port=1234",
                "--size=4K",
                "--iters=100",
                "--qp=3",
                "--tx-depth=64",
                "--inline_size=8",
                "--mtu=1024",
                "--gid-index=5",
                "--cq-mod=10",
                "--post_list=10",
                "--bidirectional",
                "--events",
                "--qp-timeout=20",
                "--sl=3",
                "--noPeak",
                "--report_gbits",
                "peer");
        assertThat(settings).isEqualTo(expected);
        assertThat(settings.path()).isEqualTo(new Settings.Path("emu0", 2, 5, Mtu.MTU_1024, 3, 20));
        assertThat(settings.load())
                .isEqualTo(new Settings.Load(4096, false, 100, 0, 0, 3, 64, 1, 10, 10, 8, true, true));
        assertThat(settings.rendezvous()).isEqualTo(new Settings.Rendezvous("peer", 1234, false));
    }

    @Test
    void lettersMayBeJoinedAsGetoptAllows() {
        Settings settings = writeBandwidth("-Fbs8", "-n50", "host");
        assertThat(settings.load().size()).isEqualTo(8);
        assertThat(settings.load().bidirectional()).isTrue();
        assertThat(settings.load().iterations()).isEqualTo(50);
    }

    @ParameterizedTest
    @CsvSource({"2M, 2097152", "64K, 65536", "0x100, 256", "2147483647, 2147483647", "1, 1"})
    void sizesMayHaveAUnitOrBeHexadecimal(String text, long size) {
        assertThat(writeBandwidth("-s", text).load().size()).isEqualTo(size);
    }

    @Test
    void depthsAndModerationAreCutToWhatIsSent() {
        Settings.Load few = writeBandwidth("-n", "20", "-s", "64").load();
        assertThat(few.txDepth()).isEqualTo(20);
        assertThat(few.cqModeration()).isEqualTo(20);
        assertThat(sendLatency("-n", "21").load().rxDepth()).as("made even").isEqualTo(22);
        assertThat(sendLatency("-n", "21", "-a").load().rxDepth()).isEqualTo(21);
        assertThat(sendLatency("-D", "4").load().rxDepth()).isEqualTo(512);
    }

    @Test
    void largeMessagesHaveACompletionEach() {
        assertThat(writeBandwidth("-s", "8192").load().cqModeration()).isEqualTo(100);
        assertThat(writeBandwidth("-s", "8193").load().cqModeration()).isEqualTo(1);
        assertThat(writeBandwidth("-a").load().cqModeration()).isEqualTo(100);
        assertThat(writeBandwidth("-e").load().cqModeration()).isEqualTo(100);
        assertThat(err.toString(UTF_8)).isEmpty();
        assertThat(writeBandwidth("-s", "8193", "-Q", "4").load().cqModeration())
                .isEqualTo(4);
        assertThat(err.toString(UTF_8)).contains("inexact");
    }

    @Test
    void aPostListHasOneCompletionUnlessToldOtherwise() {
        assertThat(writeBandwidth("-l", "8").load().cqModeration()).isEqualTo(8);
        assertThat(writeBandwidth("-l", "8", "-Q", "4", "-s", "64").load().cqModeration())
                .isEqualTo(4);
    }

    @Test
    void thePeakIsNotSearchedInLongRuns() {
        assertThat(writeBandwidth("-n", "20000").reporting().peak()).isTrue();
        assertThat(writeBandwidth("-n", "20001").reporting().peak()).isFalse();
        assertThat(writeBandwidth("-N").reporting().peak()).isFalse();
        assertThat(writeBandwidth("-D", "2").reporting().peak()).isFalse();
        assertThat(writeBandwidth("-n", "20000", "-q", "16384").reporting().peak())
                .as("a gigabyte of time stamps")
                .isFalse();
    }

    @Test
    void theOrderOfAVeryLongRunIsNotKeptWhichIsSaid() {
        sendLatency("-U");
        assertThat(err.toString(UTF_8)).isEmpty();
        sendLatency("-U", "-D", "4");
        assertThat(err.toString(UTF_8)).contains("-U is without effect");
    }

    @Test
    void aDurationHasNoNumberOfMessages() {
        Settings.Load load = writeBandwidth("-D", "10").load();
        assertThat(load.isDuration()).isTrue();
        assertThat(load.iterations()).isZero();
        assertThat(load.marginSeconds()).as("a quarter").isEqualTo(2);
        assertThat(writeBandwidth("-D", "10", "-f", "4").load().marginSeconds()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({
        "-n 4, must be 5 to 100000000",
        "-n x, is not a number",
        "-n, Missing required parameter",
        "-t 0, must be 1 to 15000",
        "-q 16385, must be 1 to 16384",
        "-Q 1025, must be 1 to 1024",
        "-I 913, must be 0 to 912",
        "-x 65, must be 0 to 64",
        "-S 16, must be 0 to 15",
        "-u 32, must be 0 to 31",
        "-i 0, must be 1 to 255",
        "-p 65536, must be 1 to 65535",
        "-m 1000, an MTU is 256",
        "-s 0, must be between 1",
        "-s 2147483648, must be between 1",
        "-s 9999999999999M, takes a number of bytes",
        "-s 5G, takes a number of bytes",
        "-r 2, can only be 1",
        "-c UC, PVRDMA",
        "-c UD, not there yet",
        "-c foo, takes RC",
        "-H, only for latency",
        "-U, only for latency",
        "-D 4 -a, does not go with -a",
        "-D 4 -e, does not go with -e",
        "-D 4 -f 2, twice the margin",
        "-D 0, must be 1",
        "-l 3, multiple of the post list",
        "-l 200 -n 200, exceeds the send depth",
        "-l 10 -Q 3 -s 8, multiple of -Q",
        "--loopback host, leave the host name out",
        "a b, one host name at most",
    })
    void whatCannotBeIsRefusedWithTheReason(String line, String words) {
        assertThatThrownBy(() -> writeBandwidth(line.split(" ")))
                .isInstanceOf(PerftestException.class)
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-b", "-N", "-q 2", "-l 2"})
    void latencyTestsRefuseWhatOnlyBandwidthTestsHave(String line) {
        assertThatThrownBy(() -> sendLatency(line.split(" ")))
                .isInstanceOf(PerftestException.class)
                .hasMessageContaining("only for bandwidth tests");
    }

    @ParameterizedTest
    @CsvSource({
        "-R, rdma_cm",
        "-z, rdma_cm",
        "--rdma_cm, rdma_cm",
        "-A CMP_AND_SWAP, atomic",
        "-o 4, READ",
        "--out_json_file=x, JSON",
        "--use_cuda=0, ordinary memory",
        "-w 5, script",
        "-o4, READ",
        "--dont_xchg_versions, always fails"
    })
    void optionsOfTheCProgramsThatAreAbsentAreNamedWithTheReason(String line, String words) {
        assertThatThrownBy(() -> writeBandwidth(line.split(" ")))
                .isInstanceOf(PerftestException.class)
                .hasMessageContaining("the C program's option -")
                .hasMessageContaining(words);
    }

    @Test
    void aMistypedOptionGetsASuggestion() {
        assertThatThrownBy(() -> writeBandwidth("--itres", "5"))
                .isInstanceOf(PerftestException.class)
                .hasMessageContaining("unknown option --itres")
                .hasMessageContaining("did you mean --iters");
    }

    @Test
    void theVersionComesFirstForScripts() {
        assertThat(parse(Program.IB_WRITE_BW, "-V")).isNull();
        assertThat(out.toString(UTF_8)).startsWith("Version: 6.06\n");
    }

    @Test
    void helpNamesEveryOptionThatIsThere() {
        assertThat(parse(Program.IB_SEND_LAT, "--help")).isNull();
        assertThat(out.toString(UTF_8))
                .contains(
                        "Usage: ib_send_lat", "HOST", "--loopback", "-a, --all", "-U, --report-unsorted", "-s, --size");
    }

    @Test
    void anUnknownProgramIsRefusedWithTheKnownOnes() {
        int status = Main.run(stream(out), stream(err), false, "ib_write_wb");
        assertThat(status).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("ib_write_bw", "ib_send_lat");
    }

    @Test
    void aRefusedOptionIsAnExitStatusAndNothingOnStandardOutput() {
        int status = Main.run(stream(out), stream(err), false, "ib_write_bw", "--frobnicate");
        assertThat(status).isEqualTo(1);
        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(err.toString(UTF_8)).startsWith("ib_write_bw: unknown option --frobnicate");
    }

    private Settings writeBandwidth(String... arguments) {
        return Objects.requireNonNull(parse(Program.IB_WRITE_BW, arguments));
    }

    private Settings sendLatency(String... arguments) {
        return Objects.requireNonNull(parse(Program.IB_SEND_LAT, arguments));
    }

    private Settings parse(Program program, String... arguments) {
        return new CommandLineParser(program, stream(out), stream(err)).parse(arguments);
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, UTF_8);
    }
}
