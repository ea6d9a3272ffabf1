// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.time.Duration;

/**
 * How long a peer is asked to wait when a message found no receive ({@code min_rnr_timer} of {@code ibv_modify_qp(3)};
 * InfiniBand Architecture Specification, volume 1, table 45).
 *
 * @param code 0 (655.36 ms, the longest), 1 (0.01 ms, the shortest) to 31 (491.52 ms)
 */
public record RnrTimer(int code) {

    /** 0.64 ms, code 12: what most programs use. */
    public static final RnrTimer DEFAULT = new RnrTimer(12);

    /** In steps of 10 us, by code. */
    private static final int[] TENS_OF_MICROSECONDS = {
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12288, 16384, 24576, 32768, 49152
    };

    /** Checks the range. */
    public RnrTimer {
        if (code < 0 || code > 31) {
            throw new IllegalArgumentException("an RNR timer has a code of 0 to 31, not " + code);
        }
    }

    /**
     * The shortest timer of at least a duration.
     *
     * @param duration up to 655.36 ms
     * @return the timer
     * @throws IllegalArgumentException if there is none that long
     */
    public static RnrTimer atLeast(Duration duration) {
        for (int code = 1; code <= 32; code++) {
            RnrTimer timer = new RnrTimer(code & 31);
            if (timer.duration().compareTo(duration) >= 0) {
                return timer;
            }
        }
        throw new IllegalArgumentException("an RNR timer is at most 655.36 ms, not " + duration);
    }

    /** The duration. */
    public Duration duration() {
        return Duration.ofNanos(durationNs());
    }

    /** The duration in nanoseconds. Allocates nothing. */
    public long durationNs() {
        return TENS_OF_MICROSECONDS[code] * 10_000L;
    }
}
