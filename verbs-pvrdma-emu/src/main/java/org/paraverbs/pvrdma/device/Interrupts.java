// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The device's interrupt vectors, with the cause and the mask register. What raises a vector goes through here, so this
 * is where interrupts would be held back to be raised for several completions at once.
 */
final class Interrupts {
    private final InterruptSink sink;
    private final AtomicInteger causes = new AtomicInteger();

    /** As after power-on: all masked. */
    private volatile int mask = -1;

    Interrupts(InterruptSink sink) {
        this.sink = sink;
    }

    /** Raises a vector unless it is masked; the cause is kept either way. */
    void raise(int vector) {
        int cause = 1 << vector;
        causes.getAndAccumulate(cause, Interrupts::or);
        if ((mask & cause) == 0) {
            sink.raise(vector);
        }
    }

    /** The causes since the last call, as the register ICR gives them. */
    int takeCauses() {
        return causes.getAndSet(0);
    }

    private static int or(int a, int b) {
        return a | b;
    }

    int mask() {
        return mask;
    }

    void mask(int value) {
        mask = value;
    }

    void reset() {
        mask = -1;
        causes.set(0);
    }
}
