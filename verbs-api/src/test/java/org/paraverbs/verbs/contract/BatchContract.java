// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.PostException;
import org.paraverbs.verbs.SendQueue;

/** Batches and back pressure ({@code ibv_post_send(3)}, {@code ibv_post_recv(3)}, {@code ibv_wr_post(3)}). */
public abstract class BatchContract extends VerbsContract {

    private static final int BEYOND = 3;

    @Test
    @Covers.Verb({"SendQueue.tryPost", "SendQueue.post"})
    void nothingIsDoneBeforeThePost() {
        Pair pair = connected();
        Bytes.fill(pair.here().memory, 1);
        byte[] before = Bytes.copy(pair.there().memory);
        for (int i = 0; i < 4; i++) {
            pair.here()
                    .sends
                    .write(i, pair.there().memory.remote(), 0)
                    .local(pair.here().memory, 0, 64)
                    .signaled();
        }
        Waiting.assertSilent(pair.here().sendCompletions);
        Bytes.assertSame(pair.there().memory, before);

        assertThat(pair.here().sends.tryPost()).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            assertThat(pair.here().sentWell().id()).isEqualTo(i);
        }
        assertThat(pair.here().sends.tryPost()).as("an empty batch").isZero();
        pair.here().sends.post();
        Waiting.assertSilent(pair.here().sendCompletions);
    }

    @Test
    @Covers.Verb({"SendQueue.available", "ReceiveQueue.available"})
    void aNewQueueHasRoomForItsCapacity() {
        Pair pair = connected();

        assertThat(pair.here().sends.available())
                .isEqualTo(pair.here().qp.capacity().maxSends())
                .isGreaterThanOrEqualTo(16);
        assertThat(pair.here().receives.available())
                .isEqualTo(pair.here().qp.capacity().maxReceives())
                .isGreaterThanOrEqualTo(16);
    }

    @Test
    @Covers.Verb("SendQueue.available")
    void theRoomShrinksWithEachRequestBegunAndIsBackWhenItsCompletionWasPolled() {
        Pair pair = connected();
        SendQueue sends = pair.here().sends;
        int capacity = sends.available();
        for (int i = 1; i <= 3; i++) {
            var request = sends.write(i, pair.there().memory.remote(), 0).local(pair.here().memory, 0, 8);
            if (i == 3) {
                request.signaled();
            }
            assertThat(sends.available()).isEqualTo(capacity - i);
        }
        sends.post();
        pair.here().sentWell();

        assertThat(sends.available()).isEqualTo(capacity);
    }

    @Test
    void sendsThatThePeerDoesNotTakeKeepTheirSlots() {
        Pair pair = connected();
        SendQueue sends = pair.here().sends;
        int capacity = sends.available();
        for (int i = 0; i < capacity; i++) {
            sends.send(i).local(pair.here().memory, 0, 8);
        }
        sends.post();

        assertThat(sends.available()).isZero();
        sends.send(1000);
        assertThat(sends.tryPost()).isZero();
    }

    @Test
    @Covers.Verb("SendQueue.tryPost")
    @Covers.Limit("QueuePairCapacity.maxSends")
    void requestsBeyondTheRoomAreCountedAndForgotten() {
        Pair pair = connected();
        SendQueue sends = pair.here().sends;
        int capacity = beginTooMany(pair);
        assertThat(sends.available()).isZero();

        assertThat(sends.tryPost()).isEqualTo(capacity);
        for (int i = 0; i < capacity; i++) {
            assertThat(pair.here().sentWell().id()).isEqualTo(i);
        }
        Waiting.assertSilent(pair.here().sendCompletions);
        assertThat(sends.available()).isEqualTo(capacity);
    }

    @Test
    @Covers.Verb("SendQueue.post")
    void postSaysHowManyOfTooManyWerePosted() {
        Pair pair = connected();
        int capacity = beginTooMany(pair);

        assertThatThrownBy(() -> pair.here().sends.post())
                .isInstanceOfSatisfying(PostException.class, e -> {
                    assertThat(e.accepted()).isEqualTo(capacity);
                    assertThat(e.code()).isEqualTo(Errno.ENOMEM);
                    assertThat(e.verb()).isEqualTo("ibv_post_send");
                })
                .hasMessageContaining(
                        "QP 0x" + Integer.toHexString(pair.here().qp.qpn()))
                .hasMessageContaining(capacity + " of " + (capacity + BEYOND) + " requests posted")
                .hasMessageContaining("poll completions first");
        for (int i = 0; i < capacity; i++) {
            assertThat(pair.here().sentWell().id()).isEqualTo(i);
        }
        pair.here().sends.post();
        Waiting.assertSilent(pair.here().sendCompletions);
    }

    /** The completion queue has room for all of them: the queue pair's depth is what is exceeded. */
    private int beginTooMany(Pair pair) {
        int capacity = pair.here().sends.available();
        if (capacity > pair.here().sendCompletions.entries()) {
            skip("the device gave a queue of " + capacity + ", more than the completion queue of "
                    + pair.here().sendCompletions.entries() + " holds");
        }
        for (int i = 0; i < capacity + BEYOND; i++) {
            pair.here()
                    .sends
                    .write(i, pair.there().memory.remote(), 0)
                    .local(pair.here().memory, 0, 8)
                    .signaled();
        }
        return capacity;
    }

    @Test
    @Covers.Verb({"SendQueue.abandon", "ReceiveQueue.abandon"})
    void abandoningForgetsTheBatch() {
        Pair pair = connected();
        SendQueue sends = pair.here().sends;
        int capacity = sends.available();
        sends.write(1, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        sends.write(2, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        sends.abandon();
        assertThat(sends.available()).isEqualTo(capacity);
        assertThat(sends.tryPost()).isZero();
        sends.write(3, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(3);
        Waiting.assertSilent(pair.here().sendCompletions);
    }

    @Test
    @Covers.Verb("SendWorkRequest.local")
    void aRequestWithABadDescriptionIsWithdrawnAndTheOthersStay() {
        Pair pair = connected();
        SendQueue sends = pair.here().sends;
        MemoryRegion memory = pair.here().memory;
        var remote = pair.there().memory.remote();
        sends.write(1, remote, 0).local(memory, 0, 8).signaled();
        assertThatThrownBy(() -> sends.write(2, remote, 0)
                        .local(memory, memory.length() - 7, 8)
                        .signaled())
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("not within the " + memory.length() + " bytes");
        assertThatThrownBy(() -> sends.write(3, remote, 0).local(memory, -1, 8))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> sends.write(4, remote, 0).local(memory, 0, -1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> sends.write(5, remote, 0).local(memory, Long.MAX_VALUE, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
        sends.write(6, remote, 0).local(memory, 8, 8).signaled();
        sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(1);
        assertThat(pair.here().sentWell().id()).isEqualTo(6);
        Waiting.assertSilent(pair.here().sendCompletions);
    }

    @Test
    @Covers.Verb({"SendWorkRequest.local", "ReceiveWorkRequest.local"})
    @Covers.Limit({"QueuePairCapacity.maxSendElements", "QueuePairCapacity.maxReceiveElements"})
    void moreElementsThanTheQueuePairHasAreRefused() {
        Pair pair = connected(Shape.DEFAULT.elements(2));
        int elements = pair.here().qp.capacity().maxSendElements();
        assertThat(elements).isGreaterThanOrEqualTo(2);
        var request = pair.here().sends.write(1, pair.there().memory.remote(), 0);
        for (int i = 0; i < elements; i++) {
            request.local(pair.here().memory, i, 1);
        }

        assertThatThrownBy(() -> request.local(pair.here().memory, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most " + elements + " elements")
                .hasMessageContaining("withElements");
        assertThat(pair.here().sends.tryPost()).isZero();
    }

    @Test
    void aClosedRegionIsRefused() {
        Pair pair = connected();
        MemoryRegion closed = pair.here().domain.allocate(64);
        closed.close();

        assertThatThrownBy(() -> pair.here().sends.send(1).local(closed, 0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(pair.here().sends.tryPost()).isZero();
    }

    @Test
    void postingASendBelowReadyToSendIsRefusedAndNotCarriedOutLater() {
        Pair pair = unconnected(Shape.DEFAULT);
        SendQueue sends = pair.here().sends;
        assertRefusedForState(pair.here(), "RESET");
        var ours = pair.here().qp.endpoint();
        var theirs = pair.there().qp.endpoint();
        assertRefusedForState(pair.here(), "INIT");
        pair.here().qp.modify(Pair.readyToReceive(pair.here(), ours, theirs));
        assertRefusedForState(pair.here(), "RTR");
        pair.here().qp.modify(Pair.readyToSend(Pair.Patience.DEFAULT, ours, theirs));
        pair.there().qp.connect(ours);
        pair.there().receive(1, 0, 8);
        pair.there().receive(2, 0, 8);
        sends.send(77).local(pair.here().memory, 0, 8).signaled();
        sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(77);
        assertThat(pair.there().receivedWell().id()).isEqualTo(1);
        Waiting.assertSilent(pair.there().receiveCompletions);
    }

    private static void assertRefusedForState(Side side, String state) {
        side.sends.send(5).local(side.memory, 0, 8).signaled();
        assertThatThrownBy(side.sends::post)
                .isInstanceOfSatisfying(PostException.class, e -> {
                    assertThat(e.accepted()).isZero();
                    assertThat(e.code()).isEqualTo(Errno.EINVAL);
                })
                .hasMessageContaining(state);
        side.sends.send(6).local(side.memory, 0, 8).signaled();
        assertThatThrownBy(side.sends::tryPost).as("not back pressure").isInstanceOf(PostException.class);
    }

    @Test
    @Covers.Verb({"ReceiveQueue.tryPost", "ReceiveQueue.post"})
    @Covers.Limit("QueuePairCapacity.maxReceives")
    void receivesBeyondTheRoomAreCountedAndForgotten() {
        Pair pair = connected();
        var receives = pair.there().receives;
        int capacity = receives.available();
        for (int i = 0; i < capacity + BEYOND; i++) {
            receives.receive(i).local(pair.there().memory, 8L * i, 8);
        }
        assertThat(receives.tryPost()).isEqualTo(capacity);
        assertThat(receives.available()).isZero();

        receives.receive(1000);
        assertThatThrownBy(receives::post)
                .isInstanceOfSatisfying(PostException.class, e -> {
                    assertThat(e.accepted()).isZero();
                    assertThat(e.code()).isEqualTo(Errno.ENOMEM);
                    assertThat(e.verb()).isEqualTo("ibv_post_recv");
                })
                .hasMessageContaining("0 of 1 requests posted");

        pair.here().sends.send(1).local(pair.here().memory, 0, 8);
        pair.here().sends.send(2).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();
        pair.here().sentWell();
        assertThat(pair.there().receivedWell().id()).isZero();
        assertThat(pair.there().receivedWell().id()).isEqualTo(1);
        assertThat(receives.available()).isEqualTo(2);
    }

    @Test
    @Covers.Verb("ReceiveWorkRequest.local")
    void aReceiveWithABadDescriptionIsWithdrawnAndTheOthersStay() {
        Pair pair = connected();
        var receives = pair.there().receives;
        MemoryRegion memory = pair.there().memory;
        receives.receive(1).local(memory, 0, 8);
        assertThatThrownBy(() -> receives.receive(2).local(memory, memory.length(), 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        receives.receive(3).local(memory, 0, 8);
        receives.receive(4).local(memory, 0, 8);
        assertThat(receives.tryPost()).isEqualTo(3);
        receives.receive(5).local(memory, 0, 8);
        receives.abandon();
        assertThat(receives.tryPost()).isZero();
        for (int i = 0; i < 3; i++) {
            pair.here().sends.send(i).signaled();
        }
        pair.here().sends.post();

        assertThat(pair.there().receivedWell().id()).isEqualTo(1);
        assertThat(pair.there().receivedWell().id()).isEqualTo(3);
        assertThat(pair.there().receivedWell().id()).isEqualTo(4);
    }

    @Test
    @Covers.Verb({"ReceiveQueue.receive", "ReceiveQueue.post"})
    void aReceiveInResetIsRefusedAndOneInInitIsTaken() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.there().receives.receive(1).local(pair.there().memory, 0, 8);
        assertThatThrownBy(pair.there().receives::post)
                .isInstanceOfSatisfying(PostException.class, e -> {
                    assertThat(e.accepted()).isZero();
                    assertThat(e.code()).isEqualTo(Errno.EINVAL);
                })
                .hasMessageContaining("RESET");
        pair.there().qp.endpoint();
        pair.there().receive(2, 0, 8);
        pair.connect();
        pair.here().sends.send(3).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();

        pair.here().sentWell();
        assertThat(pair.there().receivedWell().id()).isEqualTo(2);
        Waiting.assertSilent(pair.there().receiveCompletions);
    }

    @Test
    void describingWithoutARequestIsRefused() {
        Pair pair = connected();
        var request = pair.here().sends.send(1);
        pair.here().sends.abandon();

        assertThatThrownBy(() -> request.local(pair.here().memory, 0, 8)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(request::signaled).isInstanceOf(IllegalStateException.class);
    }
}
