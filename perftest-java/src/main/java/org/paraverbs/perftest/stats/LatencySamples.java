// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.stats;

import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The time stamps of one latency run: one for each message that this side sends. The time between two of them is one
 * turn, there and back.
 */
public sealed interface LatencySamples permits ExactLatencies, HistogramLatencies {
    /**
     * Above this many messages the samples go to a histogram instead of an array: 4 million time stamps are 32 MiB.
     */
    int EXACT_LIMIT = 1 << 22;

    /**
     * Room for a number of messages.
     *
     * @param messages how many there will be
     * @return exact samples, or a histogram where there are too many
     */
    static LatencySamples of(int messages) {
        return messages <= EXACT_LIMIT ? new ExactLatencies(messages) : new HistogramLatencies();
    }

    /**
     * Room for any number of messages.
     *
     * @return a histogram
     */
    static LatencySamples unlimited() {
        return new HistogramLatencies();
    }

    /**
     * Notes that a message is about to be posted. Allocates nothing.
     *
     * @param nowNs the time just before
     */
    void posted(long nowNs);

    /**
     * How many messages were posted.
     *
     * @return calls of {@link #posted}
     */
    long messages();

    /**
     * Sums up.
     *
     * @param turnsPerSample how many latencies a turn holds: 2 for SEND and WRITE, where a message goes each way
     * @return the summary, or null if fewer than 5 messages were posted
     */
    @Nullable
    LatencySummary summary(int turnsPerSample);

    /**
     * Tells whether {@link #forEachInOrder} knows the order.
     *
     * @return false for a histogram
     */
    boolean keepsOrder();

    /**
     * Hands out all turns in the order in which they were measured, if that is known; else none.
     *
     * @param consumer is given nanoseconds
     */
    void forEachInOrder(LongConsumer consumer);

    /**
     * Hands out the turns from the smallest on, without the two largest.
     *
     * @param consumer is given nanoseconds
     */
    void forEachSorted(LongConsumer consumer);
}
