// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatencySamplesTest {
    @Test
    void definitionsAreThoseOfPerftest() {
        // 10 turns of 1000..8000 ns and two outliers: 11 messages, m = 8.
        long[] turns = {4000, 2000, 1_000_000, 1000, 3000, 8000, 6000, 5000, 7000, 9_000_000};
        LatencySummary summary = of(turns).summary(2);
        assertThat(summary).isNotNull();
        assertThat(summary.messages()).isEqualTo(11);
        assertThat(summary.min()).isEqualTo(0.5);
        // d[m] is the smaller outlier: the second largest of all, although 4.5's first m values leave it out elsewhere.
        assertThat(summary.max()).isEqualTo(500);
        assertThat(summary.typical()).isEqualTo(2.25);
        assertThat(summary.average()).isEqualTo(2.25);
        // Of 0.5, 1, ... 4: the root of 1.3125. 4.5 cuts each difference to a whole number and would get 1.12.
        assertThat(summary.stdev()).isCloseTo(Math.sqrt(1.3125), exactly());
        // ceil(0.99 * 8) = 8
        assertThat(summary.percentile99()).isEqualTo(500);
        assertThat(summary.percentile999()).isEqualTo(500);
    }

    @Test
    void anOddNumberHasAMiddle() {
        LatencySummary summary = of(10, 20, 30, 40, 50).summary(1);
        assertThat(summary).isNotNull();
        assertThat(summary.typical()).isEqualTo(0.020);
        assertThat(summary.max()).isEqualTo(0.040);
    }

    @Test
    void percentilesOfAThousand() {
        var turns = new long[999];
        for (int i = 0; i < turns.length; i++) {
            turns[i] = 1000L * (i + 1);
        }
        LatencySummary summary = of(turns).summary(1);
        assertThat(summary).isNotNull();
        // m = 997: d[ceil(987.03)] = d[988] and d[ceil(996.003)] = d[997], counted from 0.
        assertThat(summary.percentile99()).isEqualTo(989);
        assertThat(summary.percentile999()).isEqualTo(998);
        assertThat(summary.max()).isEqualTo(998);
    }

    @Test
    void fewerThanFiveMessagesSayNothing() {
        assertThat(of(1, 2, 3).summary(2)).isNull();
        assertThat(of(1, 2, 3, 4).summary(2)).isNotNull();
        assertThat(LatencySamples.unlimited().summary(2)).isNull();
    }

    @Test
    void listsAreInBothOrders() {
        LatencySamples samples = of(50, 10, 40, 20, 30);
        List<Long> inOrder = new ArrayList<>();
        List<Long> sorted = new ArrayList<>();
        assertThat(samples.keepsOrder()).isTrue();
        samples.forEachInOrder(inOrder::add);
        samples.forEachSorted(sorted::add);
        assertThat(inOrder).containsExactly(50L, 10L, 40L, 20L, 30L);
        assertThat(sorted).containsExactly(10L, 20L, 30L);
    }

    @Test
    void aHistogramKnowsNoOrderButAllValues() {
        LatencySamples samples = fill(LatencySamples.unlimited(), 50, 10, 40, 20, 30);
        List<Long> sorted = new ArrayList<>();
        assertThat(samples.keepsOrder()).isFalse();
        samples.forEachInOrder(sorted::add);
        assertThat(sorted).isEmpty();
        samples.forEachSorted(sorted::add);
        assertThat(sorted).containsExactly(10L, 20L, 30L);
    }

    @Test
    void longRunsGoToAHistogram() {
        assertThat(LatencySamples.of(1000)).isInstanceOf(ExactLatencies.class);
        assertThat(LatencySamples.of(LatencySamples.EXACT_LIMIT + 1)).isInstanceOf(HistogramLatencies.class);
    }

    /** What the histogram says differs from the exact numbers by its three digits, and not at all where it sums up. */
    @Property(tries = 300)
    void aHistogramAgreesWithinItsDigits(@ForAll long seed, @ForAll @IntRange(min = 4, max = 3000) int count) {
        var random = new Random(seed);
        var turns = new long[count];
        for (int i = 0; i < count; i++) {
            turns[i] = 500 + (long) (Math.abs(random.nextGaussian()) * (random.nextInt(50) == 0 ? 1e7 : 2e3));
        }
        LatencySummary exact = of(turns).summary(2);
        LatencySummary histogram = fill(LatencySamples.unlimited(), turns).summary(2);
        assertThat(exact).isNotNull();
        assertThat(histogram).isNotNull();
        Percentage digits = Percentage.withPercentage(0.11);
        assertThat(histogram.messages()).isEqualTo(exact.messages());
        assertThat(histogram.min()).isCloseTo(exact.min(), digits);
        assertThat(histogram.max()).isCloseTo(exact.max(), exactly());
        assertThat(histogram.typical()).isCloseTo(exact.typical(), digits);
        assertThat(histogram.percentile99()).isCloseTo(exact.percentile99(), digits);
        assertThat(histogram.percentile999()).isCloseTo(exact.percentile999(), digits);
        assertThat(histogram.average()).isCloseTo(exact.average(), Percentage.withPercentage(1e-6));
        assertThat(histogram.stdev()).isCloseTo(exact.stdev(), within(exact.stdev() * 1e-4 + 1e-4));
    }

    private static Offset<Double> exactly() {
        return within(1e-9);
    }

    private static LatencySamples of(long... turns) {
        return fill(LatencySamples.of(turns.length + 1), turns);
    }

    private static LatencySamples fill(LatencySamples samples, long... turns) {
        long nowNs = 123;
        samples.posted(nowNs);
        for (long turn : turns) {
            nowNs += turn;
            samples.posted(nowNs);
        }
        return samples;
    }
}
