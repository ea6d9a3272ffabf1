// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.Transition;

/**
 * What follows when a request of a reliable connection fails, for each status with which it can: those before it have
 * succeeded, all behind it are flushed in order on both queues, signaled or not, the queue pair is in error and remembers
 * the first error, and what the completion tells is not told by an event again. {@link ErrorContract} and
 * {@link AccessErrorContract} have the causes of each status; {@code not-covered.txt} has the statuses that no program can
 * provoke.
 */
public abstract class StatusContract extends VerbsContract {

    private static final int FAILS = 3;

    @Test
    @Covers.Status(CompletionStatus.REMOTE_ACCESS_ERROR)
    void afterARemoteAccessError() {
        Pair pair = connected();
        assertFollows(pair, CompletionStatus.REMOTE_ACCESS_ERROR, here -> {
            RemoteBuffer right = pair.there().memory.remote();
            RemoteBuffer wrong = new RemoteBuffer(right.address(), right.length(), right.rkey() ^ 0x00ff_0000);
            here.sends.write(FAILS, wrong, 0).local(here.memory, 0, 8);
        });
    }

    @Test
    @Covers.Status(CompletionStatus.LOCAL_PROTECTION_ERROR)
    void afterALocalProtectionError() {
        if (deviation(Situation.SEND_WITH_WRONG_LOCAL_KEY).isPresent()) {
            skip("the device answers with another status, see AccessErrorContract");
        }
        Pair pair = connected();
        MemoryRegion stranger = first().allocateProtectionDomain().allocate(4096);
        assertFollows(
                pair,
                CompletionStatus.LOCAL_PROTECTION_ERROR,
                here -> here.sends.write(FAILS, pair.there().memory.remote(), 0).local(stranger, 0, 8));
    }

    @Test
    @Covers.Status(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR)
    void afterALocalQueuePairOperationError() {
        require(first(), Feature.READ);
        requireBehaviour(Behaviour.READ_WITHOUT_DEPTH_FAILS);
        Pair pair = unconnected(Shape.DEFAULT);
        var ours = pair.here().qp.endpoint();
        var theirs = pair.there().qp.endpoint();
        pair.there().qp.connect(ours);
        pair.here().qp.modify(Pair.readyToReceive(pair.here(), ours, theirs));
        Pair.Patience patience = Pair.Patience.DEFAULT;
        pair.here()
                .qp
                .modify(new Transition.ReadyToSend(
                        ours.psn(), patience.timeout(), patience.retries(), patience.rnrRetries(), 0));
        assertFollows(
                pair,
                CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR,
                here -> here.sends.read(FAILS, pair.there().memory.remote(), 0).local(here.memory, 0, 8));
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR)
    void afterARemoteInvalidRequestError() {
        if (deviation(Situation.SEND_TO_RECEIVE_TOO_SMALL).isPresent()) {
            skip("the device answers with another status, see ErrorContract");
        }
        Pair pair = connected();
        pair.there().receive(1, 0, 7);
        assertFollows(
                pair,
                CompletionStatus.REMOTE_INVALID_REQUEST_ERROR,
                here -> here.sends.send(FAILS).local(here.memory, 0, 8));
        CompletionRecord received = pair.there().received();
        assertThat(received.id()).isEqualTo(1);
        assertThat(received.status()).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
        assertInError(pair.there());
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_OPERATION_ERROR)
    void afterARemoteOperationError() {
        if (deviation(Situation.SEND_TO_RECEIVE_WITH_WRONG_LOCAL_KEY).isPresent()) {
            skip("the device answers with another status, see AccessErrorContract");
        }
        Pair pair = connected();
        MemoryRegion closed = pair.there().domain.allocate(64, LOCAL_WRITE);
        pair.there().receives.receive(1).local(closed, 0, 64);
        pair.there().receives.post();
        closed.close();
        assertFollows(
                pair,
                CompletionStatus.REMOTE_OPERATION_ERROR,
                here -> here.sends.send(FAILS).local(here.memory, 0, 8));
    }

    @Test
    @Covers.Status(CompletionStatus.RNR_RETRY_EXCEEDED)
    void afterTooManyRnrRetries() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        assertFollows(
                pair,
                CompletionStatus.RNR_RETRY_EXCEEDED,
                here -> here.sends.send(FAILS).local(here.memory, 0, 8));
        assertThat(pair.there().qp.state()).as("the peer only had no receive").isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    @Covers.Status(CompletionStatus.RETRY_EXCEEDED)
    void afterTooManyRetries() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        RemoteBuffer remote = pair.there().memory.remote();
        pair.here().sends.write(0, remote, 0).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();
        pair.here().sentWell();
        pair.there().qp.modify(new Transition.ToError());
        for (int i = 0; i < 3; i++) {
            pair.here().receive(100 + i, 0, 8);
        }
        pair.here().sends.write(FAILS, remote, 0).local(pair.here().memory, 0, 8);
        begin(pair.here(), remote);
        pair.here().sends.post();
        assertFailed(pair.here(), CompletionStatus.RETRY_EXCEEDED);
    }

    /** Two requests that succeed, the one that fails, and two behind it that would succeed, of which one is unsignaled. */
    private void assertFollows(Pair pair, CompletionStatus status, Consumer<Side> failing) {
        Side here = pair.here();
        RemoteBuffer remote = pair.there().memory.remote();
        for (int i = 0; i < 3; i++) {
            here.receive(100 + i, 0, 8);
        }
        here.sends.write(1, remote, 0).local(here.memory, 0, 8);
        here.sends.write(2, remote, 0).local(here.memory, 0, 8).signaled();
        failing.accept(here);
        begin(here, remote);
        here.sends.post();
        assertThat(here.sentWell().id()).isEqualTo(2);
        assertFailed(here, status);
    }

    private static void begin(Side here, RemoteBuffer remote) {
        here.sends.write(FAILS + 1, remote, 0).local(here.memory, 0, 8);
        here.sends.write(FAILS + 2, remote, 0).local(here.memory, 0, 8).signaled();
    }

    private void assertFailed(Side here, CompletionStatus status) {
        CompletionRecord failed = here.sent();
        assertThat(failed.status()).as("%s", failed).isEqualTo(status);
        assertThat(failed.id())
                .as("it was not signaled and completes all the same")
                .isEqualTo(FAILS);
        assertThat(failed.qpn()).isEqualTo(here.qp.qpn());
        assertFlushed(here.sent(), FAILS + 1);
        assertFlushed(here.sent(), FAILS + 2);
        for (int i = 0; i < 3; i++) {
            assertFlushed(here.received(), 100 + i);
        }
        assertThat(here.qp.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(here.qp.firstError()).isEqualTo(failed);
        Waiting.assertSilent(here.sendCompletions);
        Waiting.assertSilent(here.receiveCompletions);
        if (first().supports(Feature.ASYNC_EVENTS)) {
            assertThat(Events.among(first(), AsyncEventType.QUEUE_PAIR_FATAL))
                    .as("an event of what a completion has told")
                    .isNull();
        }
    }

    private static void assertFlushed(CompletionRecord completion, int id) {
        assertThat(completion.id()).isEqualTo(id);
        assertThat(completion.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }
}
