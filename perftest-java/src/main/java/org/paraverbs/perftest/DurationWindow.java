// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.concurrent.TimeUnit;

/**
 * The time of {@code -D}: a margin that warms up, a sample that counts, a margin in which the other side's sample may
 * still run, and the end. The phases change when {@link #update} is called, so what it returns is true for what follows.
 */
final class DurationWindow {
    /** The phases, in their order. */
    enum Phase {
        START,
        SAMPLE,
        STOP,
        END
    }

    private final long marginNs;
    private final long sampleNs;
    private Phase phase = Phase.START;
    private long beginNs;
    private long sampleBeginNs;
    private long sampleEndNs;

    /**
     * Creates a window that has not begun.
     *
     * @param durationSeconds the whole time, longer than twice the margin
     * @param marginSeconds each margin
     */
    DurationWindow(int durationSeconds, int marginSeconds) {
        marginNs = TimeUnit.SECONDS.toNanos(marginSeconds);
        sampleNs = TimeUnit.SECONDS.toNanos(durationSeconds) - 2 * marginNs;
    }

    void begin(long nowNs) {
        beginNs = nowNs;
        update(nowNs);
    }

    /** Moves on, over several phases if the thread was away for long. */
    Phase update(long nowNs) {
        long elapsedNs = nowNs - beginNs;
        if (phase == Phase.START && elapsedNs >= marginNs) {
            phase = Phase.SAMPLE;
            sampleBeginNs = nowNs;
            sampleEndNs = nowNs;
        }
        if (phase == Phase.SAMPLE && nowNs - sampleBeginNs >= sampleNs) {
            phase = Phase.STOP;
            sampleEndNs = nowNs;
        }
        if (phase == Phase.STOP && nowNs - sampleEndNs >= marginNs) {
            phase = Phase.END;
        }
        return phase;
    }

    /** Ends the sample before its time, at an interruption. */
    void cut(long nowNs) {
        if (phase == Phase.SAMPLE) {
            phase = Phase.END;
            sampleEndNs = nowNs;
        }
    }

    boolean isSampling() {
        return phase == Phase.SAMPLE;
    }

    /** The time that the sample really took. */
    long sampledNs() {
        return sampleEndNs - sampleBeginNs;
    }
}
