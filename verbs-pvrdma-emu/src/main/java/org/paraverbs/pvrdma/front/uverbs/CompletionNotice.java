// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.util.function.IntConsumer;

/** What the driver runs for a notification of a completion queue, on whatever thread runs the device. */
final class CompletionNotice implements Runnable {
    private final IntConsumer onCompletion;

    /** Known only when the queue exists, and nobody can have armed it before. */
    private volatile int handle = -1;

    CompletionNotice(IntConsumer onCompletion) {
        this.onCompletion = onCompletion;
    }

    void handle(int value) {
        handle = value;
    }

    @Override
    public void run() {
        onCompletion.accept(handle);
    }
}
