// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.stats.LatencySamples;
import org.paraverbs.perftest.stats.LatencySummary;
import org.paraverbs.perftest.wire.BandwidthReport;
import org.paraverbs.perftest.wire.KeyMessage;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;

/**
 * What a program prints to standard output: the lines, columns and blanks of perftest 4.5, since scripts read them. No
 * line is wrapped or aligned anew.
 */
final class Report {
    private static final String RULE = "-".repeat(87);
    private static final double MEBIBYTE = 1 << 20;
    private static final double BYTES_PER_GIGABIT = 125_000_000;

    /** Below this, a bandwidth in Gb/s is printed with six digits instead of two. */
    private static final double SMALL_GBITS = 0.1;

    private final Settings settings;
    private final PrintStream out;

    Report(Settings settings, PrintStream out) {
        this.settings = settings;
        this.out = out;
    }

    /**
     * What the banner says of the device.
     *
     * @param device its name
     * @param linkLayer the link below its port
     * @param gidIndex the GID in use, or {@link Settings.Path#ANY_GID} for none
     * @param mtu the agreed path MTU
     * @param inlineSize the largest message sent inline
     */
    record Device(String device, LinkLayer linkLayer, int gidIndex, Mtu mtu, int inlineSize) {}

    void waitingForClient() {
        out.print("\n************************************\n");
        out.print("* Waiting for client to connect... *\n");
        out.print("************************************\n");
        out.flush();
    }

    void banner(Device device, boolean isClient) {
        Settings.Load load = settings.load();
        Operation operation = settings.program().operation();
        boolean bandwidth = settings.program().isBandwidth();
        boolean sends = isClient || load.bidirectional();
        boolean receives = !isClient || load.bidirectional();
        rule();
        line("                    " + operation.title() + " " + testName() + "Test");
        if (load.events()) {
            line(" Test with events. Using " + device.device() + "_comp0");
        }
        line(" Dual-port       : OFF\t\tDevice         : " + device.device());
        line(" Number of qps   : " + load.queuePairs() + "\t\tTransport type : IB");
        line(" Connection type : RC\t\tUsing SRQ      : OFF");
        line(" PCIe relax order: OFF");
        line(" ibv_wr* API     : OFF");
        if (sends) {
            line(" TX depth        : " + load.txDepth());
        }
        if (load.postList() > 1) {
            line(" Post List       : " + load.postList());
        }
        if (operation.isTwoSided() && receives) {
            line(" RX depth        : " + load.rxDepth());
        }
        if (bandwidth) {
            line(" CQ Moderation   : " + load.cqModeration());
        }
        line(" Mtu             : " + device.mtu().bytes() + "[B]");
        line(" Link type       : " + (device.linkLayer() == LinkLayer.ETHERNET ? "Ethernet" : "IB"));
        if (device.gidIndex() != Settings.Path.ANY_GID) {
            line(" GID index       : " + device.gidIndex());
        }
        line(" Max inline data : " + device.inlineSize() + "[B]");
        line(" rdma_cm QPs\t : OFF");
        line(" Data ex. method : Ethernet");
        rule();
    }

    private String testName() {
        if (!settings.program().isBandwidth()) {
            return "Latency ";
        }
        return (settings.load().bidirectional() ? "Bidirectional " : "")
                + (settings.load().postList() > 1 ? "Post List " : "")
                + "BW ";
    }

    /** One queue pair, {@code local} or {@code remote}. */
    void address(String side, KeyMessage keys) {
        var text = new StringBuilder(" ")
                .append(side)
                .append(" address: LID ")
                .append(hex(keys.lid(), 4))
                .append(" QPN ")
                .append(hex(keys.qpn(), 6))
                .append(" PSN ")
                .append(hex(keys.psn(), 6));
        if (!settings.program().operation().isTwoSided()) {
            text.append(" RKey ")
                    .append(hex(keys.rkey() & 0xffff_ffffL, 8))
                    .append(" VAddr ")
                    .append(hex(keys.address(), 16));
        }
        line(text.toString());
        Gid gid = keys.gid();
        if (gid != null) {
            line(gidLine(gid));
        }
    }

    private static String gidLine(Gid gid) {
        var text = new StringBuilder(" GID: ");
        for (byte b : gid.toBytes()) {
            // In decimal, as C has it, although nobody writes a GID so.
            text.append(String.format(Locale.ROOT, "%02d:", Byte.toUnsignedInt(b)));
        }
        return text.substring(0, text.length() - 1);
    }

    /** C's {@code %#0<width>x}: the width counts the prefix, and zero has no prefix. */
    private static String hex(long value, int width) {
        String digits = Long.toHexString(value);
        String prefix = value == 0 ? "" : "0x";
        return prefix + "0".repeat(Math.max(0, width - prefix.length() - digits.length())) + digits;
    }

    void header() {
        rule();
        columns();
    }

    private void columns() {
        if (settings.program().isBandwidth()) {
            String unit = settings.reporting().gbits() ? "[Gb/sec]" : "[MB/sec]";
            line(" #bytes     #iterations    BW peak" + unit + "    BW average" + unit + "   MsgRate[Mpps]");
        } else if (settings.load().isDuration()) {
            line(" #bytes        #iterations       t_avg[usec]    tps average");
        } else {
            line(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                    + "   99% percentile[usec]   99.9% percentile[usec] ");
        }
    }

    /** Numbers of a run in the units that are printed, and that the peer is told. */
    BandwidthReport inUnits(long size, long messages, double peakPerSecond, double averagePerSecond) {
        double bytesPerUnit = settings.reporting().gbits() ? BYTES_PER_GIGABIT : MEBIBYTE;
        return new BandwidthReport(
                size,
                messages,
                peakPerSecond * size / bytesPerUnit,
                averagePerSecond * size / bytesPerUnit,
                averagePerSecond / 1e6);
    }

    void bandwidth(BandwidthReport result) {
        boolean small = settings.reporting().gbits() && result.average() < SMALL_GBITS;
        String size = String.format(Locale.ROOT, " %-7d    ", result.size());
        String rate = CFormat.fixed(result.messageRate(), 7, 6);
        if (small) {
            line(size + result.iterations() + "           " + CFormat.fixed(result.peak(), 7, 6) + "            "
                    + CFormat.fixed(result.average(), 7, 6) + "            " + rate);
        } else {
            line(size + String.format(Locale.ROOT, "%-10d", result.iterations()) + "       "
                    + CFormat.fixed(result.peak(), 7, 2) + "            " + CFormat.fixed(result.average(), 7, 2)
                    + "\t\t   " + rate);
        }
    }

    /** The result of a number of turns, with every single one before it if that was asked for. */
    void latency(long size, LatencySamples samples, int turnsPerSample) {
        boolean listed = list(samples, turnsPerSample);
        if (listed) {
            rule();
            columns();
        }
        LatencySummary summary = samples.summary(turnsPerSample);
        if (summary == null) {
            line(String.format(
                    Locale.ROOT, " %-7d %d          too few messages for a result", size, samples.messages()));
            return;
        }
        line(String.format(Locale.ROOT, " %-7d %d          ", size, summary.messages())
                + column(summary.min()) + "        " + column(summary.max()) + "      " + column(summary.typical())
                + "  \t       " + column(summary.average()) + "     \t" + column(summary.stdev()) + "\t\t"
                + column(summary.percentile99()) + " \t\t" + column(summary.percentile999()));
    }

    private static String column(double microseconds) {
        return CFormat.fixed(microseconds, 7, 2);
    }

    private boolean list(LatencySamples samples, int turnsPerSample) {
        var list = new TurnList(turnsPerSample);
        boolean inOrder = settings.reporting().unsorted() && samples.keepsOrder();
        if (inOrder) {
            samples.forEachInOrder(list.begin());
        }
        if (settings.reporting().sorted()) {
            samples.forEachSorted(list.begin());
        }
        return inOrder || settings.reporting().sorted();
    }

    /** Prints turns with their numbers. */
    private final class TurnList implements java.util.function.LongConsumer {
        private final double nsPerMicrosecond;
        private long number;

        TurnList(int turnsPerSample) {
            nsPerMicrosecond = 1000.0 * turnsPerSample;
        }

        TurnList begin() {
            number = 0;
            line("#, usec");
            return this;
        }

        @Override
        public void accept(long ns) {
            number++;
            line(number + ", " + CFormat.general(ns / nsPerMicrosecond));
        }
    }

    /** The result of a time. */
    void latencyOfDuration(
            long size, long turns, long elapsedNs, int turnsPerSample, @Nullable LatencySamples samples) {
        if (samples != null && list(samples, turnsPerSample)) {
            rule();
            columns();
        }
        double average = turns == 0 ? 0 : elapsedNs / 1000.0 / turnsPerSample / turns;
        double perSecond = elapsedNs == 0 ? 0 : turns * 1e9 / elapsedNs;
        line(String.format(Locale.ROOT, " %-7d       %d            ", size, turns) + column(average) + "        "
                + column(perSecond));
    }

    void rule() {
        line(RULE);
    }

    private void line(String text) {
        out.print(text + "\n");
        out.flush();
    }
}
