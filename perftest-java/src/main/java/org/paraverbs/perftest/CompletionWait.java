// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.time.Clock;
import org.paraverbs.perftest.time.Waiting;
import org.paraverbs.perftest.wire.Exchange;
import org.paraverbs.perftest.wire.PeerException;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.WorkCompletion;

/**
 * How a measured loop waits for a completion: by polling or by events, and not for ever. Ctrl-C, the end of {@code -D}
 * and a peer that has died all end the wait. Allocates nothing.
 */
final class CompletionWait {
    /** How often to look whether the peer is still there; looking costs a system call. */
    private static final long PEER_CHECK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A sleeper wakes as often, to look around. */
    private static final Duration SLEEP = Duration.ofNanos(PEER_CHECK_NS);

    private final Clock clock;
    private final Waiting waiting;
    private final Exchange exchange;
    private final Stop stop;
    private final @Nullable CompletionChannel channel;
    private final @Nullable DurationWindow window;

    private long nextPeerCheckNs;
    private boolean empty;
    private @Nullable CompletionQueue armed;

    /**
     * Creates a wait.
     *
     * @param channel where events arrive, or null to poll
     * @param window the time of {@code -D}, or null; it is kept up to date while waiting
     */
    CompletionWait(
            Environment environment,
            Exchange exchange,
            @Nullable CompletionChannel channel,
            @Nullable DurationWindow window) {
        clock = environment.clock();
        waiting = environment.waiting().get();
        stop = environment.stop();
        this.exchange = exchange;
        this.channel = channel;
        this.window = window;
    }

    /**
     * Waits for the next completion.
     *
     * @return a completion, or null if the run is over
     */
    @Nullable
    WorkCompletion next(CompletionQueue queue) {
        while (true) {
            WorkCompletion completion = queue.poll();
            if (completion != null) {
                found();
                return completion;
            }
            if (!pause(queue)) {
                return null;
            }
        }
    }

    /** A poll found something. */
    void found() {
        waiting.reset();
        empty = false;
        armed = null;
    }

    /**
     * A poll of this queue found nothing: waits a little, or until an event.
     *
     * @return false if the run is over
     * @throws PeerException if the peer has left
     */
    boolean pause(CompletionQueue queue) {
        if (stop.isRequested()) {
            return false;
        }
        if (channel == null) {
            waiting.idle();
        } else {
            sleep(channel, queue);
        }
        long nowNs = clock.nowNs();
        if (!empty) {
            empty = true;
            nextPeerCheckNs = nowNs + PEER_CHECK_NS;
        } else if (nowNs - nextPeerCheckNs >= 0) {
            nextPeerCheckNs = nowNs + PEER_CHECK_NS;
            if (exchange.peerHasLeft()) {
                throw new PeerException("the peer left during the test; its own messages say why");
            }
        }
        return window == null || window.update(nowNs) != DurationWindow.Phase.END;
    }

    /** Arms first, so that the caller polls once more; sleeps only when that too found nothing. */
    private void sleep(CompletionChannel events, CompletionQueue queue) {
        if (!queue.equals(armed)) {
            queue.requestNotification(false);
            armed = queue;
            return;
        }
        try {
            events.await(SLEEP);
            // Whatever woke us, arming anew is right: a queue whose event was taken is not armed any more.
            armed = null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PerftestException("interrupted while waiting for a completion");
        }
    }
}
