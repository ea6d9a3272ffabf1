// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/** Completion queues get another size, with completions in them and while they are polled. */
class ResizeTest {

    private final OpenGuest guest =
            new OpenGuest(DeviceConfiguration.builder().maxCqe(2048).build());
    private final CompletionQueue queue = guest.context.createCompletionQueue(16);

    @AfterEach
    void close() {
        guest.close();
    }

    @Test
    void whatIsInTheQueueStaysWhereverTheRingStood() {
        assertThat(guest.context.supports(Feature.RESIZE_COMPLETION_QUEUE)).isTrue();
        QueuePair pair = guest.loop(queue, 128);
        int[] sizes = {32, 8, 128, 7, 1024, 4, 16};
        long posted = 0;
        long polled = 0;
        for (int turn = 0; turn < 70; turn++) {
            // the ring begins anywhere, and has up to 4 entries when it is resized
            for (int i = 0; i < 5; i++) {
                guest.write(pair, posted++);
                assertThat(next(queue)).isEqualTo(polled++);
            }
            for (int i = 0; i < turn % 5; i++) {
                guest.write(pair, posted++);
            }
            queue.resize(sizes[turn % sizes.length]);
            assertThat(queue.entries()).isEqualTo(Integer.highestOneBit(2 * sizes[turn % sizes.length] - 1));
            while (polled < posted) {
                assertThat(next(queue)).isEqualTo(polled++);
            }
            assertThat(queue.poll()).isNull();
        }
    }

    @Test
    void aGrownQueueTakesAsMuchAsItSays() {
        QueuePair pair = guest.loop(queue, 128);
        queue.resize(64);
        for (int i = 0; i < 64; i++) {
            guest.write(pair, i);
        }
        assertThat(guest.context.pollAsyncEvent()).isNull();
        for (int i = 0; i < 64; i++) {
            assertThat(next(queue)).isEqualTo(i);
        }
    }

    @Test
    void sizesThatCannotBe() {
        QueuePair pair = guest.loop(queue, 128);
        for (int i = 0; i < 9; i++) {
            guest.write(pair, i);
        }
        refused(8, Errno.EINVAL).hasMessageContaining("9 completions are in it, which 8 entries cannot hold");
        refused(0, Errno.EINVAL).hasMessageContaining("max_cqe");
        refused(-1, Errno.EINVAL).hasMessageContaining("max_cqe");
        refused(2049, Errno.EINVAL).hasMessageContaining("max_cqe");
        refused(1025, Errno.EINVAL).hasMessageContaining("here to 1024 entries: create a larger one");
        assertThat(queue.entries()).isEqualTo(16);
        for (int i = 0; i < 9; i++) {
            assertThat(next(queue)).isEqualTo(i);
        }
        CompletionQueue largest = guest.context.createCompletionQueue(2000);
        largest.resize(2048);
        largest.resize(1);
        largest.resize(2048);
        largest.close();
        assertThatThrownBy(() -> largest.resize(1)).isInstanceOf(IllegalStateException.class);
    }

    private AbstractThrowableAssert<?, ?> refused(int entries, Errno errno) {
        return assertThatThrownBy(() -> queue.resize(entries))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(errno))
                .hasMessageContaining("ibv_resize_cq(CQ ");
    }

    @Test
    void nothingIsLostWhileAnotherThreadPolls() throws InterruptedException {
        QueuePair pair = guest.loop(queue, 128);
        AtomicLong seen = new AtomicLong();
        boolean[] stop = new boolean[1];
        @Nullable Throwable[] failure = new Throwable[1];
        Thread poller = new Thread(() -> {
            try {
                while (!stop[0]) {
                    guest.write(pair, seen.get());
                    guest.write(pair, seen.get() + 1);
                    for (int i = 0; i < 2; i++) {
                        assertThat(next(queue)).isEqualTo(seen.getAndIncrement());
                    }
                }
            } catch (Throwable e) {
                failure[0] = e;
            }
        });
        poller.start();
        for (int i = 0; i < 2_000; i++) {
            queue.resize(2 << i % 8);
        }
        long during = seen.get();
        stop[0] = true;
        poller.join();
        assertThat(failure[0]).isNull();
        assertThat(seen.get()).isGreaterThanOrEqualTo(during);
    }

    private static long next(CompletionQueue queue) {
        for (int i = 0; i < 100_000_000; i++) {
            WorkCompletion completion = queue.poll();
            if (completion != null) {
                return completion.requireSuccess().id();
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no completion came");
    }
}
