// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/**
 * Lets a thread wait until an interrupt handler that may be running has ended ({@code synchronize_irq} of Linux). The
 * device raises one vector at a time, so each count has one writer at a time.
 */
final class HandlerCount {
    private static final int SPINS_BEFORE_YIELD = 100;

    private volatile long begun;
    private volatile long ended;

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time
    void begin() {
        begun++; // before the handler looks anything up; volatile, so ordered with the wait below
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time
    void end() {
        ended++;
    }

    /**
     * Waits for the handlers that have begun. Who has taken an object out of a table before knows that no handler uses it
     * any more. Not for handlers.
     */
    @SuppressWarnings("ThreadPriorityCheck") // the handler may need this core
    void awaitEnd() {
        long target = begun;
        for (int spins = 0; ended < target; spins++) {
            if (spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }
}
