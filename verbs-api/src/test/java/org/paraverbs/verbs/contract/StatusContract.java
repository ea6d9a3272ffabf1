// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;
import static org.paraverbs.verbs.Access.REMOTE_ATOMIC;
import static org.paraverbs.verbs.Access.REMOTE_READ;
import static org.paraverbs.verbs.Access.REMOTE_WRITE;

import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.Transition;

/**
 * The causes of each status with which a request of a reliable connection can fail, and all that follows on both sides (see
 * {@link Failure}; IBTA volume 1, sections 9.9, 10.3.1 and 11.6.2). {@link AccessErrorContract} has what keys, ranges and rights
 * refuse, {@link DatagramStateContract} has datagrams; {@code not-covered.txt} has the statuses that no program can provoke.
 */
public abstract class StatusContract extends VerbsContract {

    /** Memory that a message of the greatest length is made of, many times over. */
    private static final long MOST_MEMORY = 256 << 20;

    private static final Shape ATOMICS =
            Shape.DEFAULT.memory(4096, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);

    // --- what the requester's own device refuses

    @Test
    @Covers.Status(CompletionStatus.LOCAL_LENGTH_ERROR)
    void aMessageLongerThanThePortAllows() {
        requireBehaviour(Behaviour.MESSAGE_TOO_LONG_FAILS);
        int elements = Math.min(16, first().attributes().maxElements());
        long max = first().port(1).maxMessageSize();
        long each = max / elements + 1;
        if (each > MOST_MEMORY) {
            skip("a message of more than " + max + " bytes takes " + elements + " elements of " + each);
        }
        Pair pair = connected(Shape.DEFAULT.elements(elements));
        MemoryRegion large = pair.here().domain.allocate(each);
        new Failure(this, pair)
                .ends(CompletionStatus.LOCAL_LENGTH_ERROR, sends -> {
                    SendWorkRequest request = sends.send(Failure.ID);
                    for (int i = 0; i < elements; i++) {
                        request.local(large, 0, each);
                    }
                })
                .peerGoesOn();
    }

    @Test
    @Covers.Status(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR)
    void aReadWhereNoneMayBeOutstanding() {
        require(first(), Feature.READ);
        requireBehaviour(Behaviour.READ_WITHOUT_DEPTH_FAILS);
        Pair pair = withoutReadDepth(Shape.DEFAULT);
        new Failure(this, pair)
                .ends(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR, reading(pair))
                .peerGoesOn();
    }

    @Test
    @Covers.Status(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR)
    void anAtomicWhereNoneMayBeOutstanding() {
        require(first(), Feature.ATOMICS);
        requireBehaviour(Behaviour.READ_WITHOUT_DEPTH_FAILS);
        Pair pair = withoutReadDepth(ATOMICS);
        new Failure(this, pair)
                .ends(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR, adding(pair))
                .peerGoesOn();
    }

    /** Here believes that it may have no READ outstanding; there would take some. */
    private Pair withoutReadDepth(Shape shape) {
        Pair pair = unconnected(shape);
        Endpoint ours = pair.here().qp.endpoint();
        Endpoint theirs = pair.there().qp.endpoint();
        pair.there().qp.connect(ours);
        pair.here().qp.modify(Pair.readyToReceive(pair.here(), ours, theirs));
        Pair.Patience patience = Pair.Patience.DEFAULT;
        pair.here()
                .qp
                .modify(new Transition.ReadyToSend(
                        ours.psn(), patience.timeout(), patience.retries(), patience.rnrRetries(), 0));
        return pair;
    }

    // --- what the peer finds invalid

    @Test
    @Covers.Status({CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, CompletionStatus.LOCAL_LENGTH_ERROR})
    void aMessageLongerThanItsReceive() {
        Pair pair = connected();
        pair.there().receive(Failure.ID, 0, 7);
        new Failure(this, pair)
                .ends(
                        Situation.SEND_TO_RECEIVE_TOO_SMALL,
                        CompletionStatus.REMOTE_INVALID_REQUEST_ERROR,
                        sends -> sends.send(Failure.ID).local(pair.here().memory, 0, 8))
                .peersReceiveEnds(Situation.RECEIVE_TOO_SMALL, CompletionStatus.LOCAL_LENGTH_ERROR);
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR)
    void aReadOfAPeerThatTakesNone() {
        require(first(), Feature.READ);
        Pair pair = unconnected(Shape.DEFAULT);
        pair.reversed().connect(Pair.Patience.DEFAULT, 0);
        assertInvalid(new Failure(this, pair), reading(pair));
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR)
    void anAtomicOfAPeerThatTakesNone() {
        require(first(), Feature.ATOMICS);
        Pair pair = unconnected(ATOMICS);
        pair.reversed().connect(Pair.Patience.DEFAULT, 0);
        assertInvalid(new Failure(this, pair), adding(pair));
    }

    /** The key gives the right, but the queue pair does not take the operation: it is not even looked at. */
    @Test
    @Covers.Status(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR)
    void aWriteToAQueuePairThatTakesNone() {
        Pair pair = allowing(Shape.DEFAULT, Set.of());
        RemoteBuffer remote = pair.there().memory.remote();
        assertInvalid(
                new Failure(this, pair).beingTheFirst(),
                sends -> sends.write(Failure.ID, remote, 0).local(pair.here().memory, 0, 64));
        assertThat(pair.there()
                        .memory
                        .memory()
                        .mismatch(pair.there().domain.allocate(64 << 10).memory()))
                .as("nothing was written")
                .isEqualTo(-1);
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR)
    void aWriteWithImmediateToAQueuePairThatTakesNone() {
        Pair pair = allowing(Shape.DEFAULT, Set.of());
        RemoteBuffer remote = pair.there().memory.remote();
        assertInvalid(
                new Failure(this, pair).beingTheFirst(),
                sends -> sends.writeWithImmediate(Failure.ID, remote, 0, 5).local(pair.here().memory, 0, 64));
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR)
    void aReadOfAQueuePairThatTakesNone() {
        require(first(), Feature.READ);
        Pair pair = allowing(Shape.DEFAULT, Set.of(REMOTE_WRITE));
        assertInvalid(new Failure(this, pair), reading(pair));
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR)
    void anAtomicOfAQueuePairThatTakesNone() {
        require(first(), Feature.ATOMICS);
        Pair pair = allowing(ATOMICS, Set.of(REMOTE_WRITE, REMOTE_READ));
        assertInvalid(new Failure(this, pair), adding(pair));
    }

    /** Connected, but the peer's queue pair takes only some operations, whatever its region allows. */
    private Pair allowing(Shape shape, Set<Access> rights) {
        Pair pair = unconnected(shape);
        Endpoint theirs = pair.there().qp.endpoint();
        // INIT to INIT takes the rights away again that endpoint() gave
        pair.there().qp.modify(new Transition.Init(pair.there().qp.query().port(), 0, rights));
        Endpoint ours = pair.here().qp.endpoint();
        pair.here().qp.connect(theirs);
        pair.there().qp.connect(ours);
        return pair;
    }

    private static void assertInvalid(Failure failure, Consumer<SendQueue> request) {
        failure.ends(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, request)
                .peerIsToldByAnEvent(AsyncEventType.QUEUE_PAIR_REQUEST_ERROR, Behaviour.REQUEST_ERROR_EVENT);
    }

    // --- a peer that has no receive, or does not answer

    @Test
    @Covers.Status(CompletionStatus.RNR_RETRY_EXCEEDED)
    void aSendWithoutAReceive() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        new Failure(this, pair)
                .withoutReceives()
                .ends(
                        CompletionStatus.RNR_RETRY_EXCEEDED,
                        sends -> sends.send(Failure.ID).local(pair.here().memory, 0, 8))
                .peerGoesOn();
    }

    @Test
    @Covers.Status(CompletionStatus.RNR_RETRY_EXCEEDED)
    void aWriteWithImmediateWithoutAReceive() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        RemoteBuffer remote = pair.there().memory.remote();
        new Failure(this, pair)
                .withoutReceives()
                .ends(
                        CompletionStatus.RNR_RETRY_EXCEEDED,
                        sends -> sends.writeWithImmediate(Failure.ID, remote, 0, 7)
                                .local(pair.here().memory, 0, 8))
                .peerGoesOn();
    }

    @Test
    @Covers.Status(CompletionStatus.RETRY_EXCEEDED)
    void aPeerInError() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        pair.there().qp.modify(new Transition.ToError());
        assertNobodyAnswers(pair);
        assertThat(pair.there().qp.state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    @Covers.Status(CompletionStatus.RETRY_EXCEEDED)
    void aPeerThatHasStartedOver() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        pair.there().qp.modify(new Transition.ToReset());
        assertNobodyAnswers(pair);
        assertThat(pair.there().qp.state()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    @Covers.Status(CompletionStatus.RETRY_EXCEEDED)
    void aPeerThatIsNotYetReadyToReceive() {
        Pair pair = unconnected(Shape.DEFAULT);
        connectHere(pair, pair.here().qp.endpoint().psn());
        assertNobodyAnswers(pair);
        assertThat(pair.there().qp.state()).isEqualTo(QueuePairState.INIT);
    }

    @Test
    @Covers.Status(CompletionStatus.RETRY_EXCEEDED)
    void aPeerThatHasBeenClosed() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        Failure failure = new Failure(this, pair).beingTheFirst().withoutReceives();
        pair.there().qp.close();
        failure.ends(
                CompletionStatus.RETRY_EXCEEDED, sends -> sends.send(Failure.ID).local(pair.here().memory, 0, 8));
    }

    /** Each of our requests is ahead of what the peer expects, and is asked for again and again. */
    @Test
    @Covers.Status(CompletionStatus.RETRY_EXCEEDED)
    void aPeerThatExpectsAnotherSequenceNumber() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.there().qp.endpoint(); // takes it to INIT
        pair.there().qp.connect(pair.here().qp.endpoint());
        connectHere(pair, (pair.here().qp.endpoint().psn() + 100) & 0xff_ffff);
        new Failure(this, pair)
                .beingTheFirst()
                .ends(
                        CompletionStatus.RETRY_EXCEEDED,
                        sends -> sends.send(Failure.ID).local(pair.here().memory, 0, 8))
                .peerGoesOn();
    }

    /** Only here is connected, with little patience. */
    private static void connectHere(Pair pair, int psn) {
        Endpoint ours = pair.here().qp.endpoint();
        Endpoint theirs = pair.there().qp.endpoint();
        Pair.Patience patience = Pair.Patience.LITTLE;
        pair.here().qp.modify(Pair.readyToReceive(pair.here(), ours, theirs));
        pair.here()
                .qp
                .modify(new Transition.ReadyToSend(
                        psn, patience.timeout(), patience.retries(), patience.rnrRetries(), 1));
    }

    private void assertNobodyAnswers(Pair pair) {
        new Failure(this, pair)
                .beingTheFirst()
                .withoutReceives()
                .ends(
                        CompletionStatus.RETRY_EXCEEDED,
                        sends -> sends.send(Failure.ID).local(pair.here().memory, 0, 8));
        Waiting.assertSilent(pair.there().receiveCompletions);
        assertThat(pair.there().qp.firstError()).isNull();
    }

    private static Consumer<SendQueue> reading(Pair pair) {
        RemoteBuffer remote = pair.there().memory.remote();
        return sends -> sends.read(Failure.ID, remote, 0).local(pair.here().memory, 0, 8);
    }

    private static Consumer<SendQueue> adding(Pair pair) {
        RemoteBuffer remote = pair.there().memory.remote();
        return sends -> sends.fetchAndAdd(Failure.ID, remote, 0, 1).local(pair.here().memory, 0, 8);
    }
}
