// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.stats;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;

/**
 * Turns in a histogram of constant size, for runs without a number of messages and for very long ones.
 *
 * <p>Ranks are those of the exact definition in {@link LatencySummary}; each value is within 0.1 % of the exact one, since
 * the histogram keeps three significant digits. Average and standard deviation are summed up apart and are exact.
 */
final class HistogramLatencies implements LatencySamples {
    /** Nobody waits longer for one turn; a longer one counts as this. */
    private static final long LONGEST_NS = TimeUnit.HOURS.toNanos(1);

    private static final int SIGNIFICANT_DIGITS = 3;

    private final Histogram histogram = new Histogram(LONGEST_NS, SIGNIFICANT_DIGITS);
    private long messages;
    private long lastPostedNs;

    // Sums of differences from the first turn: small numbers, so that squaring them loses no digits.
    private long origin;
    private double sum;
    private double squares;
    private long largest;
    private long secondLargest;

    @Override
    public void posted(long nowNs) {
        if (messages++ > 0) {
            turn(nowNs - lastPostedNs);
        }
        lastPostedNs = nowNs;
    }

    private void turn(long ns) {
        if (messages == 2) {
            origin = ns;
        }
        histogram.recordValue(Math.min(Math.max(ns, 0), LONGEST_NS));
        double difference = (double) (ns - origin);
        sum += difference;
        squares += difference * difference;
        if (ns > largest) {
            secondLargest = largest;
            largest = ns;
        } else if (ns > secondLargest) {
            secondLargest = ns;
        }
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
        long counted = messages - 1 - LatencySummary.DROPPED;
        double first = (double) (largest - origin);
        double second = (double) (secondLargest - origin);
        double mean = (sum - first - second) / counted;
        double variance = (squares - first * first - second * second) / counted - mean * mean;
        double toMicroseconds = 1e-3 / turnsPerSample;
        double low = atRank((counted - 1) / 2);
        double high = atRank(counted / 2);
        return new LatencySummary(
                messages,
                atRank(0) * toMicroseconds,
                secondLargest * toMicroseconds,
                (low + high) / 2 * toMicroseconds,
                (origin + mean) * toMicroseconds,
                Math.sqrt(Math.max(0, variance)) * toMicroseconds,
                atRank(LatencySummary.rank(0.99, counted)) * toMicroseconds,
                atRank(LatencySummary.rank(0.999, counted)) * toMicroseconds);
    }

    private double atRank(long rank) {
        // Half a rank less than the rank's upper end: rounding then cannot lead to the next one.
        return histogram.getValueAtPercentile(100.0 * (rank + 0.5) / histogram.getTotalCount());
    }

    @Override
    public boolean keepsOrder() {
        return false;
    }

    @Override
    public void forEachInOrder(LongConsumer consumer) {
        // The order is what a histogram forgets.
    }

    @Override
    public void forEachSorted(LongConsumer consumer) {
        long left = messages - 1 - LatencySummary.DROPPED;
        for (HistogramIterationValue value : histogram.recordedValues()) {
            long count = Math.min(left, value.getCountAddedInThisIterationStep());
            for (long i = 0; i < count; i++) {
                consumer.accept(value.getValueIteratedTo());
            }
            left -= Math.max(count, 0);
        }
    }
}
