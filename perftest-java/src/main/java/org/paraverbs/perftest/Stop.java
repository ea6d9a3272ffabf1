// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The wish to end a measurement early, from Ctrl-C. The measured loops look at it in every turn; what they have measured
 * is printed before the process ends.
 */
final class Stop {
    private final CountDownLatch reported = new CountDownLatch(1);
    private volatile boolean requested;
    private volatile boolean measuring;

    /** Called in the measured loops: one read of a volatile field. */
    boolean isRequested() {
        return requested;
    }

    /** From here on there is something to report. */
    void measuring() {
        measuring = true;
    }

    /** All that was measured has been printed. */
    void reported() {
        reported.countDown();
    }

    /**
     * Asks the loops to end and waits for their report, if anything is being measured.
     *
     * @param seconds how long to wait at most
     */
    void request(int seconds) {
        requested = true;
        if (measuring) {
            try {
                boolean _ = reported.await(seconds, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
