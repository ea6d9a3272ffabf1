// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.PostException;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.VerbsException;

/**
 * Receives that several queue pairs share ({@code ibv_create_srq(3)}, {@code ibv_modify_srq(3)}, {@code ibv_query_srq(3)},
 * {@code ibv_post_srq_recv(3)}).
 */
public abstract class SharedReceiveQueueContract extends VerbsContract {

    private static final int ROOM = 16;
    private static final int WRAPS = 2_000;

    @BeforeEach
    final void requireSharedReceiveQueues() {
        require(second(), Feature.SHARED_RECEIVE_QUEUE);
    }

    @Test
    @Covers.Verb({
        "ProtectionDomain.createSharedReceiveQueue",
        "SharedReceiveQueue.receives",
        "SharedReceiveQueue.elements",
        "SharedReceiveQueue.receiveQueue",
        "SharedReceiveQueue.limit"
    })
    void aQueueIsAtLeastAsLargeAsAskedFor() {
        ProtectionDomain domain = second().allocateProtectionDomain();
        int elements = Math.min(2, second().attributes().maxSharedReceiveElements());
        for (int receives : new int[] {1, 3, 16, 100}) {
            SharedReceiveQueue shared = domain.createSharedReceiveQueue(receives, elements);
            assertThat(shared.receives()).isGreaterThanOrEqualTo(receives);
            assertThat(shared.elements()).isGreaterThanOrEqualTo(elements);
            assertThat(shared.receiveQueue()).isSameAs(shared.receiveQueue());
            assertThat(shared.receiveQueue().available()).isEqualTo(shared.receives());
            assertThat(shared.limit()).isZero();
        }
    }

    @Test
    @Covers.Limit({"DeviceAttributes.maxSharedReceives", "DeviceAttributes.maxSharedReceiveElements"})
    void sizesThatCannotBeAreRefused() {
        ProtectionDomain domain = second().allocateProtectionDomain();
        int receives = second().attributes().maxSharedReceives();
        int elements = second().attributes().maxSharedReceiveElements();
        for (int[] size : new int[][] {{-1, 1}, {1, -1}, {receives + 1, 1}, {1, elements + 1}}) {
            assertThatThrownBy(() -> domain.createSharedReceiveQueue(size[0], size[1]))
                    .as("%d receives of %d elements", size[0], size[1])
                    .isInstanceOfAny(VerbsException.class, IllegalArgumentException.class);
        }
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxSharedReceiveQueues")
    void thereAreAsManyAsTheDeviceSaysAndClosingGivesThemBack() {
        int most = second().attributes().maxSharedReceiveQueues();
        if (most > 1_024) {
            skip("the device has " + most + ", which take long to create");
        }
        ProtectionDomain domain = second().allocateProtectionDomain();
        List<SharedReceiveQueue> queues = new ArrayList<>();
        assertThatThrownBy(() -> {
                    for (int i = 0; i <= most; i++) {
                        queues.add(domain.createSharedReceiveQueue(1, 1));
                    }
                })
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_create_srq");
        assertThat(queues).as("other programs may hold some").isNotEmpty();
        queues.getFirst().close();
        assertThat(domain.createSharedReceiveQueue(1, 1).isOpen()).isTrue();
    }

    @Test
    @Covers.Verb({"QueuePair.sharedReceiveQueue", "QueuePair.receiveQueue"})
    void aQueuePairOnASharedQueueHasNoReceiveQueueOfItsOwn() {
        SharedReceivers receivers = new SharedReceivers(second(), ROOM);
        QueuePair receiver = receivers.receiver();
        assertThat(receiver.sharedReceiveQueue()).isSameAs(receivers.shared);
        assertThatThrownBy(receiver::receiveQueue)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("QP 0x" + Integer.toHexString(receiver.qpn()));
        assertThat(new Side(second(), Shape.DEFAULT).qp.sharedReceiveQueue()).isNull();
    }

    @Test
    @Covers.Verb("SharedReceiveQueue.receiveQueue")
    void severalQueuePairsTakeReceivesInTheOrderOfTheirPosting() {
        SharedReceivers receivers = new SharedReceivers(second(), ROOM)
                .connected(first())
                .connected(first())
                .connected(first());
        receivers.receive(0, 12);
        for (int i = 0; i < 12; i++) {
            int receiver = i * i % 3;
            receivers.send(receiver);
            CompletionRecord received = receivers.receivedWell();
            assertThat(received.id()).isEqualTo(i);
            assertThat(received.byteLength()).isEqualTo(8);
            assertThat(received.qpn())
                    .isEqualTo(receivers.receivers.get(receiver).qpn());
        }
    }

    @Test
    void aMessageWaitsForAReceive() {
        SharedReceivers receivers = new SharedReceivers(second(), ROOM).connected(first());
        receivers.begin(0);
        Waiting.assertSilent(receivers.completions);
        Waiting.assertSilent(receivers.senders.getFirst().sendCompletions);
        receivers.receive(5, 6);
        assertThat(receivers.receivedWell().id()).isEqualTo(5);
        receivers.senders.getFirst().sentWell();
    }

    @Test
    @Covers.Status(CompletionStatus.RNR_RETRY_EXCEEDED)
    void aMessageThatMayNotWaitFailsAndTheReceiverGoesOn() {
        SharedReceivers receivers = new SharedReceivers(second(), ROOM);
        QueuePair receiver = receivers.receiver();
        Side sender = new Side(first(), Shape.DEFAULT);
        Endpoint theirs = receiver.endpoint();
        Endpoint ours = sender.qp.endpoint();
        receiver.connect(ours);
        sender.qp.modify(Pair.readyToReceive(sender, ours, theirs));
        sender.qp.modify(Pair.readyToSend(Pair.Patience.LITTLE, ours, theirs));
        sender.sends.send(1).local(sender.memory, 0, 8).signaled();
        sender.sends.post();

        assertThat(sender.sent().status()).isEqualTo(CompletionStatus.RNR_RETRY_EXCEEDED);
        assertThat(receiver.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    @Covers.Verb({"SharedReceiveQueue.setLimit", "SharedReceiveQueue.limit"})
    @Covers.Event(AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT_REACHED)
    void theLimitIsReportedOncePerArming() throws InterruptedException {
        require(second(), Feature.ASYNC_EVENTS);
        SharedReceivers receivers = new SharedReceivers(second(), ROOM).connected(first());
        receivers.receive(0, 6);
        receivers.shared.setLimit(4);
        assertThat(receivers.shared.limit()).isEqualTo(4);
        receivers.send(0);
        receivers.send(0);
        // four are left, which is not fewer than four
        assertThat(nextLimitEvent()).isNull();
        receivers.send(0);
        assertLimitReached(receivers);
        receivers.send(0);
        assertThat(nextLimitEvent()).as("another event without arming again").isNull();

        receivers.receive(6, 10);
        receivers.shared.setLimit(3);
        assertThat(receivers.shared.limit()).isEqualTo(3);
        for (int i = 0; i < 3; i++) {
            receivers.send(0);
        }
        assertThat(nextLimitEvent()).isNull();
        receivers.send(0);
        assertLimitReached(receivers);
        for (int i = 0; i < 8; i++) {
            assertThat(receivers.receivedWell().id()).isEqualTo(i);
        }
    }

    private void assertLimitReached(SharedReceivers receivers) throws InterruptedException {
        AsyncEvent event = Events.await(second(), AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT_REACHED);
        assertThat(event)
                .isInstanceOfSatisfying(
                        AsyncEvent.OfSharedReceiveQueue.class,
                        reached -> assertThat(reached.sharedReceiveQueue()).isSameAs(receivers.shared));
        assertThat(event.rawType()).isEqualTo(15);
        assertThat(receivers.shared.limit()).as("disarmed").isZero();
        assertThat(nextLimitEvent()).as("a second event").isNull();
    }

    private @Nullable AsyncEvent nextLimitEvent() {
        return Events.among(second(), AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT_REACHED);
    }

    @Test
    @Covers.Verb("SharedReceiveQueue.setLimit")
    void aLimitBeyondTheSizeIsRefusedAndZeroDisarms() {
        SharedReceivers receivers = new SharedReceivers(second(), ROOM).connected(first());
        receivers.shared.setLimit(receivers.shared.receives());
        assertThatThrownBy(() -> receivers.shared.setLimit(receivers.shared.receives() + 1))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining("ibv_modify_srq");
        assertThatThrownBy(() -> receivers.shared.setLimit(-1))
                .isInstanceOfAny(VerbsException.class, IllegalArgumentException.class);
        receivers.shared.setLimit(0);
        assertThat(receivers.shared.limit()).isZero();
        receivers.receive(0, 1);
        receivers.send(0);
        assertThat(nextLimitEvent()).isNull();
    }

    @Test
    @Covers.Verb("SharedReceiveQueue.receives")
    void slotsAreFreeAgainWhenTheirCompletionsHaveBeenPolled() {
        SharedReceivers receivers =
                new SharedReceivers(second(), ROOM).connected(first()).connected(first());
        int room = receivers.shared.receives();
        receivers.receive(0, room);
        assertThat(receivers.receives.available()).isZero();
        receivers.receives.receive(room);
        assertThat(receivers.receives.tryPost()).isZero();
        receivers.receives.receive(room);
        assertThatThrownBy(receivers.receives::post)
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.accepted()).isZero())
                .hasMessageContaining("ibv_post_srq_recv");

        receivers.send(0);
        receivers.send(1);
        receivers.send(0);
        assertThat(receivers.receives.available()).as("before polling").isZero();
        for (int polled = 1; polled <= 3; polled++) {
            receivers.receivedWell();
            assertThat(receivers.receives.available()).isEqualTo(polled);
        }
    }

    /** Filled, drained and filled again, in amounts that do not divide the size of the ring. */
    @Test
    void theRingWrapsAroundManyTimes() {
        SharedReceivers receivers =
                new SharedReceivers(second(), ROOM).connected(first()).connected(first());
        int room = receivers.shared.receives();
        int posted = 0;
        int received = 0;
        int wraps = Math.max(20, repetitions(WRAPS));
        for (int turn = 0; turn < wraps; turn++) {
            int more = room - (posted - received);
            receivers.receive(posted, posted + more);
            posted += more;
            assertThat(receivers.receives.available()).isZero();
            int messages = Math.min(room, turn % 5 == 4 ? room : 7);
            for (int i = 0; i < messages; i++) {
                receivers.send((turn + i) % 2);
            }
            for (int i = 0; i < messages; i++) {
                assertThat(receivers.receivedWell().id()).isEqualTo(received++);
            }
            assertThat(receivers.receives.available()).isEqualTo(room - (posted - received));
        }
    }

    @Test
    void aFailedQueuePairLeavesTheReceivesToTheOthers() {
        SharedReceivers receivers =
                new SharedReceivers(second(), ROOM).connected(first()).connected(first());
        receivers.receive(0, 2);
        receivers.receivers.getFirst().modify(new Transition.ToError());
        Waiting.assertSilent(receivers.completions);
        receivers.send(1);
        receivers.send(1);
        assertThat(receivers.receivedWell().id()).isZero();
        assertThat(receivers.receivedWell().id()).isEqualTo(1);
    }

    @Test
    @Covers.Event(AsyncEventType.LAST_WORK_REQUEST_REACHED)
    void aQueuePairInErrorReportsThatItTakesNoMoreReceives() throws InterruptedException {
        require(second(), Feature.ASYNC_EVENTS);
        requireBehaviour(Behaviour.LAST_WORK_REQUEST_EVENT);
        SharedReceivers receivers = new SharedReceivers(second(), ROOM).connected(first());
        receivers.receive(0, 2);
        receivers.receivers.getFirst().modify(new Transition.ToError());

        AsyncEvent event = Events.await(second(), AsyncEventType.LAST_WORK_REQUEST_REACHED);
        assertThat(event)
                .isInstanceOfSatisfying(
                        AsyncEvent.OfQueuePair.class,
                        last -> assertThat(last.queuePair()).isSameAs(receivers.receivers.getFirst()));
        assertThat(event.rawType()).isEqualTo(16);
        assertThat(Events.among(second(), AsyncEventType.LAST_WORK_REQUEST_REACHED))
                .as("a second event")
                .isNull();
    }

    /** It fails with its queue pair alone: no other receive is flushed, and an event tells that this one takes no more. */
    @Test
    @Covers.Status({CompletionStatus.REMOTE_OPERATION_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR})
    void aReceiveWithAWrongLocalKeyStopsTheQueuePairThatTakesIt() {
        SharedReceivers receivers =
                new SharedReceivers(second(), ROOM).connected(first()).connected(first());
        var stranger = second().allocateProtectionDomain().allocate(4096, LOCAL_WRITE);
        receivers.receives.receive(7).local(stranger, 0, 64);
        receivers.receives.post();
        receivers.receive(8, 10);
        Side sender = receivers.senders.getFirst();
        QueuePair failed = receivers.receivers.getFirst();
        sender.sends.send(1).local(sender.memory, 0, 8);
        sender.sends.post();

        assertStatus(
                Situation.SEND_TO_RECEIVE_WITH_WRONG_LOCAL_KEY, sender.sent(), CompletionStatus.REMOTE_OPERATION_ERROR);
        CompletionRecord received = Waiting.completion(receivers.completions);
        assertThat(received.id()).isEqualTo(7);
        assertThat(received.qpn()).isEqualTo(failed.qpn());
        assertStatus(Situation.RECEIVE_WITH_WRONG_LOCAL_KEY, received, CompletionStatus.LOCAL_PROTECTION_ERROR);
        Waiting.until("state ERROR", () -> failed.state() == QueuePairState.ERROR);
        assertThat(failed.firstError()).isEqualTo(received);
        if (second().supports(Feature.ASYNC_EVENTS)
                && missing(Behaviour.LAST_WORK_REQUEST_EVENT).isEmpty()) {
            assertThat(Events.next(second(), AsyncEventType.LAST_WORK_REQUEST_REACHED))
                    .isInstanceOfSatisfying(
                            AsyncEvent.OfQueuePair.class,
                            last -> assertThat(last.queuePair()).isSameAs(failed));
        }
        Waiting.assertSilent(receivers.completions);

        Side other = receivers.senders.getLast();
        other.sends.send(2).local(other.memory, 0, 8).signaled();
        other.sends.post();
        other.sentWell();
        assertThat(receivers.receivedWell().id()).isEqualTo(8);
    }

    /** Its completions are not delivered, but what it had taken has to be free again, or the queue would leak. */
    @Test
    @Covers.Verb("VerbsResource.close")
    void theReceivesOfAClosedQueuePairFreeTheirSlots() {
        SharedReceivers receivers =
                new SharedReceivers(second(), ROOM).connected(first()).connected(first());
        int room = receivers.shared.receives();
        receivers.receive(0, room);
        receivers.send(0);
        receivers.send(1);
        receivers.send(0);
        receivers.receivers.getFirst().close();

        assertThat(receivers.receivedWell().id()).isEqualTo(1);
        Waiting.assertSilent(receivers.completions);
        assertThat(receivers.receives.available()).isEqualTo(3);
        receivers.receive(room, room + 3);
        assertThat(receivers.receives.available()).isZero();
        for (int i = 3; i < room + 3; i++) {
            receivers.send(1);
            assertThat(receivers.receivedWell().id()).isEqualTo(i);
        }
        assertThat(receivers.receives.available()).isEqualTo(room);
    }

    @Test
    @Covers.Verb("VerbsResource.close")
    void closingAQueueClosesItsQueuePairsAndTheDomainClosesTheQueue() {
        SharedReceivers receivers = new SharedReceivers(second(), ROOM).connected(first());
        SharedReceivers others = new SharedReceivers(second(), ROOM).connected(first());
        receivers.shared.close();
        receivers.shared.close();
        assertThat(receivers.shared.isOpen()).isFalse();
        assertThat(receivers.receivers.getFirst().isOpen()).isFalse();
        assertThat(receivers.domain.isOpen()).isTrue();
        assertThat(receivers.completions.isOpen()).isTrue();

        others.receivers.getFirst().close();
        assertThat(others.shared.isOpen()).isTrue();
        others.domain.close();
        assertThat(others.shared.isOpen()).isFalse();
    }

    @Test
    void aClosedQueueRefusesEverything() {
        SharedReceivers receivers = new SharedReceivers(second(), ROOM);
        receivers.shared.close();
        for (Runnable use : List.<Runnable>of(
                () -> receivers.receives.receive(1),
                receivers.receives::post,
                receivers.receives::tryPost,
                receivers.receives::available,
                () -> receivers.shared.setLimit(1),
                receivers.shared::limit,
                receivers::receiver)) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void aQueueOfAnotherDomainOrContextIsRefused() {
        ProtectionDomain domain = second().allocateProtectionDomain();
        QueuePairSpec spec = QueuePairSpec.reliable(second().createCompletionQueue(16));
        SharedReceiveQueue ofAnotherDomain = second().allocateProtectionDomain().createSharedReceiveQueue(4, 1);
        SharedReceiveQueue ofAnotherContext =
                open(secondDevice()).allocateProtectionDomain().createSharedReceiveQueue(4, 1);
        for (SharedReceiveQueue stranger : List.of(ofAnotherDomain, ofAnotherContext)) {
            assertThatThrownBy(() -> domain.createQueuePair(spec.withSharedReceiveQueue(stranger)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void describingReceivesKeepsTheRulesOfABatch() {
        SharedReceivers receivers = new SharedReceivers(second(), ROOM).connected(first());
        int elements = receivers.shared.elements();
        assertThatThrownBy(() -> {
                    var request = receivers.receives.receive(1);
                    for (int i = 0; i <= elements; i++) {
                        request.local(receivers.memory, 0, 8);
                    }
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("createSharedReceiveQueue");
        receivers.receives.receive(2).local(receivers.memory, 0, 8);
        receivers.receives.abandon();
        receivers.receives.receive(3).local(receivers.memory, 0, 8);
        assertThat(receivers.receives.tryPost()).isEqualTo(1);
        receivers.send(0);
        assertThat(receivers.receivedWell().id()).isEqualTo(3);
    }
}
