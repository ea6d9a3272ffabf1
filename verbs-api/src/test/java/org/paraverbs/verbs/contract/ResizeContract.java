// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.VerbsException;

/** Giving completion queues another size ({@code ibv_resize_cq(3)}). */
public abstract class ResizeContract extends VerbsContract {

    private static final int DEPTH = 64;
    private static final int RESIZES = 2_000;

    @BeforeEach
    final void requireResizing() {
        require(first(), Feature.RESIZE_COMPLETION_QUEUE);
    }

    @Test
    @Covers.Verb({"CompletionQueue.resize", "CompletionQueue.entries"})
    void aQueueHasAtLeastTheEntriesAskedFor() {
        CompletionQueue queue = first().createCompletionQueue(4);
        for (int entries : new int[] {5, 100, 3, 1, 64}) {
            queue.resize(entries);
            assertThat(queue.entries()).isGreaterThanOrEqualTo(entries);
        }
    }

    @Test
    @Covers.Verb("CompletionQueue.resize")
    @Covers.Limit("DeviceAttributes.maxCompletionEntries")
    void sizesThatCannotBeAreRefusedAndTheQueueIsAsItWas() {
        CompletionQueue queue = first().createCompletionQueue(8);
        int before = queue.entries();
        for (int entries :
                new int[] {0, -1, Integer.MIN_VALUE, first().attributes().maxCompletionEntries() + 1}) {
            assertThatThrownBy(() -> queue.resize(entries))
                    .as("%d entries", entries)
                    .isInstanceOfAny(VerbsException.class, IllegalArgumentException.class);
        }
        assertThat(queue.entries()).isEqualTo(before);
        queue.close();
        assertThatThrownBy(() -> queue.resize(8)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Covers.Verb("CompletionQueue.resize")
    void completionsStayAndKeepTheirOrder() {
        Pair pair = connected(Shape.DEFAULT.depth(DEPTH));
        CompletionQueue queue = pair.here().sendCompletions;
        int next = 0;
        int id = 0;
        for (int entries : new int[] {2 * DEPTH, DEPTH, 4 * DEPTH, DEPTH + 1}) {
            // some before and some after, and every time at another place of the ring
            id = write(pair, id, 20);
            Waiting.until("the last of the writes", () -> lastHasArrived(pair));
            queue.resize(entries);
            id = write(pair, id, 17);
            for (; next < id; next++) {
                assertThat(pair.here().sentWell().id()).isEqualTo(next);
            }
        }
        Waiting.assertSilent(queue);
    }

    /** Writes with consecutive ids; the last byte of the peer's memory counts them. */
    private static int write(Pair pair, int from, int count) {
        RemoteBuffer remote = pair.there().memory.remote();
        long last = remote.length() - 1;
        for (int id = from; id < from + count; id++) {
            pair.here().memory.memory().set(JAVA_BYTE, last, (byte) (from + count));
            pair.here()
                    .sends
                    .write(id, remote, last)
                    .local(pair.here().memory, last, 1)
                    .signaled();
        }
        pair.here().sends.post();
        return from + count;
    }

    private static boolean lastHasArrived(Pair pair) {
        long last = pair.there().memory.length() - 1;
        return pair.there().memory.memory().get(JAVA_BYTE, last)
                == pair.here().memory.memory().get(JAVA_BYTE, last);
    }

    @Test
    @Covers.Verb("CompletionQueue.resize")
    void aSizeBelowTheContentIsRefusedAndNothingIsLost() {
        Pair pair = connected(Shape.DEFAULT.depth(DEPTH));
        int count = write(pair, 0, 33);
        Waiting.until("the last of the writes", () -> lastHasArrived(pair));
        // one more round trip, so that the completions of all before are in the queue
        pair.there().receive(1, 0, 8);
        pair.here().sends.send(count).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();
        pair.there().receivedWell();
        Waiting.until("all completions", () -> refusesBelowContent(pair.here().sendCompletions));

        for (int id = 0; id <= count; id++) {
            assertThat(pair.here().sentWell().id()).isEqualTo(id);
        }
        pair.here().sendCompletions.resize(1);
        assertThat(pair.here().sendCompletions.entries()).isGreaterThanOrEqualTo(1);
    }

    /** As long as not all completions have come, the size may be taken; then the queue is given its size back. */
    private static boolean refusesBelowContent(CompletionQueue queue) {
        try {
            queue.resize(32);
            queue.resize(DEPTH);
            return false;
        } catch (VerbsException e) {
            assertThat(e).hasMessageContaining("ibv_resize_cq");
            return true;
        }
    }

    @Test
    @Covers.Verb("CompletionQueue.resize")
    void pollingGoesOnMeanwhile() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.depth(DEPTH));
        CompletionQueue queue = pair.here().sendCompletions;
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong polled = new AtomicLong();
        int resizes = Math.max(50, repetitions(RESIZES));
        Background resizer = Background.start(() -> {
            try {
                for (int i = 0; i < resizes; i++) {
                    // each time while the other thread is in the middle of its polling
                    long before = polled.get();
                    Waiting.until("progress of the thread that polls", () -> polled.get() > before);
                    queue.resize(DEPTH + 1 + i * 7 % 200);
                }
            } finally {
                done.set(true);
            }
            return resizes;
        });
        RemoteBuffer remote = pair.there().memory.remote();
        while (!done.get()) {
            long id = polled.get();
            for (int i = 0; i < 8; i++) {
                pair.here()
                        .sends
                        .write(id + i, remote, 0)
                        .local(pair.here().memory, 0, 8)
                        .signaled();
            }
            pair.here().sends.post();
            for (int i = 0; i < 8; i++) {
                assertThat(pair.here().sentWell().id()).isEqualTo(polled.getAndIncrement());
            }
        }
        assertThat(resizer.answer()).isEqualTo(resizes);
        Waiting.assertSilent(queue);
    }

    @Test
    void aDeviceNotifiesOfAResizedQueueToo() throws InterruptedException {
        require(first(), Feature.COMPLETION_CHANNEL);
        Pair pair = connected(Shape.DEFAULT.channel());
        var channel = pair.here().channel;
        assertThat(channel).isNotNull();
        pair.here().sendCompletions.resize(200);
        pair.here().sendCompletions.requestNotification(false);
        write(pair, 0, 1);
        assertThat(channel.await(Waiting.DEADLINE)).isSameAs(pair.here().sendCompletions);
        pair.here().sentWell();
    }
}
