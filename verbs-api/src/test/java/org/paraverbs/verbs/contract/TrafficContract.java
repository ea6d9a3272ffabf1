// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Feature;

/**
 * Many queue pairs at once under eight threads, four that send and four that receive: nothing is lost, nothing comes
 * twice, nothing comes in another order, and nothing is changed on the way.
 *
 * <p>64 queue pairs, or 256 where the tests repeat themselves as often as they are meant to ({@link #scale()} of 1 and
 * more). Receivers that fall behind make their peers wait for receives, so that this is tried, too.
 */
public abstract class TrafficContract extends VerbsContract {

    private static final int MESSAGES = 20_000;

    @Test
    void pollingThreadsReceiveEverythingOnceAndInOrder() throws InterruptedException {
        run(false, false);
    }

    /** Every thread of the program sleeps until its channel wakes it. */
    @Test
    @Covers.Verb({"CompletionChannel.await", "CompletionQueue.requestNotification"})
    void sleepingThreadsReceiveEverythingOnceAndInOrder() throws InterruptedException {
        require(first(), Feature.COMPLETION_CHANNEL);
        require(second(), Feature.COMPLETION_CHANNEL);
        run(true, false);
    }

    @Test
    @Covers.Verb("SharedReceiveQueue.receiveQueue")
    void pollingThreadsWithSharedReceivesReceiveEverythingOnceAndInOrder() throws InterruptedException {
        require(second(), Feature.SHARED_RECEIVE_QUEUE);
        run(false, true);
    }

    @Test
    void sleepingThreadsWithSharedReceivesReceiveEverythingOnceAndInOrder() throws InterruptedException {
        require(first(), Feature.COMPLETION_CHANNEL);
        require(second(), Feature.COMPLETION_CHANNEL);
        require(second(), Feature.SHARED_RECEIVE_QUEUE);
        run(true, true);
    }

    /**
     * Sends all messages and checks them.
     *
     * @param sleeping whether threads sleep on completion channels instead of polling
     * @param sharing whether receives come from a shared queue
     */
    protected void run(boolean sleeping, boolean sharing) throws InterruptedException {
        int queuePairs = Math.min(scale() >= 1 ? 256 : 64, first().attributes().maxQueuePairs());
        int messages = Math.max(20, repetitions(MESSAGES));
        new Traffic(first(), second(), queuePairs, messages, sleeping, sharing).run();
    }
}
