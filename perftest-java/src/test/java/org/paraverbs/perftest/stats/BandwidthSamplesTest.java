// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.random.RandomGenerator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BandwidthSamplesTest {
    @Test
    void averageIsFromTheFirstPostToTheLastCompletion() {
        var samples = BandwidthSamples.withPeak(1, 4, 4);
        samples.posted(1_000);
        samples.posted(1_100);
        samples.completed(1, 2_000);
        samples.completed(2, 3_000);
        assertThat(samples.messages()).isEqualTo(2);
        assertThat(samples.averagePerSecond()).isCloseTo(1e6, within(1e-6));
    }

    @Test
    void peakIsTheBestStretchNotTheBestMessage() {
        // Three posted at once complete at 900, 1000 and 1010 ns: alone the first takes 900, three of them 337 each.
        var samples = BandwidthSamples.withPeak(1, 3, 3);
        samples.posted(0);
        samples.posted(0);
        samples.posted(0);
        samples.completed(1, 900);
        samples.completed(2, 1000);
        samples.completed(3, 1010);
        assertThat(samples.peakPerSecond()).isCloseTo(3e9 / 1010, within(1e-3));
    }

    @Test
    void withoutPeakOnlyTheTwoEndsCount() {
        var samples = BandwidthSamples.averageOnly();
        assertThat(samples.wantsPeak()).isFalse();
        samples.start(5_000);
        samples.end(100, 15_000);
        assertThat(samples.averagePerSecond()).isCloseTo(1e7, within(1e-6));
        assertThat(samples.peakPerSecond()).isZero();
    }

    @Test
    void nothingMeasuredIsZero() {
        assertThat(BandwidthSamples.withPeak(1, 1, 1).averagePerSecond()).isZero();
        assertThat(BandwidthSamples.withPeak(1, 1, 1).peakPerSecond()).isZero();
        assertThat(BandwidthSamples.averageOnly().averagePerSecond()).isZero();
    }

    /** Against the definition: all pairs. */
    @Property(tries = 500)
    void theHullFindsWhatAllPairsFind(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 60) int posts,
            @ForAll @IntRange(min = 1, max = 4) int postList,
            @ForAll @IntRange(min = 1, max = 5) int moderation) {
        var random = new java.util.Random(seed);
        long[] postedNs = ascending(random, posts, 0);
        int completions = Math.ceilDiv(posts * postList, moderation);
        var completedTotal = new long[completions];
        for (int i = 0; i < completions; i++) {
            completedTotal[i] = Math.min((long) (i + 1) * moderation, (long) posts * postList);
        }
        long[] completedNs = ascending(random, completions, 0);
        for (int i = 0; i < completions; i++) {
            int lastPost = (int) ((completedTotal[i] - 1) / postList);
            completedNs[i] =
                    Math.max(i == 0 ? 0 : completedNs[i - 1], Math.max(completedNs[i], postedNs[lastPost] + 1));
        }
        double expected = Double.POSITIVE_INFINITY;
        for (int i = 0; i < posts; i++) {
            for (int j = 0; j < completions; j++) {
                long messages = completedTotal[j] - (long) i * postList;
                if (messages > 0) {
                    expected = Math.min(expected, (double) (completedNs[j] - postedNs[i]) / messages);
                }
            }
        }
        double found =
                PeakSearch.leastNsPerMessage(postList, postedNs, posts, completedTotal, completedNs, completions);
        assertThat(found).isCloseTo(expected, within(expected * 1e-12));
    }

    private static long[] ascending(RandomGenerator random, int count, long first) {
        var values = new long[count];
        long value = first;
        for (int i = 0; i < count; i++) {
            value += random.nextInt(4) == 0 ? random.nextInt(10_000) : random.nextInt(50);
            values[i] = value;
        }
        return values;
    }
}
