// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.time;

/** The machine's clock, and waiting on the machine's processors. The only class of perftest that knows either. */
public final class RealTime {
    /** Polls before a thread offers its processor to others, where there are enough processors. */
    private static final int SPINS_WITH_SPARE_CORES = 10_000;

    /** From this number of processors on, two pollers leave room for whoever else must run. */
    private static final int CORES_TO_SPARE = 4;

    private RealTime() {}

    /**
     * The machine's clock.
     *
     * @return a clock that may be shared
     */
    public static Clock clock() {
        return System::nanoTime;
    }

    /**
     * Waiting that spins, and yields when processors are few: two threads that poll on one processor and never yield
     * cost each other a scheduler's time slice, some 4 ms, for every turn.
     *
     * @return a new instance for one thread
     */
    public static Waiting waiting() {
        int cores = Runtime.getRuntime().availableProcessors();
        return new SpinThenYield(cores >= CORES_TO_SPARE ? SPINS_WITH_SPARE_CORES : cores - 1);
    }

    private static final class SpinThenYield implements Waiting {
        private final int spins;
        private int empty;

        private SpinThenYield(int spins) {
            this.spins = spins;
        }

        // Yielding is a plea to the scheduler on purpose: with more pollers than processors nobody else would run.
        @SuppressWarnings("ThreadPriorityCheck")
        @Override
        public void idle() {
            if (empty < spins) {
                empty++;
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }

        @Override
        public void reset() {
            empty = 0;
        }
    }
}
