// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.stats.LatencySamples;
import org.paraverbs.perftest.wire.TcpExchange;
import org.paraverbs.verbs.Mtu;

/**
 * Turns options into settings: defaults, ranges, and what options mean together, as perftest 4.5 has them. Where 4.5
 * would run into an endless loop or ignore a value, the combination is refused instead.
 */
final class SettingsRules {
    private static final int LEAST_ITERATIONS = 5;
    private static final int MOST_ITERATIONS = 100_000_000;
    private static final int MOST_TX_DEPTH = 15_000;
    private static final int MOST_RX_DEPTH = 16_384;
    private static final int MOST_QUEUE_PAIRS = 16_384;
    private static final int MOST_CQ_MODERATION = 1024;
    private static final int DEFAULT_CQ_MODERATION = 100;
    private static final int MOST_INLINE = 912;
    private static final int MOST_GID_INDEX = 64;
    private static final int MOST_SERVICE_LEVEL = 15;
    private static final int DEFAULT_ACK_TIMEOUT = 14;
    private static final long LARGEST_SIZE = 0x7fff_ffffL;

    /** Above this size every message is signaled: a completion for many large ones would come too late to be exact. */
    private static final long CQ_MODERATION_LIMIT = 8192;

    /** Up to so many messages per queue pair the peak is searched. */
    private static final int MOST_ITERATIONS_WITH_PEAK = 20_000;

    /** And up to so many over all queue pairs, each of which has three numbers of eight bytes. */
    private static final int MOST_MESSAGES_WITH_PEAK = 1 << 22;

    private final Program program;
    private final Options options;
    private final List<String> notes = new ArrayList<>();

    private SettingsRules(Program program, Options options) {
        this.program = program;
        this.options = options;
    }

    /**
     * The settings, and what should be said about them.
     *
     * @param settings the settings
     * @param notes sentences for standard error
     */
    record Result(Settings settings, List<String> notes) {}

    static Result apply(Program program, Options options) {
        var rules = new SettingsRules(program, options);
        rules.refuseWhatTheShapeHasNot();
        var settings = new Settings(program, rules.rendezvous(), rules.path(), rules.load(), rules.reporting());
        return new Result(settings, List.copyOf(rules.notes));
    }

    private void refuseWhatTheShapeHasNot() {
        String connection = options.connection;
        if (connection != null && !connection.equalsIgnoreCase("RC")) {
            throw new PerftestException(refusedConnection(connection.toUpperCase(Locale.ROOT)));
        }
        if (program.isBandwidth()) {
            refuse(options.histogram, "-H is only for latency tests");
            refuse(options.unsorted, "-U is only for latency tests");
        } else {
            refuse(options.bidirectional, "-b is only for bandwidth tests");
            refuse(options.noPeak, "-N is only for bandwidth tests");
            refuse(options.queuePairs != null, "-q is only for bandwidth tests: a latency test has one queue pair");
            refuse(or(options.postList, 1) > 1, "-l is only for bandwidth tests");
        }
        refuse(
                !program.operation().isTwoSided() && or(options.rxDepth, 1) > 1,
                "-r can only be 1 in a test whose messages need no receives");
    }

    private static String refusedConnection(String type) {
        return switch (type) {
            case "UC" -> "-c UC is not there yet; on PVRDMA it never will be, since the device has no such queue pairs";
            case "UD" -> "-c UD is not there yet; RC is";
            case "XRC", "DC", "SRD" -> "-c " + type + " is not there yet; RC is";
            default -> "-c takes RC, not " + type;
        };
    }

    private Settings.Rendezvous rendezvous() {
        refuse(options.loopback && options.server != null, "--loopback runs the server here: leave the host name out");
        return new Settings.Rendezvous(
                options.server,
                inRange("-p", "the TCP port", options.port, TcpExchange.DEFAULT_PORT, 1, 65535),
                options.loopback);
    }

    private Settings.Path path() {
        Mtu mtu = null;
        if (options.mtu != null) {
            try {
                mtu = Mtu.ofBytes(options.mtu);
            } catch (IllegalArgumentException e) {
                throw new PerftestException("-m: " + e.getMessage());
            }
        }
        return new Settings.Path(
                options.device,
                inRange("-i", "the device's port", options.ibPort, 1, 1, 255),
                inRange("-x", "the GID index", options.gidIndex, Settings.Path.ANY_GID, 0, MOST_GID_INDEX),
                mtu,
                inRange("-S", "the service level", options.serviceLevel, 0, 0, MOST_SERVICE_LEVEL),
                inRange("-u", "the acknowledge timeout", options.ackTimeout, DEFAULT_ACK_TIMEOUT, 0, 31));
    }

    private Settings.Load load() {
        long size = options.all ? Settings.Load.LARGEST_OF_ALL : size();
        boolean timed = options.duration != null;
        int duration = inRange("-D", "the duration in seconds", options.duration, 0, 1, Integer.MAX_VALUE / 4);
        int margin = timed ? inRange("-f", "the margin in seconds", options.margin, duration / 4, 0, duration) : 0;
        refuse(
                timed && duration <= 2L * margin,
                "-D must be longer than twice the margin of -f, or nothing is measured");
        refuse(timed && options.events, "-D does not go with -e");
        refuse(timed && options.all, "-D does not go with -a");

        int iterations = inRange(
                "-n",
                "the number of messages",
                options.iterations,
                program.defaultIterations(),
                LEAST_ITERATIONS,
                MOST_ITERATIONS);
        int txDepth = inRange("-t", "the send depth", options.txDepth, program.defaultTxDepth(), 1, MOST_TX_DEPTH);
        int rxDepth = inRange("-r", "the receive depth", options.rxDepth, program.defaultRxDepth(), 1, MOST_RX_DEPTH);
        if (!timed) {
            txDepth = Math.min(txDepth, iterations);
            rxDepth = program.operation().isTwoSided() ? Math.min(rxDepth, iterations) : rxDepth;
        }
        if (program.operation().isTwoSided() && rxDepth % 2 == 1 && !options.all) {
            rxDepth++; // as 4.5 does, so that the banners of both sides agree
        }
        int postList = inRange("-l", "the length of the post list", options.postList, 1, 1, MOST_TX_DEPTH);
        return new Settings.Load(
                size,
                options.all,
                timed ? 0 : iterations,
                duration,
                margin,
                inRange("-q", "the number of queue pairs", options.queuePairs, 1, 1, MOST_QUEUE_PAIRS),
                txDepth,
                rxDepth,
                postList,
                cqModeration(size, txDepth, postList, timed ? 0 : iterations),
                inRange("-I", "the inline size", options.inlineSize, Settings.Load.DEFAULT_INLINE, 0, MOST_INLINE),
                options.bidirectional,
                options.events);
    }

    private int cqModeration(long size, int txDepth, int postList, int iterations) {
        boolean chosen = options.cqModeration != null;
        int moderation = inRange(
                "-Q",
                "the number of messages per completion",
                options.cqModeration,
                DEFAULT_CQ_MODERATION,
                1,
                MOST_CQ_MODERATION);
        if (size > CQ_MODERATION_LIMIT && !options.all && !options.events) {
            if (!chosen) {
                moderation = 1;
            } else if (moderation > 1) {
                notes.add("large messages with fewer completions (-Q) can make results inexact");
            }
        }
        moderation = Math.min(moderation, txDepth);
        if (postList == 1) {
            return moderation;
        }
        refuse(
                postList > txDepth,
                "-l " + postList + " exceeds the send depth of " + txDepth
                        + ": nothing would ever be posted; raise -t");
        refuse(iterations % postList != 0, "-n must be a multiple of the post list's length (-l " + postList + ")");
        if (!chosen) {
            notes.add("with a post list (-l) there is one completion per list");
            return postList;
        }
        refuse(postList % moderation != 0, "the post list's length (-l) must be a multiple of -Q " + moderation);
        return moderation;
    }

    private long size() {
        String text = options.size;
        if (text == null) {
            return program.defaultSize();
        }
        long factor = text.endsWith("K") ? 1L << 10 : text.endsWith("M") ? 1L << 20 : 1;
        String digits = factor == 1 ? text : text.substring(0, text.length() - 1);
        long size;
        try {
            size = Math.multiplyExact(Long.decode(digits), factor);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new PerftestException("-s takes a number of bytes, with K or M behind it if you like, not " + text);
        }
        refuse(size < 1 || size > LARGEST_SIZE, "-s must be between 1 and " + LARGEST_SIZE + " bytes, not " + text);
        return size;
    }

    private Settings.Reporting reporting() {
        long iterations = or(options.iterations, program.defaultIterations());
        boolean peak = program.isBandwidth()
                && !options.noPeak
                && options.duration == null
                && iterations <= MOST_ITERATIONS_WITH_PEAK
                && iterations * or(options.queuePairs, 1) <= MOST_MESSAGES_WITH_PEAK;
        if (options.unsorted && (options.duration != null || iterations > LatencySamples.EXACT_LIMIT)) {
            notes.add("-U is without effect: runs of a duration or of more than " + LatencySamples.EXACT_LIMIT
                    + " messages do not keep the order of their latencies");
        }
        return new Settings.Reporting(options.gbits, peak, options.histogram, options.unsorted);
    }

    private static int or(@Nullable Integer value, int otherwise) {
        return value == null ? otherwise : value;
    }

    private static int inRange(String option, String what, @Nullable Integer value, int otherwise, int min, int max) {
        if (value == null) {
            return otherwise;
        }
        refuse(value < min || value > max, option + ": " + what + " must be " + min + " to " + max + ", not " + value);
        return value;
    }

    private static void refuse(boolean condition, String reason) {
        if (condition) {
            throw new PerftestException(reason);
        }
    }
}
