// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.stats.LatencySamples;
import org.paraverbs.perftest.time.Clock;

/**
 * The measured loop of all latency tests: a message goes there, then one comes back. How a message goes and how the other
 * side's arrival is noticed is a {@link PingPong}'s affair. {@link #run} allocates nothing.
 */
final class LatencyLoop {
    private final PingPong pingPong;
    private final boolean first;
    private final Settings.Load load;
    private final Clock clock;
    private final Stop stop;
    private final Progress progress;
    private long sampled;

    /**
     * Prepares a run.
     *
     * @param first whether this side sends the first message
     */
    LatencyLoop(Session session, PingPong pingPong, boolean first) {
        this.pingPong = pingPong;
        this.first = first;
        load = session.settings().load();
        clock = session.environment().clock();
        stop = session.environment().stop();
        progress = session.environment().progress();
    }

    /** How the messages of one operation go and come. */
    interface PingPong {
        /**
         * Waits for the other side's message.
         *
         * @param received how many have come before
         * @return false if the run is over
         */
        boolean awaitMessage(long received);

        /**
         * Sends a message and, if asked, waits until it has completed.
         *
         * @param sent how many were sent before
         * @param signaled whether to wait
         * @return false if the run is over
         */
        boolean send(long sent, boolean signaled);
    }

    /**
     * Runs until all messages have gone and come, the time is over, or the user has had enough.
     *
     * @param samples takes a time stamp per message; null if nobody wants them
     * @param window the time, or null for a number of messages
     */
    void run(@Nullable LatencySamples samples, @Nullable DurationWindow window) {
        boolean timed = window != null;
        int iterations = load.iterations();
        long sent = 0;
        long received = 0;
        while ((timed || sent < iterations || received < iterations) && !stop.isRequested()) {
            if ((timed || received < iterations) && !(first && sent == 0)) {
                if (!pingPong.awaitMessage(received)) {
                    break;
                }
                // The time begins with the first message that arrives, on each side for itself.
                if (timed && received == 0) {
                    window.begin(clock.nowNs());
                }
                received++;
                if (timed && window.isSampling()) {
                    sampled++;
                }
                progress.set(received);
            }
            if (timed || sent < iterations) {
                long nowNs = clock.nowNs();
                if (timed && received > 0 && window.update(nowNs) == DurationWindow.Phase.END) {
                    break;
                }
                if (samples != null && (!timed || window.isSampling())) {
                    samples.posted(nowNs);
                }
                boolean signaled = (sent + 1) % load.cqModeration() == 0 || (!timed && sent + 1 == iterations);
                if (!pingPong.send(sent, signaled)) {
                    break;
                }
                sent++;
            }
        }
        if (window != null) {
            window.cut(clock.nowNs());
        }
    }

    /** Messages that arrived while the sample of a duration ran. */
    long sampled() {
        return sampled;
    }
}
