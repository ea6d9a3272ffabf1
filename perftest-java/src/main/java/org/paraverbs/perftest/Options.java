// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The options as they are typed. Letters and long names are those of the C programs. What they mean together is
 * {@link SettingsRules}' affair; a null is an option that was not given.
 */
@Command(
        usageHelpAutoWidth = true,
        abbreviateSynopsis = true,
        sortOptions = false,
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "Without HOST this side is the server and waits for a client; start it first.",
            "Either side may be the C program of the same name, of package 4.4 or newer.",
            "docs/perftest.md says what differs from it."
        })
final class Options {
    @Parameters(arity = "0..1", paramLabel = "HOST", description = "The server to connect to: a name or an IP address.")
    @Nullable
    String server;

    @Option(names = "--loopback", description = "Run server and client in this process, and print the client's output.")
    boolean loopback;

    @Option(
            names = {"-a", "--all"},
            description = "All sizes from 2 bytes to 8 MiB, doubling.")
    boolean all;

    @Option(
            names = {"-b", "--bidirectional"},
            description = "Both sides send; the result is the sum.")
    boolean bidirectional;

    @Option(
            names = {"-c", "--connection"},
            paramLabel = "TYPE",
            description = "Transport: RC, which is also the default. Others are not there yet.")
    @Nullable
    String connection;

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "DEVICE",
            description =
                    "The RDMA device, such as vmw_pvrdma0, or emu0 for the emulator's. Default: the first real one.")
    @Nullable
    String device;

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "SECONDS",
            description = "Run for a time instead of a number of messages.")
    @Nullable
    Integer duration;

    @Option(
            names = {"-e", "--events"},
            description = "Sleep until a completion's event instead of polling.")
    boolean events;

    @Option(
            names = {"-f", "--margin"},
            paramLabel = "SECONDS",
            description = "How much of the beginning and of the end of -D is left out. Default: a quarter.")
    @Nullable
    Integer margin;

    @Option(
            names = {"-F", "--CPU-freq"},
            description = "Accepted, and without effect: times do not depend on the processor's frequency here.")
    boolean cpuFrequency;

    @Option(
            names = {"-H", "--report-histogram", "--report-histogrm"},
            description = "Print every latency, sorted, before the result.")
    boolean histogram;

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "PORT",
            description = "The device's port. Default: 1.")
    @Nullable
    Integer ibPort;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "BYTES",
            description = "Send messages up to this size inline, 0 to 912.")
    @Nullable
    Integer inlineSize;

    @Option(
            names = {"-l", "--post_list"},
            paramLabel = "N",
            description = "Post N messages with one call. Default: 1.")
    @Nullable
    Integer postList;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            description = "Path MTU: 256, 512, 1024, 2048 or 4096. Default: the port's.")
    @Nullable
    Integer mtu;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            description = "Messages per queue pair, at least 5. Default: 5000 in ib_write_bw, else 1000.")
    @Nullable
    Integer iterations;

    @Option(
            names = {"-N", "--noPeak"},
            description = "Do not search the peak bandwidth. It is searched for up to 20000 messages.")
    boolean noPeak;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "The server's TCP port. Default: 18515.")
    @Nullable
    Integer port;

    @Option(
            names = {"-q", "--qp"},
            paramLabel = "N",
            description = "Number of queue pairs. Default: 1.")
    @Nullable
    Integer queuePairs;

    @Option(
            names = {"-Q", "--cq-mod"},
            paramLabel = "N",
            description = "Messages per completion. Default: 100, and 1 above 8192 bytes.")
    @Nullable
    Integer cqModeration;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            description = "Outstanding receives per queue pair. Default: 512 in tests of SEND, else 1.")
    @Nullable
    Integer rxDepth;

    @Option(names = "--report_gbits", description = "Bandwidths in Gb/s (10^9 bits) instead of MiB/s (2^20 bytes).")
    boolean gbits;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            description =
                    "Size of a message; K and M stand for 2^10 and 2^20. Default: 65536 for bandwidth, 2 for latency.")
    @Nullable
    String size;

    @Option(
            names = {"-S", "--sl"},
            paramLabel = "LEVEL",
            description = "Service level, 0 to 15. Default: 0.")
    @Nullable
    Integer serviceLevel;

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "N",
            description = "Outstanding messages per queue pair. Default: 128 for bandwidth, 1 for latency.")
    @Nullable
    Integer txDepth;

    @Option(
            names = {"-u", "--qp-timeout"},
            paramLabel = "CODE",
            description = "Acknowledge timeout of 4.096 us * 2^CODE, 0 to 31. Default: 14, which is 67 ms.")
    @Nullable
    Integer ackTimeout;

    @Option(
            names = {"-U", "--report-unsorted"},
            description = "Print every latency, in the order of the measurement, before the result.")
    boolean unsorted;

    @Option(
            names = {"-x", "--gid-index"},
            paramLabel = "INDEX",
            description = "Index of the GID. Default: the best; an IPv4 one before others.")
    @Nullable
    Integer gidIndex;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this and end.")
    boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the version and end.")
    boolean version;
}
