// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.QueuePairSpec;
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

        AsyncEvent event = awaitEvent(AsyncEventType.SEND_QUEUE_DRAINED);
        assertThat(event)
                .isInstanceOfSatisfying(
                        AsyncEvent.OfQueuePair.class,
                        drained -> assertThat(drained.queuePair()).isSameAs(pair.here().qp));
        assertThat(event.rawType()).isEqualTo(5);
    }

    @Test
    @Covers.Event(AsyncEventType.COMPLETION_QUEUE_ERROR)
    void aCompletionQueueThatOverflowsIsReported() throws InterruptedException {
        var small = first().createCompletionQueue(1);
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

        AsyncEvent event = awaitEvent(AsyncEventType.COMPLETION_QUEUE_ERROR);
        assertThat(event)
                .isInstanceOfSatisfying(
                        AsyncEvent.OfCompletionQueue.class,
                        overflow -> assertThat(overflow.completionQueue()).isSameAs(small));
        assertThat(event.rawType()).isZero();
    }

    /** Some devices report more than what is asked for here, so others are passed over. */
    private AsyncEvent awaitEvent(AsyncEventType type) throws InterruptedException {
        for (int i = 0; i < 1_000; i++) {
            @Nullable AsyncEvent event = first().awaitAsyncEvent(Waiting.DEADLINE);
            assertThat(event).as("an event before the deadline").isNotNull();
            if (event.type() == type) {
                return event;
            }
        }
        throw new AssertionError("1000 events, but no " + type);
    }
}
