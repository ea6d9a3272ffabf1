// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.paraverbs.perftest.DurationWindow.Phase;

class DurationWindowTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void goesThroughItsPhases() {
        var window = new DurationWindow(10, 2);
        window.begin(5 * SECOND);
        assertThat(window.update(7 * SECOND - 1)).isEqualTo(Phase.START);
        assertThat(window.update(7 * SECOND)).isEqualTo(Phase.SAMPLE);
        assertThat(window.isSampling()).isTrue();
        assertThat(window.update(13 * SECOND - 1)).isEqualTo(Phase.SAMPLE);
        assertThat(window.update(13 * SECOND)).isEqualTo(Phase.STOP);
        assertThat(window.update(15 * SECOND)).isEqualTo(Phase.END);
        assertThat(window.sampledNs()).isEqualTo(6 * SECOND);
    }

    @Test
    void countsTheTimeThatTheSampleReallyTook() {
        var window = new DurationWindow(4, 1);
        window.begin(0);
        window.update(SECOND + 7);
        // The thread was away: the sample is longer than it should be, and so is the time it is divided by.
        window.update(9 * SECOND);
        assertThat(window.sampledNs()).isEqualTo(8 * SECOND - 7);
    }

    @Test
    void withoutAMarginItSamplesAtOnce() {
        var window = new DurationWindow(1, 0);
        window.begin(0);
        assertThat(window.isSampling()).isTrue();
        assertThat(window.update(SECOND)).isEqualTo(Phase.END);
    }

    @Test
    void anInterruptionCutsTheSample() {
        var window = new DurationWindow(4, 0);
        window.begin(0);
        window.cut(3 * SECOND);
        assertThat(window.sampledNs()).isEqualTo(3 * SECOND);
        assertThat(window.update(3 * SECOND)).isEqualTo(Phase.END);
    }
}
