// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.stats.BandwidthSamples;
import org.paraverbs.perftest.wire.BandwidthReport;

/**
 * The course of a bandwidth test of a one-sided operation, once the queue pairs are connected.
 *
 * <p>One way, the client runs, all sizes in a row, while the server waits at the last barrier. In both directions the
 * sides meet before each size, after it with {@code -a}, and exchange each result.
 */
final class BandwidthTest {
    private final Session session;
    private final Report report;
    private final Settings.Load load;

    BandwidthTest(Session session) {
        this.session = session;
        report = session.report();
        load = session.settings().load();
    }

    void run() {
        if (load.bidirectional()) {
            runBothWays();
        } else if (session.isClient()) {
            runOneWay();
        } else {
            serve();
        }
    }

    private void runOneWay() {
        BandwidthReport last = BandwidthReport.NONE;
        for (long size = firstSize(); size <= load.size(); size *= 2) {
            last = measure(size);
            report.bandwidth(last);
            endIfStopped();
        }
        report.rule();
        session.barrier();
        session.handshake().swapReports(last);
        session.end();
    }

    private void serve() {
        session.barrierAfterRun();
        report.bandwidth(session.handshake().swapReports(BandwidthReport.NONE));
        session.end();
        report.rule();
    }

    private void runBothWays() {
        for (long size = firstSize(); size <= load.size(); size *= 2) {
            session.barrierAfterRun();
            BandwidthReport own = measure(size);
            if (session.environment().stop().isRequested()) {
                report.bandwidth(own);
                endIfStopped();
            }
            if (load.allSizes()) {
                session.barrierAfterRun();
            }
            report.bandwidth(own.plus(swapReports(own)));
        }
        report.rule();
        session.end();
    }

    /** The peer may still be running: it began when this side began, but need not be as fast. */
    private BandwidthReport swapReports(BandwidthReport own) {
        return session.handshake().swapReportsAfterRun(own);
    }

    private long firstSize() {
        return load.allSizes() ? 2 : load.size();
    }

    private BandwidthReport measure(long size) {
        var loop = new BandwidthLoop(session, size);
        BandwidthSamples samples = loop.samples(session.settings().reporting().peak());
        @Nullable DurationWindow window = session.durationWindow();
        session.environment().stop().measuring();
        loop.run(samples, window);
        return report.inUnits(size, samples.messages(), samples.peakPerSecond(), samples.averagePerSecond());
    }

    private void endIfStopped() {
        if (session.environment().stop().isRequested()) {
            report.rule();
            throw new StoppedException();
        }
    }
}
