// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.stats;

/**
 * The numbers of a latency result line, in microseconds.
 *
 * <p>Defined as perftest defines them. Of {@code n} messages there are {@code n - 1} turns {@code d[0..n-2]}, sorted. The
 * two largest do not count: with {@code m = n - 3}, typical, average and standard deviation are those of the first
 * {@code m}, the maximum is {@code d[m]}, and the percentiles are {@code d[ceil(0.99 m)]} and {@code d[ceil(0.999 m)]}.
 *
 * @param messages how many messages were sent
 * @param min the shortest
 * @param max the longest but one
 * @param typical the median
 * @param average the mean
 * @param stdev the standard deviation
 * @param percentile99 99 % are not longer
 * @param percentile999 99.9 % are not longer
 */
public record LatencySummary(
        long messages,
        double min,
        double max,
        double typical,
        double average,
        double stdev,
        double percentile99,
        double percentile999) {
    /** Turns that are dropped as outliers: whatever else a machine does now and then. */
    static final int DROPPED = 2;

    /** With fewer messages there is nothing left to sum up. */
    static final int LEAST_MESSAGES = 5;

    static long rank(double part, long counted) {
        return (long) Math.ceil(counted * part);
    }
}
