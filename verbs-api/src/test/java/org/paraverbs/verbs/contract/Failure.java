// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;
import static org.paraverbs.verbs.Access.REMOTE_WRITE;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.contract.DevicesUnderTest.Behaviour;
import org.paraverbs.verbs.contract.DevicesUnderTest.Situation;

/**
 * A reliable connection on which one request fails, and all that programs see of it on both sides: how the request ends, that those
 * before it have succeeded, that those behind it and the receives are given back in order, signaled or not, the states,
 * the first error that a queue pair remembers, and the asynchronous events.
 *
 * <p>A test says first how the request ends here, with one of the {@code ends} methods, and then how its peer fares, with
 * one of {@link #peerGoesOn}, {@link #peerIsToldByAnEvent} and {@link #peersReceiveEnds}.
 */
final class Failure {
    /** The number of the request that fails, and of the receive that fails with it. */
    static final int ID = 3;

    private static final int RECEIVES = 3;
    private static final int HERE = 100;
    private static final int THERE = 200;

    /** Bytes of each receive. */
    private static final int ROOM = 64;

    private final VerbsContract contract;
    private final Side here;
    private final Side there;
    private final MemoryRegion source;
    private final RemoteBuffer target;
    private boolean first;
    private boolean receiverIsReady = true;

    Failure(VerbsContract contract, Pair pair) {
        this.contract = contract;
        here = pair.here();
        there = pair.there();
        source = here.domain.allocate(64);
        target = there.domain.allocate(64, LOCAL_WRITE, REMOTE_WRITE).remote();
    }

    /** Nothing is posted in front of the request, because it would fail as well. */
    Failure beingTheFirst() {
        first = true;
        return this;
    }

    /** The peer has no receives. */
    Failure withoutReceives() {
        receiverIsReady = false;
        return this;
    }

    /** Posts the request among others and asserts how it ends on every device. */
    Failure ends(CompletionStatus status, Consumer<SendQueue> request) {
        return ends(null, status, request);
    }

    /** Posts the request among others and asserts how it ends, or that it ends in the way that the devices are known to deviate. */
    Failure ends(@Nullable Situation situation, CompletionStatus specified, Consumer<SendQueue> request) {
        postReceives(here, HERE);
        if (receiverIsReady) {
            postReceives(there, THERE);
        }
        if (!first) {
            here.sends.write(1, target, 0).local(source, 0, 8);
            here.sends.write(2, target, 0).local(source, 0, 8).signaled();
            if (contract.missing(Behaviour.EARLIER_REQUESTS_COMPLETE).isPresent()) {
                here.sends.post();
                earlierComplete();
            }
        }
        request.accept(here.sends);
        here.sends.write(ID + 1, target, 0).local(source, 0, 8);
        here.sends.write(ID + 2, target, 0).local(source, 0, 8).signaled();
        here.sends.post();

        if (!first && contract.missing(Behaviour.EARLIER_REQUESTS_COMPLETE).isEmpty()) {
            earlierComplete();
        }
        CompletionRecord failed = here.sent();
        assertEnded(failed, situation, specified);
        assertThat(failed.qpn()).isEqualTo(here.qp.qpn());
        assertFlushed(here.sent(), ID + 1);
        assertFlushed(here.sent(), ID + 2);
        assertReceivesFlushed(here, HERE);
        assertThat(here.qp.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(here.qp.firstError()).isEqualTo(failed);
        Waiting.assertSilent(here.sendCompletions);
        Waiting.assertSilent(here.receiveCompletions);
        assertNoEvent(here, "what a completion tells is not told by an event again");
        return this;
    }

    private void earlierComplete() {
        assertThat(here.sentWell().id()).isEqualTo(2);
    }

    /** The peer has noticed nothing. */
    void peerGoesOn() {
        Waiting.assertSilent(there.receiveCompletions);
        assertThat(there.qp.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(there.qp.firstError()).isNull();
        assertNoEvent(there, "the peer has no part in it");
    }

    /** The peer has refused the request, and no receive of its was used up that could tell it so. */
    void peerIsToldByAnEvent(AsyncEventType type, Behaviour behaviour) {
        peerIsToldByAnEvent(type, behaviour, null);
    }

    /** The same where devices are known to use up a receive. */
    void peerIsToldByAnEvent(AsyncEventType type, Behaviour behaviour, @Nullable Situation situation) {
        VerbsContract.assertInError(there);
        if (there.context.supports(Feature.ASYNC_EVENTS)
                && contract.missing(behaviour).isEmpty()) {
            assertThat(Events.next(there.context, there.qp).type()).isEqualTo(type);
        }
        assertPeerStopped(situation);
    }

    /** The receive {@link #ID}, which the test has posted, has failed with the message. */
    void peersReceiveEnds(@Nullable Situation situation, CompletionStatus specified) {
        CompletionRecord received = there.received();
        assertEnded(received, situation, specified);
        assertThat(received.qpn()).isEqualTo(there.qp.qpn());
        VerbsContract.assertInError(there);
        assertThat(there.qp.firstError()).isEqualTo(received);
        assertPeerStopped(null);
    }

    /** What waits at the peer, and what is posted later, comes back. */
    private void assertPeerStopped(@Nullable Situation firstReceive) {
        CompletionRecord oldest = there.received();
        assertThat(oldest.id()).isEqualTo(THERE);
        if (firstReceive == null) {
            assertThat(oldest.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        } else {
            contract.assertStatus(firstReceive, oldest, CompletionStatus.WORK_REQUEST_FLUSHED);
        }
        for (int i = 1; i < RECEIVES; i++) {
            assertFlushed(there.received(), THERE + i);
        }
        there.sends.send(ID);
        there.sends.send(ID + 1).signaled();
        there.sends.post();
        assertFlushed(there.sent(), ID);
        assertFlushed(there.sent(), ID + 1);
        Waiting.assertSilent(there.receiveCompletions);
        Waiting.assertSilent(there.sendCompletions);
        assertNoEvent(there, "one event at most, and none of what a completion tells");
    }

    private void assertEnded(CompletionRecord completion, @Nullable Situation situation, CompletionStatus specified) {
        assertThat(completion.id())
                .as("completes, signaled or not: %s", completion)
                .isEqualTo(ID);
        if (situation == null) {
            assertThat(completion.status()).as("%s", completion).isEqualTo(specified);
        } else {
            contract.assertStatus(situation, completion, specified);
        }
    }

    private static void postReceives(Side side, int firstId) {
        MemoryRegion room = side.domain.allocate(ROOM, LOCAL_WRITE);
        for (int i = 0; i < RECEIVES; i++) {
            side.receives.receive(firstId + i).local(room, 0, ROOM);
        }
        side.receives.post();
    }

    private static void assertReceivesFlushed(Side side, int firstId) {
        for (int i = 0; i < RECEIVES; i++) {
            assertFlushed(side.received(), firstId + i);
        }
    }

    private static void assertFlushed(CompletionRecord completion, int id) {
        assertThat(completion.id()).isEqualTo(id);
        assertThat(completion.status()).as("%s", completion).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }

    private static void assertNoEvent(Side side, String reason) {
        if (side.context.supports(Feature.ASYNC_EVENTS)) {
            assertThat(Events.ofQueuePair(side.context, side.qp)).as(reason).isNull();
        }
    }
}
