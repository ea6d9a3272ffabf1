// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.paraverbs.perftest.stats.LatencySamples;
import org.paraverbs.perftest.wire.BandwidthReport;
import org.paraverbs.perftest.wire.KeyMessage;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;

/** Lines are compared with what Debian 12's programs print, blank by blank. */
class ReportTest {
    private static final String RULE =
            "---------------------------------------------------------------------------------------\n";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void aBandwidthLine() {
        report(Program.IB_WRITE_BW).bandwidth(new BandwidthReport(1024, 100, 0.81, 0.15, 0.000155));
        assertThat(printed()).isEqualTo(" 1024       100              0.81               0.15   \t\t   0.000155\n");
    }

    @Test
    void aSmallBandwidthInGigabits() {
        report(Program.IB_WRITE_BW, "--report_gbits")
                .bandwidth(new BandwidthReport(1024, 100, 0.064044, 0.038449, 0.004693));
        assertThat(printed()).isEqualTo(" 1024       100           0.064044            0.038449            0.004693\n");
    }

    @Test
    void bandwidthColumns() {
        report(Program.IB_WRITE_BW).header();
        report(Program.IB_WRITE_BW, "--report_gbits").header();
        assertThat(printed())
                .isEqualTo(RULE
                        + " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
                        + RULE
                        + " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n");
    }

    @Test
    void unitsAreMebibytesAndGigabits() {
        assertThat(report(Program.IB_WRITE_BW).inUnits(1 << 20, 7, 4, 2))
                .isEqualTo(new BandwidthReport(1 << 20, 7, 4, 2, 2e-6));
        assertThat(report(Program.IB_WRITE_BW, "--report_gbits").inUnits(125, 7, 4e6, 2e6))
                .isEqualTo(new BandwidthReport(125, 7, 4, 2, 2));
    }

    @Test
    void aLatencyLine() {
        report(Program.IB_SEND_LAT).latency(2, samples(8), 2);
        assertThat(printed())
                .isEqualTo(" 2       8          0.50           3.00         1.50     \t       1.50        \t0.71   "
                        + "\t\t3.00    \t\t3.00   \n");
    }

    @Test
    void latencyColumns() {
        report(Program.IB_SEND_LAT).header();
        report(Program.IB_SEND_LAT, "-D", "4").header();
        assertThat(printed())
                .isEqualTo(RULE
                        + " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
                        + "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n"
                        + RULE
                        + " #bytes        #iterations       t_avg[usec]    tps average\n");
    }

    @Test
    void aLatencyLineOfADuration() {
        report(Program.IB_SEND_LAT, "-D", "4").latencyOfDuration(2, 812, 2_034_027_600L, 2, null);
        assertThat(printed()).isEqualTo(" 2             812            1252.48        399.21 \n");
    }

    @Test
    void allLatenciesInOrderAndSorted() {
        report(Program.IB_SEND_LAT, "-U", "-H").latency(2, samples(6), 2);
        assertThat(printed())
                .startsWith("#, usec\n1, 0.5\n2, 1\n3, 1.5\n4, 2\n5, 2.5\n#, usec\n1, 0.5\n2, 1\n3, 1.5\n" + RULE
                        + " #bytes");
    }

    @Test
    void tooFewMessagesAreNoResult() {
        report(Program.IB_SEND_LAT).latency(2, samples(3), 2);
        assertThat(printed()).contains("too few messages");
    }

    @Test
    void addresses() {
        var keys = new KeyMessage(0, 1, 0x11, 0x35a2c9, 0x25e, 0x55842ec2b000L, new Gid(0, 0xffff_c0a8_0701L), 0);
        report(Program.IB_WRITE_BW).address("local", keys);
        report(Program.IB_SEND_LAT).address("remote", keys);
        String gid = " GID: 00:00:00:00:00:00:00:00:00:00:255:255:192:168:07:01\n";
        assertThat(printed())
                .isEqualTo(" local address: LID 0000 QPN 0x0011 PSN 0x35a2c9 RKey 0x00025e VAddr 0x0055842ec2b000\n"
                        + gid + " remote address: LID 0000 QPN 0x0011 PSN 0x35a2c9\n" + gid);
    }

    @Test
    void anAddressWithoutGid() {
        report(Program.IB_SEND_LAT).address("local", new KeyMessage(0x1f, 1, 0x12, 0, 0, 0, null, 0));
        assertThat(printed()).isEqualTo(" local address: LID 0x1f QPN 0x0012 PSN 000000\n");
    }

    @Test
    void bannerOfABandwidthClient() {
        report(Program.IB_WRITE_BW, "-n", "100", "-s", "1024").banner(device(), true);
        assertThat(printed())
                .isEqualTo(RULE
                        + "                    RDMA_Write BW Test\n"
                        + " Dual-port       : OFF\t\tDevice         : rxe0\n"
                        + " Number of qps   : 1\t\tTransport type : IB\n"
                        + " Connection type : RC\t\tUsing SRQ      : OFF\n"
                        + " PCIe relax order: OFF\n"
                        + " ibv_wr* API     : OFF\n"
                        + " TX depth        : 100\n"
                        + " CQ Moderation   : 100\n"
                        + " Mtu             : 1024[B]\n"
                        + " Link type       : Ethernet\n"
                        + " GID index       : 1\n"
                        + " Max inline data : 0[B]\n"
                        + " rdma_cm QPs\t : OFF\n"
                        + " Data ex. method : Ethernet\n"
                        + RULE);
    }

    @Test
    void bannerOfALatencyServer() {
        report(Program.IB_SEND_LAT, "-e").banner(device(), false);
        assertThat(printed())
                .contains(
                        "                    Send Latency Test\n Test with events. Using rxe0_comp0\n",
                        " RX depth        : 512\n")
                .doesNotContain("TX depth", "CQ Moderation");
    }

    @Test
    void bannerOfABidirectionalPostList() {
        report(Program.IB_WRITE_BW, "-b", "-l", "10").banner(device(), false);
        assertThat(printed())
                .contains(
                        "RDMA_Write Bidirectional Post List BW Test\n",
                        " TX depth        : 128\n Post List       : 10\n");
    }

    @Test
    void theServerSaysThatItWaits() {
        report(Program.IB_WRITE_BW).waitingForClient();
        assertThat(printed()).isEqualTo("""

                        ************************************
                        * Waiting for client to connect... *
                        ************************************
                        """);
    }

    private static LatencySamples samples(int messages) {
        LatencySamples samples = LatencySamples.of(messages);
        long nowNs = 0;
        for (int i = 0; i < messages; i++) {
            nowNs += 1000L * i;
            samples.posted(nowNs);
        }
        return samples;
    }

    private static Report.Device device() {
        return new Report.Device("rxe0", LinkLayer.ETHERNET, 1, Mtu.MTU_1024, 0);
    }

    private Report report(Program program, String... arguments) {
        var stream = new PrintStream(out, true, UTF_8);
        Settings settings = new CommandLineParser(program, stream, stream).parse(arguments);
        // What the options' notes printed is not the report's.
        String notes = out.toString(UTF_8);
        if (notes.startsWith("with a post list")) {
            out.reset();
        }
        return new Report(Objects.requireNonNull(settings), stream);
    }

    private String printed() {
        return out.toString(UTF_8);
    }
}
