// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** A thread that writes into the send work requests of a queue pair while the device reads them. */
final class Scribbler implements AutoCloseable {
    private static final int SLOTS = 64;

    private final MockQueuePair pair;
    private final Random random;
    private final Thread thread;
    private volatile boolean stopped;

    Scribbler(MockQueuePair pair, long seed) {
        this.pair = pair;
        random = new Random(seed);
        thread = Thread.ofPlatform().daemon().start(this::run);
    }

    private void run() {
        while (!stopped) {
            MemorySegment place = pair.anySend(random.nextInt(SLOTS));
            long at = 4L * random.nextInt((int) place.byteSize() / 4);
            int was = place.get(ValueLayout.JAVA_INT, at);
            place.set(ValueLayout.JAVA_INT, at, was ^ 1 << random.nextInt(Integer.SIZE));
            Thread.onSpinWait();
            place.set(ValueLayout.JAVA_INT, at, was);
        }
    }

    @Override
    public void close() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
