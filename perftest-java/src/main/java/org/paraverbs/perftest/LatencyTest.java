// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.stats.LatencySamples;

/** The course of a latency test of SEND, once the queue pairs are connected: the same on both sides. */
final class LatencyTest {
    /** A turn is two messages, and the latency is that of one. */
    private static final int MESSAGES_PER_TURN = 2;

    private final Session session;
    private final Report report;
    private final Settings settings;

    LatencyTest(Session session) {
        this.session = session;
        report = session.report();
        settings = session.settings();
    }

    void run() {
        Settings.Load load = settings.load();
        for (long size = load.allSizes() ? 2 : load.size(); size <= load.size(); size *= 2) {
            measure(size);
        }
        report.rule();
        session.end();
    }

    private void measure(long size) {
        Stop stop = session.environment().stop();
        @Nullable DurationWindow window = session.durationWindow();
        CompletionWait wait = session.completionWait(window);
        var pingPong = new SendPingPong(session, size, wait);
        pingPong.postReceives();
        session.barrierAfterRun();
        var loop = new LatencyLoop(session, pingPong, session.isClient());
        @Nullable LatencySamples samples = samples();
        stop.measuring();
        loop.run(samples, window);
        if (window != null) {
            report.latencyOfDuration(size, loop.sampled(), window.sampledNs(), MESSAGES_PER_TURN, samples);
        } else if (samples != null) {
            report.latency(size, samples, MESSAGES_PER_TURN);
        }
        if (stop.isRequested()) {
            report.rule();
            throw new StoppedException();
        }
    }

    /** Of a duration only the average is printed, unless a list of all is asked for. */
    private @Nullable LatencySamples samples() {
        Settings.Load load = settings.load();
        if (!load.isDuration()) {
            return LatencySamples.of(load.iterations());
        }
        Settings.Reporting reporting = settings.reporting();
        return reporting.sorted() ? LatencySamples.unlimited() : null;
    }
}
