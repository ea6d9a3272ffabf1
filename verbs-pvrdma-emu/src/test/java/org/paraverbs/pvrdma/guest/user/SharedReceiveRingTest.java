// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.PostException;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/** Shared receive queues: the ring, who takes from it, and what the driver asks first. */
class SharedReceiveRingTest {

    /** A header page and twice 64 receives of 64 bytes: a size that no other mapping of these tests has. */
    private static final int RING_BYTES = 4096 + 2 * 64 * 64;

    private final OpenGuest guest = new OpenGuest(
            DeviceConfiguration.builder().maxSrq(2).maxSrqWr(64).maxSrqSge(3).build());
    private final CompletionQueue queue = guest.context.createCompletionQueue(256);

    @AfterEach
    void close() {
        guest.close();
    }

    private QueuePair loop(SharedReceiveQueue receives) {
        QueuePair pair = guest.domain.createQueuePair(
                QueuePairSpec.reliable(queue).withDepth(64).withSharedReceiveQueue(receives));
        pair.connect(pair.endpoint());
        return pair;
    }

    private void post(SharedReceiveQueue receives, long id) {
        receives.receiveQueue().receive(id).local(guest.memory, 512, 8);
        receives.receiveQueue().post();
    }

    private void send(QueuePair pair, long id) {
        pair.sendQueue().send(id).local(guest.memory, 0, 8).signaled();
        pair.sendQueue().post();
    }

    /** The next completions of receives, those of sends left out. */
    private List<Long> received() {
        List<Long> ids = new ArrayList<>();
        for (WorkCompletion completion = queue.poll(); completion != null; completion = queue.poll()) {
            if (completion.requireSuccess().opcode().isReceive()) {
                ids.add(completion.id());
            }
        }
        return ids;
    }

    @Test
    void sizesAreRoundedUpAndLimitsSayHowToRaiseThem() {
        assertThat(guest.context.supports(Feature.SHARED_RECEIVE_QUEUE)).isTrue();
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(33, 2);
        assertThat(receives.receives()).isEqualTo(64);
        assertThat(receives.elements()).isEqualTo(2);
        assertThat(receives.receiveQueue().available()).isEqualTo(64);
        assertThat(receives).hasToString("SRQ 0 of emu7");

        refused(Errno.EINVAL, () -> guest.domain.createSharedReceiveQueue(65, 1))
                .hasMessageContaining("max_srq_wr of this device is 64, and 128 are needed")
                .hasMessageContaining("DeviceConfiguration.maxSrqWr");
        refused(Errno.EINVAL, () -> guest.domain.createSharedReceiveQueue(1, 4))
                .hasMessageContaining("max_srq_sge of this device is 3, and 4 are needed")
                .hasMessageContaining("DeviceConfiguration.maxSrqSge");
        for (int wrong : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            refused(Errno.EINVAL, () -> guest.domain.createSharedReceiveQueue(wrong, 1));
            refused(Errno.EINVAL, () -> guest.domain.createSharedReceiveQueue(1, wrong));
        }
        guest.domain.createSharedReceiveQueue(1, 1);
        refused(Errno.ENOMEM, () -> guest.domain.createSharedReceiveQueue(1, 1))
                .hasMessageContaining("no more shared receive queues: max_srq is 2, and 2 are in use")
                .hasMessageContaining("DeviceConfiguration.maxSrq");
        receives.close();
        guest.domain.createSharedReceiveQueue(1, 1);
    }

    @Test
    void aDeviceWithoutThemSaysSoBeforeUse() {
        try (OpenGuest other =
                new OpenGuest(DeviceConfiguration.builder().maxSrq(0).build())) {
            assertThat(other.context.supports(Feature.SHARED_RECEIVE_QUEUE)).isFalse();
            assertThatThrownBy(() -> other.domain.createSharedReceiveQueue(1, 1))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("SHARED_RECEIVE_QUEUE");
        }
    }

    @Test
    void theQueuePairSaysWhereItsReceivesComeFrom() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(64, 3);
        QueuePair pair = loop(receives);
        assertThat(pair.sharedReceiveQueue()).isSameAs(receives);
        assertThat(pair.capacity().maxReceives()).isZero();
        assertThatThrownBy(pair::receiveQueue)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("SRQ 0 of emu7")
                .hasMessageContaining("SharedReceiveQueue.receiveQueue()");
        assertThat(guest.loop(queue, 4).sharedReceiveQueue()).isNull();

        ProtectionDomain other = guest.context.allocateProtectionDomain();
        assertThatThrownBy(() ->
                        other.createQueuePair(QueuePairSpec.reliable(queue).withSharedReceiveQueue(receives)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another protection domain");
        receives.close();
        assertThat(pair.isOpen()).as("what uses it is closed first").isFalse();
    }

    @Test
    void queuePairsTakeTheOldestReceiveEachAndTheSlotsComeBack() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(64, 3);
        QueuePair one = loop(receives);
        QueuePair other = loop(receives);
        long posted = 0;
        for (int round = 0; round < 200; round++) {
            int batch = 1 + round % 64;
            List<Long> expected = new ArrayList<>();
            for (int i = 0; i < batch; i++) {
                receives.receiveQueue().receive(posted).local(guest.memory, 512, 8);
                expected.add(posted++);
            }
            receives.receiveQueue().post();
            assertThat(receives.receiveQueue().available()).isEqualTo(64 - batch);
            for (int i = 0; i < batch; i++) {
                send(i % 3 == 0 ? one : other, i);
            }
            assertThat(receives.receiveQueue().available()).as("before polling").isEqualTo(64 - batch);
            assertThat(received()).isEqualTo(expected);
            assertThat(receives.receiveQueue().available()).isEqualTo(64);
        }
    }

    @Test
    void slotsComeBackFromThreadsThatPollDifferentQueues() throws InterruptedException {
        int messages = 2_000;
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(16, 1);
        List<Thread> pollers = new ArrayList<>();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 2; i++) {
            CompletionQueue own = guest.context.createCompletionQueue(64);
            QueuePair pair = guest.domain.createQueuePair(
                    QueuePairSpec.reliable(own).withDepth(64).withSharedReceiveQueue(receives));
            pair.connect(pair.endpoint());
            pollers.add(Thread.ofPlatform().start(() -> {
                try {
                    sendAndPoll(pair, own, messages);
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        for (int posted = 0; posted < 2 * messages && failures.isEmpty(); ) {
            if (receives.receiveQueue().available() > 0) {
                post(receives, posted++);
            } else {
                Thread.onSpinWait();
            }
        }
        for (Thread poller : pollers) {
            poller.join();
        }
        assertThat(failures).isEmpty();
        assertThat(receives.receiveQueue().available()).isEqualTo(16);
    }

    private void sendAndPoll(QueuePair pair, CompletionQueue own, int messages) {
        for (int i = 0; i < messages; i++) {
            send(pair, i);
            next(own).requireSuccess();
            next(own).requireSuccess();
        }
    }

    private static WorkCompletion next(CompletionQueue own) {
        for (int i = 0; i < 100_000_000; i++) {
            WorkCompletion completion = own.poll();
            if (completion != null) {
                return completion;
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no completion came");
    }

    @Test
    void tooManyReceivesAreCountedAndForgotten() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(2, 1);
        for (int i = 0; i < 3; i++) {
            receives.receiveQueue().receive(i);
        }
        assertThatThrownBy(() -> receives.receiveQueue().post())
                .isInstanceOf(PostException.class)
                .hasMessageContaining("ibv_post_srq_recv")
                .hasMessageContaining("2 of 3");
        receives.receiveQueue().receive(9);
        assertThat(receives.receiveQueue().tryPost()).isZero();
    }

    @Test
    void completionsOfAClosedQueuePairAreTakenOutAndTheirSlotsAreFree() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(8, 1);
        QueuePair staying = loop(receives);
        QueuePair going = loop(receives);
        for (int i = 0; i < 8; i++) {
            post(receives, i);
            send(i % 2 == 0 ? going : staying, 100);
        }
        assertThat(receives.receiveQueue().available()).isZero();
        going.close();
        assertThat(receives.receiveQueue().available()).isEqualTo(4);

        assertThat(received()).containsExactly(1L, 3L, 5L, 7L);
        assertThat(receives.receiveQueue().available()).isEqualTo(8);
        post(receives, 50);
        send(staying, 101);
        assertThat(received()).containsExactly(50L);
    }

    /** Whoever polls in the middle of closing gets no completions of the queue pair, but its receives are not lost. */
    @Test
    void receivesPolledWhileTheirQueuePairIsBeingClosedAreGivenBack() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(8, 1);
        QueuePair going = loop(receives);
        for (int i = 0; i < 3; i++) {
            post(receives, i);
            send(going, 100);
        }
        assertThat(receives.receiveQueue().available()).isEqualTo(5);
        guest.beforeCommand = () -> {
            guest.beforeCommand = () -> {};
            assertThat(queue.poll()).isNull();
            assertThat(receives.receiveQueue().available()).isEqualTo(8);
        };
        going.close();
        assertThat(receives.receiveQueue().available()).isEqualTo(8);
        assertThat(queue.poll()).isNull();
    }

    @Test
    void theLimitIsToldOnceAndThenGone() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(8, 1);
        QueuePair pair = loop(receives);
        assertThat(receives.limit()).isZero();
        for (int wrong : new int[] {-1, 9, Integer.MAX_VALUE}) {
            refused(Errno.EINVAL, () -> receives.setLimit(wrong)).hasMessageContaining("between 0 and the 8 receives");
        }
        for (int i = 0; i < 4; i++) {
            post(receives, i);
        }
        receives.setLimit(3);
        assertThat(receives.limit()).isEqualTo(3);
        send(pair, 1);
        assertThat(guest.context.pollAsyncEvent()).as("3 are left").isNull();
        send(pair, 2);
        assertThat(guest.context.pollAsyncEvent())
                .isEqualTo(new AsyncEvent.OfSharedReceiveQueue(
                        AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT_REACHED, 15, receives));
        assertThat(receives.limit()).isZero();
        send(pair, 3);
        assertThat(guest.context.pollAsyncEvent()).isNull();

        post(receives, 9);
        receives.setLimit(2);
        send(pair, 4);
        receives.close();
        assertThat(guest.context.pollAsyncEvent())
                .as("of one that was closed in the meantime")
                .isEqualTo(new AsyncEvent.OfSharedReceiveQueue(
                        AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT_REACHED, 15, null));
    }

    @Test
    void anEndOfAQueuePairIsToldAndLeavesTheReceivesToOthers() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(8, 1);
        QueuePair failing = loop(receives);
        QueuePair other = loop(receives);
        post(receives, 1);
        post(receives, 2);
        failing.modify(new Transition.ToError());

        @Nullable AsyncEvent event = guest.context.pollAsyncEvent();
        assertThat(event).isEqualTo(new AsyncEvent.OfQueuePair(AsyncEventType.LAST_WORK_REQUEST_REACHED, 16, failing));
        assertThat(queue.poll()).as("no receive is flushed").isNull();
        send(other, 3);
        assertThat(received()).containsExactly(1L);
        failing.modify(new Transition.ToReset());
        assertThat(receives.receiveQueue().available()).isEqualTo(7);
    }

    @Test
    void aRingWithACorruptConsumersIndexIsFull() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(64, 3);
        MemorySegment ring = guest.mappingOf(RING_BYTES);
        for (int head : new int[] {128, -1, Integer.MIN_VALUE}) {
            RingState.publishConsHead(ring, RingState.RX_OFFSET, head);
            assertThat(receives.receiveQueue().available()).isZero();
            assertThat(receives.receiveQueue().toString()).contains("corrupt indices");
            receives.receiveQueue().receive(1);
            assertThat(receives.receiveQueue().tryPost()).isZero();
        }
    }

    @Test
    void aRingTheDeviceCannotUseIsTold() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(64, 3);
        MemorySegment ring = guest.mappingOf(RING_BYTES);
        QueuePair pair = loop(receives);
        RingState.publishProdTail(ring, RingState.RX_OFFSET, 128);
        send(pair, 1);

        List<AsyncEvent> events = new ArrayList<>();
        for (AsyncEvent event = guest.context.pollAsyncEvent(); event != null; event = guest.context.pollAsyncEvent()) {
            events.add(event);
        }
        assertThat(events)
                .contains(new AsyncEvent.OfSharedReceiveQueue(AsyncEventType.SHARED_RECEIVE_QUEUE_ERROR, 14, receives));
    }

    @Test
    void aRingSaysWhatIsInIt() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(64, 3);
        assertThat(receives.receiveQueue()).hasToString("SRQ 0 of emu7: 0 of 64 pending");
        receives.receiveQueue().receive(77).local(guest.memory, 0, 100).local(guest.memory, 200, 50);
        receives.receiveQueue().receive(-1);
        receives.receiveQueue().post();
        String address = Long.toHexString(guest.memory.address());
        assertThat(receives.receiveQueue().toString())
                .startsWith("SRQ 0 of emu7: 2 of 64 pending: receive 77, 100 bytes at 0x" + address)
                .endsWith("; receive -1");
        for (int i = 0; i < 20; i++) {
            post(receives, i);
        }
        assertThat(receives.receiveQueue().toString()).endsWith("; and 14 more");
        receives.close();
        assertThat(receives.receiveQueue()).hasToString("SRQ 0 of emu7: closed");
    }

    @Test
    void aSendRingSaysWhatIsInIt() {
        QueuePair pair = guest.loop(queue, 64);
        assertThat(pair.sendQueue().toString()).endsWith(": 0 of 64 pending");
        pair.sendQueue().send(5).local(guest.memory, 0, 8);
        pair.sendQueue().post(); // nobody has posted a receive, so it stays
        assertThat(pair.sendQueue().toString())
                .contains("send queue of QP 0x", ": 1 of 64 pending: SEND 5, 8 bytes at 0x", " lkey 0x");
        pair.close();
        assertThat(pair.sendQueue().toString()).endsWith(": closed");
    }

    private static AbstractThrowableAssert<?, ?> refused(Errno errno, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(errno));
    }
}
