// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The two five-bit codes for durations. */
class TimersTest {

    /** Table 45 of the InfiniBand Architecture Specification, volume 1, in microseconds by code. */
    private static final int[] RNR_MICROSECONDS = {
        655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1_280, 1_920, 2_560, 3_840, 5_120, 7_680,
        10_240, 15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840, 245_760, 327_680, 491_520
    };

    @Test
    void theRnrTimersAreThoseOfTheSpecification() {
        assertThat(IntStream.range(0, 32)
                        .mapToLong(code -> new RnrTimer(code).duration().toNanos() / 1_000)
                        .toArray())
                .isEqualTo(IntStream.of(RNR_MICROSECONDS).asLongStream().toArray());
        assertThat(new RnrTimer(0).durationNs()).isEqualTo(655_360_000L);
        assertThat(RnrTimer.DEFAULT.duration()).isEqualTo(Duration.ofNanos(640_000));
    }

    @Test
    void theShortestRnrTimerThatIsLongEnoughIsChosen() {
        assertThat(RnrTimer.atLeast(Duration.ZERO)).isEqualTo(new RnrTimer(1));
        assertThat(RnrTimer.atLeast(Duration.ofNanos(10_000))).isEqualTo(new RnrTimer(1));
        assertThat(RnrTimer.atLeast(Duration.ofNanos(10_001))).isEqualTo(new RnrTimer(2));
        assertThat(RnrTimer.atLeast(Duration.ofMillis(491))).isEqualTo(new RnrTimer(31));
        assertThat(RnrTimer.atLeast(Duration.ofMillis(492))).isEqualTo(new RnrTimer(0));
        assertThat(RnrTimer.atLeast(Duration.ofNanos(655_360_000))).isEqualTo(new RnrTimer(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RnrTimer.atLeast(Duration.ofNanos(655_360_001)))
                .withMessageContaining("655.36 ms");
        for (int code = 0; code < 32; code++) {
            assertThat(RnrTimer.atLeast(new RnrTimer(code).duration())).isEqualTo(new RnrTimer(code));
        }
    }

    @Test
    void theAcknowledgeTimeoutDoublesWithItsCode() {
        assertThat(new AckTimeout(1).duration()).isEqualTo(Duration.ofNanos(8_192));
        assertThat(AckTimeout.DEFAULT.duration()).isEqualTo(Duration.ofNanos(67_108_864));
        assertThat(new AckTimeout(31).duration()).isEqualTo(Duration.ofNanos(8_796_093_022_208L));
        assertThat(AckTimeout.INFINITE.duration()).isZero();
        for (int code = 2; code < 32; code++) {
            assertThat(new AckTimeout(code).duration())
                    .isEqualTo(new AckTimeout(code - 1).duration().multipliedBy(2));
        }
    }

    @Test
    void theShortestAcknowledgeTimeoutThatIsLongEnoughIsChosen() {
        assertThat(AckTimeout.atLeast(Duration.ofNanos(1))).isEqualTo(new AckTimeout(1));
        assertThat(AckTimeout.atLeast(Duration.ofNanos(8_192))).isEqualTo(new AckTimeout(1));
        assertThat(AckTimeout.atLeast(Duration.ofNanos(8_193))).isEqualTo(new AckTimeout(2));
        assertThat(AckTimeout.atLeast(Duration.ofMillis(67))).isEqualTo(AckTimeout.DEFAULT);
        assertThat(AckTimeout.atLeast(Duration.ofHours(2))).isEqualTo(new AckTimeout(31));
        for (Duration wrong : new Duration[] {Duration.ZERO, Duration.ofNanos(-1), Duration.ofHours(3)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> AckTimeout.atLeast(wrong))
                    .withMessageContaining(wrong.toString());
        }
    }

    @Test
    void codesHaveFiveBits() {
        for (int code : new int[] {-1, 32}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new RnrTimer(code))
                    .withMessageContaining("0 to 31, not " + code);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new AckTimeout(code))
                    .withMessageContaining("0 to 31, not " + code);
        }
    }
}
