// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.Cqe;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.PostException;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/** The rings as the provider uses them, in good order and in bad. */
class RingTest {

    /** A header page and room for 1024 entries: a size that no other mapping of these tests has. */
    private static final int QUEUE_BYTES = 4096 + 1024 * 64;

    /** A header page, 128 requests of 128 bytes, 128 receives of 32 bytes: likewise. */
    private static final int RINGS_BYTES = 4096 + 128 * 128 + 128 * 32;

    // Three queue pairs in all, so that handles are used again soon.
    private final OpenGuest guest =
            new OpenGuest(DeviceConfiguration.builder().maxQp(3).build());
    private final CompletionQueue queue = guest.context.createCompletionQueue(256);

    @AfterEach
    void close() {
        guest.close();
    }

    @Test
    void ringsTurnManyTimes() {
        QueuePair pair = guest.loop(queue, 64);
        long posted = 0;
        for (int round = 0; round < 1_000; round++) {
            int batch = 1 + round % 64;
            for (int i = 0; i < batch; i++) {
                pair.sendQueue()
                        .write(posted + i, guest.memory.remote(), 8)
                        .local(guest.memory, 0, 8)
                        .signaled();
            }
            pair.sendQueue().post();
            for (int i = 0; i < batch; i++) {
                assertThat(next().id()).isEqualTo(posted++);
            }
            assertThat(pair.sendQueue().available()).isEqualTo(64);
        }
    }

    @Test
    void completionsOfAClosedQueuePairAreTakenOutAndTheOthersStayInOrder() {
        // the completion ring begins anywhere, so that what is taken out may lie around its end
        for (int start = 0; start < 260; start += 13) {
            QueuePair staying = guest.loop(queue, 64);
            QueuePair going = guest.loop(queue, 64);
            for (int i = 0; i < start; i++) {
                guest.write(staying, -1);
                next();
            }
            List<Long> expected = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                boolean stays = i % 3 == start % 3 || i > 100;
                guest.write(stays ? staying : going, i);
                if (stays) {
                    expected.add((long) i);
                }
            }
            going.close();
            // its handle is the only free one, so a new queue pair gets it
            QueuePair successor = guest.loop(queue, 64);
            guest.write(successor, 1000);
            expected.add(1000L);

            List<Long> polled = new ArrayList<>();
            for (WorkCompletion completion = queue.poll(); completion != null; completion = queue.poll()) {
                polled.add(completion.requireSuccess().id());
                assertThat(completion.qpn()).isEqualTo(completion.id() == 1000 ? successor.qpn() : staying.qpn());
            }
            assertThat(polled).isEqualTo(expected);
            staying.close();
            successor.close();
        }
    }

    @Test
    void aResetTakesOutWhatWasNotPolled() {
        QueuePair staying = guest.loop(queue, 64);
        QueuePair reset = guest.loop(queue, 64);
        for (int i = 0; i < 20; i++) {
            guest.write(i % 2 == 0 ? staying : reset, i);
        }
        reset.modify(new org.paraverbs.verbs.Transition.ToReset());

        for (int i = 0; i < 20; i += 2) {
            assertThat(next().id()).isEqualTo(i);
        }
        assertThat(queue.poll()).isNull();
        reset.connect(reset.endpoint());
        guest.write(reset, 99);
        assertThat(next().id()).isEqualTo(99);
    }

    @Test
    void closingAQueuePairDoesNotDisturbWhoPollsItsCompletionQueue() throws InterruptedException {
        QueuePair staying = guest.loop(queue, 64);
        boolean[] stop = new boolean[1];
        @Nullable Throwable[] failure = new Throwable[1];
        Thread poller = new Thread(() -> {
            try {
                while (!stop[0]) {
                    guest.write(staying, 1);
                    next();
                }
            } catch (Throwable e) {
                failure[0] = e;
            }
        });
        poller.start();
        for (int i = 0; i < 300; i++) {
            guest.loop(queue, 64).close();
        }
        stop[0] = true;
        poller.join();

        assertThat(failure[0]).isNull();
    }

    @Test
    void aCompletionOfAnUnknownQueuePairIsSkipped() {
        QueuePair pair = guest.loop(queue, 64);
        for (int i = 0; i < 3; i++) {
            guest.write(pair, i);
        }
        MemorySegment ring = guest.mappingOf(QUEUE_BYTES);
        Cqe.qp(ring, 4096, 0xfffe);
        Cqe.qp(ring, 4096 + 64, 0xffff_0002L); // one that could be, but is not

        assertThat(next().id()).isEqualTo(2);
        assertThat(queue.poll()).isNull();
    }

    @Test
    void aCompletionQueueWithCorruptIndicesIsLost() {
        MemorySegment ring = guest.mappingOf(QUEUE_BYTES);
        for (int tail : new int[] {512, -1, Integer.MIN_VALUE, 257}) {
            RingState.publishProdTail(ring, RingState.RX_OFFSET, tail);
            assertThatThrownBy(queue::poll)
                    .as("%d", tail)
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EIO))
                    .hasMessageContaining("ibv_poll_cq")
                    .hasMessageContaining("the queue is lost");
        }
        queue.close();
    }

    @Test
    void aQueuePairOfALostCompletionQueueIsClosedAllTheSame() {
        QueuePair pair = guest.loop(queue, 64);
        RingState.publishProdTail(guest.mappingOf(QUEUE_BYTES), RingState.RX_OFFSET, -1);
        pair.close();
        queue.close();
    }

    @Test
    void whatTheProgramWritesInTheConsumersIndexIsNotBelieved() {
        MemorySegment ring = guest.mappingOf(QUEUE_BYTES);
        QueuePair pair = guest.loop(queue, 64);
        guest.write(pair, 1);
        RingState.publishConsHead(ring, RingState.RX_OFFSET, 77);
        assertThat(next().id()).isEqualTo(1);
        assertThat(RingState.consHead(ring, RingState.RX_OFFSET)).isEqualTo(1);
    }

    @Test
    void aSendRingWithACorruptConsumersIndexIsFull() {
        QueuePair pair = guest.loop(queue, 128);
        MemorySegment rings = guest.mappingOf(RINGS_BYTES);
        for (int head : new int[] {256, -1, Integer.MIN_VALUE}) {
            RingState.publishConsHead(rings, RingState.TX_OFFSET, head);
            RingState.publishConsHead(rings, RingState.RX_OFFSET, head);
            assertThat(pair.sendQueue().available()).isZero();
            assertThat(pair.receiveQueue().available()).isZero();
            pair.sendQueue().send(1);
            assertThat(pair.sendQueue().tryPost()).isZero();
            pair.receiveQueue().receive(1);
            assertThatThrownBy(pair.receiveQueue()::post).isInstanceOf(PostException.class);
        }
        RingState.publishConsHead(rings, RingState.TX_OFFSET, 0);
        guest.write(pair, 5);
        assertThat(next().id()).isEqualTo(5);
    }

    @Test
    void slotsOfReceivesAreFreeWhenTheirCompletionsHaveBeenPolled() {
        QueuePair pair = guest.loop(queue, 8);
        for (int turn = 0; turn < 50; turn++) {
            for (int i = 0; i < 8; i++) {
                pair.receiveQueue().receive(i);
                pair.sendQueue().send(100 + i);
            }
            pair.receiveQueue().post();
            pair.sendQueue().post();
            for (int i = 0; i < 8; i++) {
                assertThat(pair.receiveQueue().available()).isEqualTo(i);
                assertThat(next().id()).isEqualTo(i);
            }
            assertThat(pair.receiveQueue().available()).isEqualTo(8);
        }
        pair.receiveQueue().receive(1);
        pair.receiveQueue().receive(2);
        pair.receiveQueue().post();
        pair.sendQueue().send(3);
        pair.sendQueue().post();
        pair.modify(new org.paraverbs.verbs.Transition.ToError());
        pair.modify(new org.paraverbs.verbs.Transition.ToReset());
        assertThat(pair.receiveQueue().available()).as("after a reset").isEqualTo(8);
    }

    @Test
    void requestsOfSeveralElementsHaveTheirOwnDistance() {
        QueuePair pair = guest.domain.createQueuePair(
                QueuePairSpec.reliable(queue).withDepth(4).withElements(16, 16));
        pair.connect(pair.endpoint());
        for (int turn = 0; turn < 10; turn++) {
            var request = pair.sendQueue().write(turn, guest.memory.remote(), 256);
            for (int i = 0; i < 16; i++) {
                guest.memory.memory().set(java.lang.foreign.ValueLayout.JAVA_BYTE, i * 2L, (byte) (turn + i));
                request.local(guest.memory, i * 2L, 1);
            }
            request.signaled();
            pair.sendQueue().post();
            next();
            for (int i = 0; i < 16; i++) {
                assertThat(guest.memory.memory().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 256 + i))
                        .isEqualTo((byte) (turn + i));
            }
        }
    }

    private CompletionRecord next() {
        for (int i = 0; i < 1_000_000; i++) {
            WorkCompletion completion = queue.poll();
            if (completion != null) {
                return completion.requireSuccess().copy();
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no completion came");
    }
}
