// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.time.Duration;

/**
 * How long a queue pair waits for an acknowledgement before it sends again: 4.096 us times two to the code
 * ({@code timeout} of {@code ibv_modify_qp(3)}; InfiniBand Architecture Specification, volume 1, section 9.7.6.1.3).
 *
 * @param code 0 (wait for ever) to 31
 */
public record AckTimeout(int code) {

    /** For ever. */
    public static final AckTimeout INFINITE = new AckTimeout(0);

    /** 67 ms, code 14: what most programs use. */
    public static final AckTimeout DEFAULT = new AckTimeout(14);

    private static final long BASE_NS = 4096;

    /** Checks the range. */
    public AckTimeout {
        if (code < 0 || code > 31) {
            throw new IllegalArgumentException("an acknowledge timeout has a code of 0 to 31, not " + code);
        }
    }

    /**
     * The shortest timeout of at least a duration.
     *
     * @param duration up to 2.4 hours
     * @return the timeout
     * @throws IllegalArgumentException if there is none that long, or the duration is not positive
     */
    public static AckTimeout atLeast(Duration duration) {
        for (int code = 1; code <= 31; code++) {
            AckTimeout timeout = new AckTimeout(code);
            if (duration.isPositive() && timeout.duration().compareTo(duration) >= 0) {
                return timeout;
            }
        }
        throw new IllegalArgumentException("an acknowledge timeout is more than 0 and at most "
                + new AckTimeout(31).duration() + ", not " + duration);
    }

    /** The duration; zero means for ever. */
    public Duration duration() {
        return code == 0 ? Duration.ZERO : Duration.ofNanos(BASE_NS << code);
    }
}
