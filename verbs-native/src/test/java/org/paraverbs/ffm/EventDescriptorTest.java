// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.paraverbs.ffm.lib.LibC;
import org.paraverbs.ffm.lib.NativeCall;

/** With a descriptor of our own in the place of a device's: needs no library and no device. */
@Timeout(60)
class EventDescriptorTest {
    private static final Duration LONG = Duration.ofDays(10_000);

    private final int source = NativeCall.nonNegative("eventfd", "", errno -> "", errno -> LibC.eventfd(errno, 0, 0));
    private final EventDescriptor events = new EventDescriptor("channel", source);

    @AfterEach
    void close() {
        events.close();
        LibC.close(source);
    }

    private void raise() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_LONG, 1);
            NativeCall.nonNegative("write", "", errno -> "", errno -> (int) LibC.write(errno, source, one, 8));
        }
    }

    private boolean await(Duration timeout) throws InterruptedException {
        events.enter();
        try {
            return events.await(EventDescriptor.deadline(timeout));
        } finally {
            events.exit();
        }
    }

    /** Starts a thread that waits and answers when it is about to. */
    private static <T> FutureTask<T> start(Callable<T> waiting) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        FutureTask<T> task = new FutureTask<>(() -> {
            started.countDown();
            return waiting.call();
        });
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        started.await();
        return task;
    }

    @Test
    void anEventThatIsThereIsSeenAtOnce() throws InterruptedException {
        raise();
        assertThat(await(Duration.ZERO)).isTrue();
    }

    @Test
    void waitingEndsAfterTheTimeout() throws InterruptedException {
        long start = System.nanoTime();
        assertThat(await(Duration.ofMillis(120))).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(120_000_000);
        assertThat(await(Duration.ZERO)).isFalse();
        assertThat(await(Duration.ofSeconds(-1))).isFalse();
    }

    @Test
    void anEventWakes() throws Exception {
        FutureTask<Boolean> waiting = start(() -> await(LONG));
        raise();
        assertThat(waiting.get()).isTrue();
    }

    @Test
    void closingWakesAllThatWait() throws Exception {
        FutureTask<Boolean> first = start(() -> await(LONG));
        FutureTask<Boolean> second = start(() -> await(Duration.ofSeconds(Long.MAX_VALUE)));
        events.close();
        for (FutureTask<Boolean> waiting : java.util.List.of(first, second)) {
            assertThatThrownBy(waiting::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("channel is closed");
        }
    }

    @Test
    void closingWaitsForWhoeverIsInside() throws Exception {
        events.enter();
        FutureTask<Boolean> closing = start(() -> {
            events.close();
            return true;
        });
        while (true) {
            // Closed to others from the first moment on, while we may still finish.
            try {
                events.enter();
                events.exit();
            } catch (IllegalStateException e) {
                break;
            }
        }
        assertThat(closing.isDone()).isFalse();
        events.exit();
        assertThat(closing.get()).isTrue();
    }

    @Test
    void anInterruptEndsTheWaiting() throws Exception {
        Thread[] waiter = new Thread[1];
        FutureTask<Boolean> waiting = start(() -> {
            waiter[0] = Thread.currentThread();
            Thread.currentThread().interrupt();
            return await(LONG);
        });
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(InterruptedException.class);

        CountDownLatch inside = new CountDownLatch(1);
        FutureTask<Boolean> later = start(() -> {
            waiter[0] = Thread.currentThread();
            inside.countDown();
            return await(LONG);
        });
        inside.await();
        waiter[0].interrupt();
        assertThatThrownBy(later::get).hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void aClosedOneRefuses() {
        events.close();
        events.close();
        assertThatThrownBy(events::enter)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("channel is closed");
    }
}
