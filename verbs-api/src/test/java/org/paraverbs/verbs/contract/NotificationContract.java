// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Transition;

/**
 * Completion channels and notification ({@code ibv_create_comp_channel(3)}, {@code ibv_req_notify_cq(3)},
 * {@code ibv_get_cq_event(3)}).
 */
public abstract class NotificationContract extends VerbsContract {

    private static final int LOOKS = 200;

    @BeforeEach
    final void requireChannels() {
        require(first(), Feature.COMPLETION_CHANNEL);
        require(second(), Feature.COMPLETION_CHANNEL);
    }

    @Test
    @Covers.Verb({"CompletionQueue.requestNotification", "CompletionChannel.await", "Context.createCompletionChannel"})
    void anArmedQueueNotifiesOnceAndThenNotBeforeItIsArmedAgain() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.channel());
        Side receiver = pair.there();
        for (int i = 0; i < 8; i++) {
            receiver.receives.receive(i).local(receiver.memory, 0, 8);
        }
        receiver.receives.post();
        send(pair.here());
        assertThat(receiver.receivedWell().id()).isZero();
        assertSilent(channel(receiver));

        receiver.receiveCompletions.requestNotification(false);
        send(pair.here());
        assertThat(await(receiver)).isSameAs(receiver.receiveCompletions);
        assertThat(receiver.receivedWell().id()).isEqualTo(1);
        send(pair.here());
        assertThat(receiver.receivedWell().id()).isEqualTo(2);
        assertSilent(channel(receiver));

        receiver.receiveCompletions.requestNotification(false);
        send(pair.here());
        assertThat(await(receiver)).isSameAs(receiver.receiveCompletions);
        assertThat(receiver.receivedWell().id()).isEqualTo(3);
    }

    @Test
    void requestsOfTheSendQueueNotifyToo() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.channel());
        pair.here().sendCompletions.requestNotification(false);
        pair.here()
                .sends
                .write(1, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.post();

        assertThat(await(pair.here())).isSameAs(pair.here().sendCompletions);
        assertThat(pair.here().sentWell().id()).isEqualTo(1);
    }

    @Test
    void armingTwiceNotifiesOnce() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.channel());
        Side receiver = pair.there();
        receiver.receive(1, 0, 8);
        receiver.receiveCompletions.requestNotification(false);
        receiver.receiveCompletions.requestNotification(false);
        send(pair.here());

        assertThat(await(receiver)).isSameAs(receiver.receiveCompletions);
        receiver.receivedWell();
        assertSilent(channel(receiver));
    }

    @Test
    @Covers.Verb("CompletionChannel.await")
    void aSleepingThreadIsWoken() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.channel());
        Side receiver = pair.there();
        receiver.receive(1, 0, 8);
        receiver.receiveCompletions.requestNotification(false);
        Background sleeper = Background.start(() -> channel(receiver).await(Waiting.DEADLINE));
        send(pair.here());

        assertThat(sleeper.answer()).isSameAs(receiver.receiveCompletions);
        receiver.receivedWell();
    }

    /** Arm, poll once more, sleep: no message is missed, however it falls between. */
    @Test
    void sleepingBetweenMessagesMissesNone() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.channel());
        int messages = repetitions(5_000);
        Background echo = Background.start(() -> {
            for (int i = 0; i < messages; i++) {
                assertThat(nextSleeping(pair.there())).isEqualTo(i);
                if (i + 1 < messages) {
                    pair.there().receive(i + 1, 0, 8);
                }
                pair.there().sends.send(i).local(pair.there().memory, 0, 8).signaled();
                pair.there().sends.post();
                pair.there().sentWell();
            }
            return messages;
        });
        pair.there().receive(0, 0, 8);
        for (int i = 0; i < messages; i++) {
            pair.here().receive(i, 0, 8);
            pair.here().sends.send(i).local(pair.here().memory, 0, 8).signaled();
            pair.here().sends.post();
            pair.here().sentWell();
            assertThat(nextSleeping(pair.here())).isEqualTo(i);
        }

        assertThat(echo.answer()).isEqualTo(messages);
    }

    /** The id of the next receive, asleep until it comes. */
    private static long nextSleeping(Side side) throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            var completion = side.receiveCompletions.poll();
            if (completion == null) {
                side.receiveCompletions.requestNotification(false);
                completion = side.receiveCompletions.poll();
            }
            if (completion != null) {
                return completion.requireSuccess().id();
            }
            channel(side).await(Waiting.DEADLINE);
            Waiting.checkDeadline(start, "a notification");
        }
    }

    @Test
    @Covers.Verb({"CompletionQueue.requestNotification", "SendWorkRequest.solicited"})
    void onlySolicitedMessagesWakeWhoWaitsForThoseOnly() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.channel());
        Side receiver = pair.there();
        for (int i = 0; i < 3; i++) {
            receiver.receives.receive(i).local(receiver.memory, 0, 8);
        }
        receiver.receives.post();
        receiver.receiveCompletions.requestNotification(true);
        send(pair.here());
        assertThat(receiver.receivedWell().id()).isZero();
        assertSilent(channel(receiver));

        pair.here().sends.send(2).local(pair.here().memory, 0, 8).signaled().solicited();
        pair.here().sends.post();
        pair.here().sentWell();
        assertThat(await(receiver)).isSameAs(receiver.receiveCompletions);
        assertThat(receiver.receivedWell().id()).isEqualTo(1);

        receiver.receiveCompletions.requestNotification(true);
        pair.here()
                .sends
                .writeWithImmediate(3, receiver.memory.remote(), 0, 1)
                .local(pair.here().memory, 0, 8)
                .solicited();
        pair.here().sends.post();
        assertThat(await(receiver)).isSameAs(receiver.receiveCompletions);
        assertThat(receiver.receivedWell().id()).isEqualTo(2);
    }

    @Test
    void aFailedReceiveWakesWhoWaitsForSolicitedMessages() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.channel());
        Side receiver = pair.there();
        receiver.receive(1, 0, 8);
        receiver.receiveCompletions.requestNotification(true);
        receiver.qp.modify(new Transition.ToError());

        assertThat(await(receiver)).isSameAs(receiver.receiveCompletions);
        assertThat(receiver.received().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }

    @Test
    @Covers.Verb({"CompletionQueue.channel", "CompletionChannel.await"})
    void oneChannelTellsItsQueuesApart() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.channel());
        Side side = pair.here();
        side.sendCompletions.requestNotification(false);
        side.receiveCompletions.requestNotification(false);
        side.receive(1, 0, 8);
        send(pair.there());
        side.sends
                .write(2, pair.there().memory.remote(), 0)
                .local(side.memory, 0, 8)
                .signaled();
        side.sends.post();

        Set<CompletionQueue> notified = new HashSet<>();
        notified.add(Objects.requireNonNull(await(side)));
        notified.add(Objects.requireNonNull(await(side)));
        assertThat(notified).containsExactlyInAnyOrder(side.sendCompletions, side.receiveCompletions);
        side.sentWell();
        side.receivedWell();
    }

    @Test
    @Covers.Verb("CompletionChannel.poll")
    void pollingAChannelTakesANotificationOrAnswersNull() {
        Pair pair = connected(Shape.DEFAULT.channel());
        Side receiver = pair.there();
        assertThat(channel(receiver).poll()).isNull();
        receiver.receive(1, 0, 8);
        receiver.receiveCompletions.requestNotification(false);
        assertThat(channel(receiver).poll()).isNull();
        send(pair.here());

        CompletionQueue[] notified = new CompletionQueue[1];
        Waiting.until("a notification", () -> {
            CompletionQueue queue = channel(receiver).poll();
            if (queue != null) {
                notified[0] = queue;
            }
            return queue != null;
        });
        assertThat(notified[0]).isSameAs(receiver.receiveCompletions);
        assertThat(channel(receiver).poll()).isNull();
    }

    @Test
    void waitingEndsWithNullAfterItsTime() throws InterruptedException {
        CompletionChannel channel = first().createCompletionChannel();

        assertThat(channel.await(Duration.ZERO)).isNull();
        assertThat(channel.await(Duration.ofNanos(1))).isNull();
        long start = System.nanoTime();
        assertThat(channel.await(Duration.ofMillis(20))).isNull();
        assertThat(System.nanoTime() - start).as("it really waited").isGreaterThanOrEqualTo(20_000_000);
    }

    @Test
    void closingAChannelWakesWhoWaits() throws InterruptedException {
        CompletionChannel channel = first().createCompletionChannel();
        Background one = Background.start(() -> channel.await(Waiting.DEADLINE.multipliedBy(2)));
        Background two = Background.start(() -> channel.await(Waiting.DEADLINE.multipliedBy(2)));
        channel.close();

        assertThat(one.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThat(two.failure()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingTheContextWakesWhoWaits() throws InterruptedException {
        CompletionChannel channel = first().createCompletionChannel();
        Background waiter = Background.start(() -> channel.await(Waiting.DEADLINE.multipliedBy(2)));
        first().close();

        assertThat(waiter.failure()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    @Test
    void interruptingWakesWhoWaits() throws InterruptedException {
        CompletionChannel channel = first().createCompletionChannel();
        Background waiter = Background.start(() -> channel.await(Waiting.DEADLINE.multipliedBy(2)));
        waiter.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        Background interruptedBefore = Background.start(() -> {
            Thread.currentThread().interrupt();
            return channel.await(Waiting.DEADLINE.multipliedBy(2));
        });
        assertThat(interruptedBefore.failure()).isInstanceOf(InterruptedException.class);
        assertThat(channel.poll()).as("the channel still works").isNull();
    }

    @Test
    void aNotificationOfAQueueThatHasBeenClosedIsNotReported() throws InterruptedException {
        Pair pair = connected(Shape.DEFAULT.channel());
        Side receiver = pair.there();
        receiver.receive(1, 0, 8);
        receiver.receiveCompletions.requestNotification(false);
        send(pair.here());
        receiver.receiveCompletions.close();

        assertSilent(channel(receiver));
        assertThat(channel(receiver).await(Duration.ofMillis(1))).isNull();
    }

    @Test
    void aQueueWithManyUnreadNotificationsIsClosedWithoutWaiting() {
        Pair pair = connected(Shape.DEFAULT.channel());
        Side receiver = pair.there();
        for (int i = 0; i < 10; i++) {
            receiver.receive(i, 0, 8);
            receiver.receiveCompletions.requestNotification(false);
            send(pair.here());
            receiver.receivedWell();
        }
        receiver.receiveCompletions.close();

        assertThat(receiver.receiveCompletions.isOpen()).isFalse();
    }

    @Test
    @Covers.Verb({"CompletionQueue.requestNotification", "CompletionQueue.channel"})
    void aQueueWithoutAChannelCannotBeArmed() {
        CompletionQueue queue = first().createCompletionQueue(4);

        assertThatThrownBy(() -> queue.requestNotification(false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("channel");
    }

    private static void send(Side side) {
        side.sends.send(0).local(side.memory, 0, 8).signaled();
        side.sends.post();
        side.sentWell();
    }

    private static @Nullable CompletionQueue await(Side side) throws InterruptedException {
        return channel(side).await(Waiting.DEADLINE);
    }

    private static CompletionChannel channel(Side side) {
        return Objects.requireNonNull(side.channel);
    }

    private static void assertSilent(CompletionChannel channel) {
        for (int look = 0; look < LOOKS; look++) {
            assertThat(channel.poll())
                    .as("a notification that was not asked for")
                    .isNull();
            Waiting.pause();
        }
    }
}
