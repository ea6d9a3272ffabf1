// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.stats;

import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Every time stamp, in an array. */
final class ExactLatencies implements LatencySamples {
    private final long[] postedNs;
    private int messages;

    ExactLatencies(int capacity) {
        postedNs = new long[capacity];
    }

    @Override
    public void posted(long nowNs) {
        postedNs[messages++] = nowNs;
    }

    @Override
    public long messages() {
        return messages;
    }

    @Override
    public @Nullable LatencySummary summary(int turnsPerSample) {
        if (messages < LatencySummary.LEAST_MESSAGES) {
            return null;
        }
        long[] sorted = sortedTurns();
        int counted = sorted.length - LatencySummary.DROPPED;
        double sum = 0;
        for (int i = 0; i < counted; i++) {
            sum += sorted[i];
        }
        double mean = sum / counted;
        double squares = 0;
        for (int i = 0; i < counted; i++) {
            double difference = sorted[i] - mean;
            squares += difference * difference;
        }
        double toMicroseconds = 1e-3 / turnsPerSample;
        return new LatencySummary(
                messages,
                sorted[0] * toMicroseconds,
                sorted[counted] * toMicroseconds,
                median(sorted, counted) * toMicroseconds,
                mean * toMicroseconds,
                Math.sqrt(squares / counted) * toMicroseconds,
                sorted[(int) LatencySummary.rank(0.99, counted)] * toMicroseconds,
                sorted[(int) LatencySummary.rank(0.999, counted)] * toMicroseconds);
    }

    private static double median(long[] sorted, int counted) {
        int middle = counted / 2;
        return counted % 2 == 0 ? (sorted[middle - 1] + sorted[middle]) / 2.0 : sorted[middle];
    }

    private long[] sortedTurns() {
        var turns = new long[messages - 1];
        for (int i = 0; i < turns.length; i++) {
            turns[i] = postedNs[i + 1] - postedNs[i];
        }
        Arrays.sort(turns);
        return turns;
    }

    @Override
    public boolean keepsOrder() {
        return true;
    }

    @Override
    public void forEachInOrder(LongConsumer consumer) {
        for (int i = 1; i < messages; i++) {
            consumer.accept(postedNs[i] - postedNs[i - 1]);
        }
    }

    @Override
    public void forEachSorted(LongConsumer consumer) {
        if (messages >= LatencySummary.LEAST_MESSAGES) {
            long[] sorted = sortedTurns();
            for (int i = 0; i < sorted.length - LatencySummary.DROPPED; i++) {
                consumer.accept(sorted[i]);
            }
        }
    }
}
