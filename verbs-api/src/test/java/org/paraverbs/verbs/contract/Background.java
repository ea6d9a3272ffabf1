// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A call on a thread of its own, which waits for something that this thread brings about. */
final class Background {
    private final Thread thread;
    private final CountDownLatch begun = new CountDownLatch(1);
    private volatile @Nullable Object answer;
    private volatile @Nullable Throwable failure;

    private Background(Callable<?> call) {
        thread = new Thread(() -> {
            begun.countDown();
            try {
                answer = call.call();
            } catch (Throwable e) {
                failure = e;
            }
        });
        thread.setDaemon(true);
    }

    /** Starts a call, and gives it time to begin its waiting: whether it does so in time must not matter. */
    static Background start(Callable<?> call) throws InterruptedException {
        Background background = new Background(call);
        background.thread.start();
        background.begun.await();
        for (int i = 0; i < 200; i++) {
            Waiting.pause();
        }
        return background;
    }

    void interrupt() {
        thread.interrupt();
    }

    /** What the call answered; fails if it threw. */
    @Nullable
    Object answer() throws InterruptedException {
        join();
        assertThat(failure).isNull();
        return answer;
    }

    /** What the call answered, however long that takes: the call has deadlines of its own. Fails if it threw. */
    @Nullable
    Object answerWhenever() throws InterruptedException {
        thread.join();
        if (failure != null) {
            throw new AssertionError("a thread failed", failure);
        }
        return answer;
    }

    /** What the call threw; null if it answered. */
    @Nullable
    Throwable failure() throws InterruptedException {
        join();
        return failure;
    }

    private void join() throws InterruptedException {
        thread.join(Waiting.DEADLINE.toMillis());
        if (thread.isAlive()) {
            AssertionError hang = new AssertionError("a thread waits for ever; where, is in the suppressed exception");
            Throwable where = new Throwable("where it is");
            where.setStackTrace(thread.getStackTrace());
            hang.addSuppressed(where);
            throw hang;
        }
    }
}
