// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.wire.Exchange;
import org.paraverbs.perftest.wire.Handshake;
import org.paraverbs.perftest.wire.KeyMessage;
import org.paraverbs.perftest.wire.Negotiation;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.RemoteBuffer;

/**
 * One side of a test from the first message to connected queue pairs, and what the test itself then needs. Used by one
 * thread.
 */
final class Session {
    /**
     * Page and cache line size that are announced. Both sides use the larger one of each, only to lay out messages, so
     * this need not be what this machine has.
     */
    private static final int PAGE_SIZE = 4096;

    private static final int CACHE_LINE = 64;

    /** The C programs announce their default duration in a test without one. */
    private static final int DEFAULT_DURATION_SECONDS = 5;

    private final Settings settings;
    private final Environment environment;
    private final Exchange exchange;
    private final Report report;
    private final Handshake handshake;
    private final Resources resources;
    private final List<RemoteBuffer> remotes = new ArrayList<>();

    /**
     * Goes through the handshake until both sides are connected.
     *
     * @param exchange a connection to the peer; stays the caller's to close
     */
    Session(Settings settings, Environment environment, LocalPort port, Exchange exchange, Report report, Notes notes) {
        this.settings = settings;
        this.environment = environment;
        this.exchange = exchange;
        this.report = report;
        handshake = new Handshake(exchange);
        Handshake.Agreement agreement = handshake.begin(PAGE_SIZE, CACHE_LINE, port.mtu(), negotiation());
        Settings.Load load = settings.load();
        Buffers buffers = Buffers.of(load.size(), load.queuePairs(), agreement.pageSize(), agreement.cacheLine());
        resources = new Resources(settings, port, buffers, environment.random(), notes);
        report.banner(
                new Report.Device(
                        port.context().device().name(),
                        port.attributes().linkLayer(),
                        port.gidIndex(),
                        agreement.mtu(),
                        resources.inlineSize()),
                isClient());
        connect(agreement);
        report.header();
    }

    private Negotiation negotiation() {
        Settings.Load load = settings.load();
        return new Negotiation(
                settings.program().operation().negotiationCode(),
                settings.program().isBandwidth(),
                load.allSizes(),
                load.isDuration(),
                settings.reporting().gbits(),
                load.size(),
                load.iterations(),
                load.queuePairs(),
                load.isDuration() ? load.durationSeconds() : DEFAULT_DURATION_SECONDS);
    }

    private void connect(Handshake.Agreement agreement) {
        List<KeyMessage> own = resources.keys();
        boolean sends = isClient()
                || settings.load().bidirectional()
                || !settings.program().isBandwidth();
        var remote = new ArrayList<KeyMessage>();
        for (KeyMessage key : own) {
            remote.add(handshake.swapKeys(key));
        }
        Handshake.requireSameGidFamily(own.getFirst(), remote.getFirst());
        for (int i = 0; i < own.size(); i++) {
            resources.connect(i, remote.get(i), agreement.mtu(), sends);
            remotes.add(resources.remoteBuffer(remote.get(i)));
        }
        // Tests of SEND wait for each other before they repeat the keys, all others after it.
        boolean barrierFirst = settings.program().operation().isTwoSided();
        if (barrierFirst) {
            barrier();
        }
        for (KeyMessage key : own) {
            report.address("local", key);
        }
        for (KeyMessage key : own) {
            report.address("remote", handshake.swapKeys(key));
        }
        if (!barrierFirst) {
            barrier();
        }
    }

    boolean isClient() {
        return exchange.isClient();
    }

    boolean peerHasLeft() {
        return exchange.peerHasLeft();
    }

    /** Waits for the peer, which comes at once. */
    void barrier() {
        handshake.barrier(resources.keys().getFirst());
    }

    /** Waits for the peer, which may be measuring. */
    void barrierAfterRun() {
        handshake.barrierAfterRun(resources.keys().getFirst());
    }

    /** The last step. */
    void end() {
        handshake.end(resources.keys().getFirst());
    }

    CompletionWait completionWait(@Nullable DurationWindow window) {
        return new CompletionWait(environment, exchange, resources.channel(), window);
    }

    /** The time of {@code -D}, or null for a number of messages. */
    @Nullable
    DurationWindow durationWindow() {
        Settings.Load load = settings.load();
        return load.isDuration() ? new DurationWindow(load.durationSeconds(), load.marginSeconds()) : null;
    }

    QueuePair queuePair(int index) {
        return resources.queuePairs().get(index);
    }

    /** The peer's buffer for a queue pair. */
    RemoteBuffer remote(int index) {
        return remotes.get(index);
    }

    Settings settings() {
        return settings;
    }

    Environment environment() {
        return environment;
    }

    Report report() {
        return report;
    }

    Handshake handshake() {
        return handshake;
    }

    Resources resources() {
        return resources;
    }

    /** Which side, in the words of the C programs' error messages. */
    String sideName() {
        return isClient() ? "client" : "server";
    }
}
