// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.Transition;

/** Asynchronous events ({@code ibv_get_async_event(3)}, {@code ibv_ack_async_event(3)}). */
public abstract class AsyncEventContract extends VerbsContract {

    @BeforeEach
    final void requireEvents() {
        require(first(), Feature.ASYNC_EVENTS);
    }

    @Test
    @Covers.Verb({"Context.pollAsyncEvent", "Context.awaitAsyncEvent"})
    void aContextWithoutEventsAnswersNull() throws InterruptedException {
        assertThat(first().pollAsyncEvent()).isNull();
        assertThat(first().awaitAsyncEvent(Duration.ZERO)).isNull();
        long start = System.nanoTime();
        assertThat(first().awaitAsyncEvent(Duration.ofMillis(20))).isNull();
        assertThat(System.nanoTime() - start).as("it really waited").isGreaterThanOrEqualTo(20_000_000);
    }

    @Test
    void closingTheContextWakesWhoWaits() throws InterruptedException {
        Context context = first();
        Background waiter = Background.start(() -> context.awaitAsyncEvent(Waiting.DEADLINE.multipliedBy(2)));
        context.close();

        assertThat(waiter.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    @Test
    void interruptingWakesWhoWaits() throws InterruptedException {
        Context context = first();
        Background waiter = Background.start(() -> context.awaitAsyncEvent(Waiting.DEADLINE.multipliedBy(2)));
        waiter.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        assertThat(context.pollAsyncEvent()).isNull();
    }

    @Test
    @Covers.Verb({"AsyncEvent.type", "AsyncEvent.rawType", "Transition.DrainSend"})
    @Covers.Event(AsyncEventType.SEND_QUEUE_DRAINED)
    void aDrainedSendQueueIsReportedIfThatIsAskedFor() throws InterruptedException {
        if (!drains()) {
            skip("the device does not drain send queues");
        }
        Pair pair = connected();
        pair.here().qp.modify(new Transition.DrainSend(true));

        AsyncEvent event = Events.await(first(), AsyncEventType.SEND_QUEUE_DRAINED);
        assertThat(event)
                .isInstanceOfSatisfying(
                        AsyncEvent.OfQueuePair.class,
                        drained -> assertThat(drained.queuePair()).isSameAs(pair.here().qp));
        assertThat(event.rawType()).isEqualTo(5);
    }

    @Test
    @Covers.Event(AsyncEventType.COMPLETION_QUEUE_ERROR)
    void aCompletionQueueThatOverflowsIsReported() throws InterruptedException {
        CompletionQueue small = overflowing();

        AsyncEvent event = Events.await(first(), AsyncEventType.COMPLETION_QUEUE_ERROR);
        assertThat(event)
                .isInstanceOfSatisfying(
                        AsyncEvent.OfCompletionQueue.class,
                        overflow -> assertThat(overflow.completionQueue()).isSameAs(small));
        assertThat(event.rawType()).isZero();
    }

    @Test
    @Covers.Event(AsyncEventType.COMPLETION_QUEUE_ERROR)
    void anOverflowIsReportedOnce() throws InterruptedException {
        requireBehaviour(Behaviour.OVERFLOW_REPORTED_ONCE);
        overflowing();

        Events.await(first(), AsyncEventType.COMPLETION_QUEUE_ERROR);
        assertThat(Events.among(first(), AsyncEventType.COMPLETION_QUEUE_ERROR))
                .as("a second event")
                .isNull();
    }

    /** A completion queue that has been given more completions than it holds. */
    private CompletionQueue overflowing() {
        CompletionQueue small = first().createCompletionQueue(1);
        Side peer = new Side(second(), Shape.DEFAULT);
        var domain = first().allocateProtectionDomain();
        var memory = domain.allocate(64);
        var qp = domain.createQueuePair(QueuePairSpec.reliable(small).withDepth(small.entries() + 8));
        var ours = qp.endpoint();
        qp.connect(peer.qp.endpoint());
        peer.qp.connect(ours);
        for (int i = 0; i < small.entries() + 8; i++) {
            qp.sendQueue().write(i, peer.memory.remote(), 0).local(memory, 0, 8).signaled();
        }
        qp.sendQueue().post();
        return small;
    }

    @Test
    @Covers.Event(AsyncEventType.COMMUNICATION_ESTABLISHED)
    void theFirstMessageWhileReadyToReceiveIsReported() throws InterruptedException {
        requireBehaviour(Behaviour.COMMUNICATION_ESTABLISHED_EVENT);
        Pair pair = unconnected(Shape.DEFAULT);
        Endpoint ours = pair.here().qp.endpoint();
        Endpoint theirs = pair.there().qp.endpoint();
        pair.here().qp.modify(Pair.readyToReceive(pair.here(), ours, theirs));
        pair.there().qp.connect(ours);
        pair.here().receive(1, 0, 8);
        pair.there().sends.send(2).local(pair.there().memory, 0, 8).signaled();
        pair.there().sends.post();

        AsyncEvent event = Events.await(first(), AsyncEventType.COMMUNICATION_ESTABLISHED);
        assertThat(event)
                .isInstanceOfSatisfying(
                        AsyncEvent.OfQueuePair.class,
                        established -> assertThat(established.queuePair()).isSameAs(pair.here().qp));
        assertThat(event.rawType()).isEqualTo(4);
        pair.here().receivedWell();
        pair.there().sentWell();
    }

    /** No receive of the peer's is used up by a WRITE, so an event is all that can tell it. */
    @Test
    @Covers.Event(AsyncEventType.QUEUE_PAIR_ACCESS_ERROR)
    void aViolationOfRightsIsReportedWhereItWasTried() throws InterruptedException {
        requireBehaviour(Behaviour.ACCESS_ERROR_EVENT);
        Pair pair = connected();
        RemoteBuffer right = pair.here().memory.remote();
        RemoteBuffer wrong = new RemoteBuffer(right.address(), right.length(), right.rkey() ^ 0x00ff_0000);
        pair.there().sends.write(1, wrong, 0).local(pair.there().memory, 0, 8).signaled();
        assertRefused(pair.reversed(), CompletionStatus.REMOTE_ACCESS_ERROR);

        AsyncEvent event = Events.await(first(), AsyncEventType.QUEUE_PAIR_ACCESS_ERROR);
        assertThat(event)
                .isInstanceOfSatisfying(
                        AsyncEvent.OfQueuePair.class,
                        violation -> assertThat(violation.queuePair()).isSameAs(pair.here().qp));
        assertThat(event.rawType()).isEqualTo(3);
        assertInError(pair.here());
        assertThat(Events.among(first(), AsyncEventType.QUEUE_PAIR_ACCESS_ERROR))
                .as("a second event")
                .isNull();
    }

    @Test
    @Covers.Event(AsyncEventType.QUEUE_PAIR_REQUEST_ERROR)
    void aReadThatMayNotBeOutstandingIsReportedWhereItWasTried() throws InterruptedException {
        requireBehaviour(Behaviour.REQUEST_ERROR_EVENT);
        require(second(), Feature.READ);
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.DEFAULT, 0);
        pair.there()
                .sends
                .read(1, pair.here().memory.remote(), 0)
                .local(pair.there().memory, 0, 8)
                .signaled();
        assertRefused(pair.reversed(), CompletionStatus.REMOTE_INVALID_REQUEST_ERROR);

        AsyncEvent event = Events.await(first(), AsyncEventType.QUEUE_PAIR_REQUEST_ERROR);
        assertThat(event)
                .isInstanceOfSatisfying(
                        AsyncEvent.OfQueuePair.class,
                        invalid -> assertThat(invalid.queuePair()).isSameAs(pair.here().qp));
        assertThat(event.rawType()).isEqualTo(2);
        assertInError(pair.here());
    }
}
