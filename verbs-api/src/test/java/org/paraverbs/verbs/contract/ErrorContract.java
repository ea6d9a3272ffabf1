// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;
import static org.paraverbs.verbs.Access.REMOTE_READ;
import static org.paraverbs.verbs.Access.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.WorkCompletionException;

/** How requests fail, and what a failure does to a queue pair ({@code ibv_poll_cq(3)}, {@code ibv_post_send(3)}). */
public abstract class ErrorContract extends VerbsContract {

    @Test
    void aWriteWithAWrongRemoteKeyIsARemoteAccessError() {
        Pair pair = connected();
        RemoteBuffer right = pair.there().memory.remote();
        assertWriteRefused(pair, new RemoteBuffer(right.address(), right.length(), right.rkey() ^ 0x5a5a_00ff));
    }

    @Test
    void aWriteWithTheKeyOfAClosedRegionIsARemoteAccessError() {
        Pair pair = connected();
        RemoteBuffer stale = pair.there().memory.remote();
        pair.there().memory.close();
        assertWriteRefused(pair, stale);
    }

    @Test
    void aWriteWithTheKeyOfAnotherProtectionDomainIsARemoteAccessError() {
        Pair pair = connected();
        var stranger = second().allocateProtectionDomain().allocate(4096, LOCAL_WRITE, REMOTE_WRITE);
        assertWriteRefused(pair, stranger.remote());
    }

    @Test
    void aWriteBeyondTheEndOfTheRegionIsARemoteAccessErrorAndWritesNothing() {
        Pair pair = connected(Shape.DEFAULT.memory(4096));
        Bytes.fill(pair.there().memory, 1);
        byte[] before = Bytes.copy(pair.there().memory);
        RemoteBuffer right = pair.there().memory.remote();
        assertWriteRefused(pair, new RemoteBuffer(right.address() + 4033, 64, right.rkey()));
        Bytes.assertSame(pair.there().memory, before);
    }

    @Test
    void aWriteBeforeTheBeginningOfTheRegionIsARemoteAccessError() {
        Pair pair = connected();
        RemoteBuffer right = pair.there().memory.remote();
        assertWriteRefused(pair, new RemoteBuffer(right.address() - 1, 64, right.rkey()));
    }

    @Test
    void aWriteWhoseRangeWrapsAroundTheAddressSpaceIsARemoteAccessError() {
        Pair pair = connected();
        assertWriteRefused(pair, new RemoteBuffer(-32L, 64, pair.there().memory.rkey()));
    }

    @Test
    void aWriteToARegionWithoutTheRightIsARemoteAccessError() {
        Pair pair = connected();
        var region = pair.there().domain.allocate(4096, LOCAL_WRITE, REMOTE_READ);
        assertWriteRefused(pair, region.remote());
    }

    @Test
    void aReadFromARegionWithoutTheRightIsARemoteAccessError() {
        require(first(), Feature.READ);
        Pair pair = connected();
        var region = pair.there().domain.allocate(4096, LOCAL_WRITE, REMOTE_WRITE);
        pair.here()
                .sends
                .read(1, region.remote(), 0)
                .local(pair.here().memory, 0, 64)
                .signaled();
        assertRefused(pair, CompletionStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    void aReadBeyondTheEndOfTheRegionIsARemoteAccessError() {
        require(first(), Feature.READ);
        Pair pair = connected(Shape.DEFAULT.memory(4096));
        RemoteBuffer right = pair.there().memory.remote();
        pair.here()
                .sends
                .read(1, new RemoteBuffer(right.address(), 8192, right.rkey()), 4000)
                .local(pair.here().memory, 0, 97)
                .signaled();
        assertRefused(pair, CompletionStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    void aQueuePairThatAllowsNothingRefusesAWrite() {
        Pair pair = unconnected(Shape.DEFAULT);
        Endpoint theirs = pair.there().qp.endpoint();
        // INIT to INIT takes the rights away again that endpoint() gave
        pair.there().qp.modify(new Transition.Init(pair.there().qp.query().port(), 0, Set.of()));
        Endpoint ours = pair.here().qp.endpoint();
        pair.here().qp.connect(theirs);
        pair.there().qp.connect(ours);
        pair.here()
                .sends
                .write(1, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 64)
                .signaled();
        pair.here().sends.post();

        assertStatus(
                Situation.QUEUE_PAIR_WITHOUT_REMOTE_ACCESS, pair.here().sent(), CompletionStatus.REMOTE_ACCESS_ERROR);
        assertInError(pair.here());
    }

    @Test
    void aSendFromARegionOfAnotherProtectionDomainIsALocalProtectionError() {
        Pair pair = connected();
        pair.there().receive(1, 0, 64);
        MemoryRegion stranger = first().allocateProtectionDomain().allocate(4096);
        pair.here().sends.send(1).local(stranger, 0, 64).signaled();
        pair.here().sends.post();

        assertStatus(Situation.SEND_WITH_WRONG_LOCAL_KEY, pair.here().sent(), CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertInError(pair.here());
    }

    @Test
    void aSendFromARegionThatWasClosedBeforePostingIsALocalProtectionError() {
        Pair pair = connected();
        pair.there().receive(1, 0, 64);
        pair.here().sends.send(1).local(pair.here().memory, 0, 64).signaled();
        pair.here().memory.close();
        pair.here().sends.post();

        assertStatus(Situation.SEND_WITH_WRONG_LOCAL_KEY, pair.here().sent(), CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertInError(pair.here());
    }

    @Test
    void aReceiveIntoAClosedRegionFailsOnBothSides() {
        Pair pair = connected();
        pair.there().receive(1, 0, 64);
        pair.there().memory.close();
        pair.here().sends.send(2).local(pair.here().memory, 0, 64).signaled();
        pair.here().sends.post();

        assertStatus(
                Situation.SEND_TO_RECEIVE_WITH_WRONG_LOCAL_KEY,
                pair.here().sent(),
                CompletionStatus.REMOTE_OPERATION_ERROR);
        assertStatus(
                Situation.RECEIVE_WITH_WRONG_LOCAL_KEY,
                pair.there().received(),
                CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertInError(pair.here());
        assertInError(pair.there());
    }

    @Test
    void aReceiveIntoARegionWithoutLocalWriteFailsOnBothSides() {
        Pair pair = connected();
        MemoryRegion readOnly = pair.there().domain.allocate(4096);
        pair.there().receives.receive(1).local(readOnly, 0, 64);
        pair.there().receives.post();
        pair.here().sends.send(2).local(pair.here().memory, 0, 64).signaled();
        pair.here().sends.post();

        assertStatus(
                Situation.SEND_TO_RECEIVE_WITH_WRONG_LOCAL_KEY,
                pair.here().sent(),
                CompletionStatus.REMOTE_OPERATION_ERROR);
        assertStatus(
                Situation.RECEIVE_WITH_WRONG_LOCAL_KEY,
                pair.there().received(),
                CompletionStatus.LOCAL_PROTECTION_ERROR);
    }

    @Test
    void aReadIntoARegionWithoutLocalWriteIsALocalProtectionError() {
        require(first(), Feature.READ);
        Pair pair = connected();
        MemoryRegion readOnly = pair.here().domain.allocate(4096);
        pair.here()
                .sends
                .read(1, pair.there().memory.remote(), 0)
                .local(readOnly, 0, 64)
                .signaled();
        pair.here().sends.post();

        assertStatus(Situation.READ_INTO_READ_ONLY_REGION, pair.here().sent(), CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertInError(pair.here());
    }

    @Test
    void aMessageLongerThanItsReceiveFailsOnBothSides() {
        Pair pair = connected();
        pair.there().receive(1, 0, 63);
        pair.here().sends.send(2).local(pair.here().memory, 0, 64).signaled();
        pair.here().sends.post();

        assertStatus(
                Situation.SEND_TO_RECEIVE_TOO_SMALL, pair.here().sent(), CompletionStatus.REMOTE_INVALID_REQUEST_ERROR);
        assertStatus(Situation.RECEIVE_TOO_SMALL, pair.there().received(), CompletionStatus.LOCAL_LENGTH_ERROR);
        assertInError(pair.here());
        assertInError(pair.there());
    }

    @Test
    void aSendWithoutAReceiveFailsWhenThereAreNoRetries() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        pair.here().sends.send(2).local(pair.here().memory, 0, 64).signaled();
        assertRefused(pair, CompletionStatus.RNR_RETRY_EXCEEDED);
    }

    @Test
    void aWriteToAPeerThatHasBeenClosedExceedsItsRetries() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        RemoteBuffer remote = pair.there().memory.remote();
        pair.there().qp.close();
        pair.here().sends.write(2, remote, 0).local(pair.here().memory, 0, 64).signaled();
        assertRefused(pair, CompletionStatus.RETRY_EXCEEDED);
    }

    @Test
    void aWriteToAPeerInErrorExceedsItsRetries() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.connect(Pair.Patience.LITTLE);
        pair.there().qp.modify(new Transition.ToError());
        pair.here()
                .sends
                .write(2, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 64)
                .signaled();
        assertRefused(pair, CompletionStatus.RETRY_EXCEEDED);
    }

    @Test
    void goingToErrorFlushesReceivesInOrder() {
        Pair pair = connected();
        for (int i = 0; i < 8; i++) {
            pair.here().receives.receive(100 + i).local(pair.here().memory, 0, 8);
        }
        pair.here().receives.post();
        pair.here().qp.modify(new Transition.ToError());

        for (int i = 0; i < 8; i++) {
            CompletionRecord flushed = pair.here().received();
            assertThat(flushed.id()).isEqualTo(100 + i);
            assertThat(flushed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
            assertThat(flushed.qpn()).isEqualTo(pair.here().qp.qpn());
        }
    }

    @Test
    void goingToErrorFlushesSendsInOrder() {
        Pair pair = connected();
        // without receives at the peer they stay outstanding
        for (int i = 0; i < 8; i++) {
            pair.here().sends.send(200 + i).local(pair.here().memory, 0, 8).signaled();
        }
        pair.here().sends.post();
        Waiting.assertSilent(pair.here().sendCompletions);
        pair.here().qp.modify(new Transition.ToError());

        for (int i = 0; i < 8; i++) {
            CompletionRecord flushed = pair.here().sent();
            assertThat(flushed.id()).isEqualTo(200 + i);
            assertThat(flushed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
    }

    @Test
    void unsignaledRequestsAreFlushedWithACompletionToo() {
        Pair pair = connected();
        pair.here().qp.modify(new Transition.ToError());
        pair.here().sends.write(1, pair.there().memory.remote(), 0).local(pair.here().memory, 0, 8);
        pair.here().sends.post();

        assertThat(pair.here().sent().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }

    @Test
    void requestsPostedInErrorAreFlushed() {
        Pair pair = connected();
        pair.here().qp.modify(new Transition.ToError());
        pair.here()
                .sends
                .write(1, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.send(2).signaled();
        pair.here().sends.post();

        CompletionRecord write = pair.here().sent();
        assertThat(write.id()).isEqualTo(1);
        assertThat(write.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(pair.here().sent().id()).isEqualTo(2);
    }

    @Test
    void receivesPostedInErrorAreFlushed() {
        keepsReceivesPostedInError().ifPresent(VerbsContract::skip);
        Pair pair = connected();
        pair.here().qp.modify(new Transition.ToError());
        pair.here().receive(3, 0, 8);

        CompletionRecord receive = pair.here().received();
        assertThat(receive.id()).isEqualTo(3);
        assertThat(receive.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }

    @Test
    void theFirstErrorIsKeptApartFromTheFlushesThatFollow() {
        Pair pair = connected();
        RemoteBuffer right = pair.there().memory.remote();
        RemoteBuffer wrong = new RemoteBuffer(right.address(), right.length(), right.rkey() ^ 0x00ff_0000);
        pair.here().receive(50, 0, 8);
        assertThat(pair.here().qp.firstError()).isNull();
        pair.here().sends.write(1, right, 0).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.write(2, wrong, 0).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.write(3, right, 0).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.write(4, right, 0).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(1);
        CompletionRecord failed = pair.here().sent();
        assertThat(failed.id()).isEqualTo(2);
        assertThat(failed.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
        for (int id = 3; id <= 4; id++) {
            CompletionRecord flushed = pair.here().sent();
            assertThat(flushed.id()).isEqualTo(id);
            assertThat(flushed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
        assertThat(pair.here().received().status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);

        CompletionRecord first = pair.here().qp.firstError();
        assertThat(first).isNotNull();
        assertThat(first.id()).isEqualTo(2);
        assertThat(first.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
        pair.here().qp.modify(new Transition.ToReset());
        assertThat(pair.here().qp.firstError()).as("after a reset").isNull();
    }

    @Test
    void aFailedCompletionExplainsItself() {
        Pair pair = connected();
        RemoteBuffer right = pair.there().memory.remote();
        pair.here()
                .sends
                .write(0x77, new RemoteBuffer(right.address(), right.length(), right.rkey() ^ 0x00ff_0000), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.post();

        CompletionRecord failed = pair.here().sent();
        assertThat(failed.isSuccess()).isFalse();
        assertThat(failed.rawStatus()).isEqualTo(10);
        assertThatThrownBy(failed::requireSuccess)
                .isInstanceOfSatisfying(WorkCompletionException.class, e -> {
                    assertThat(e.completion()).isEqualTo(failed);
                    assertThat(e.code()).isEqualTo(Errno.EIO);
                })
                .hasMessageContaining("request 119")
                .hasMessageContaining(
                        "QP 0x" + Integer.toHexString(pair.here().qp.qpn()))
                .hasMessageContaining("remote access error")
                .hasMessageContaining("vendor error")
                .hasMessageContaining("rkey");
    }

    @Test
    void aPeersWriteToFreedMemoryIsAnErrorAndTheProcessLives() {
        requireSafeMisuse();
        Pair pair = connected();
        MemoryRegion region;
        try (Arena arena = Arena.ofShared()) {
            region = pair.there().domain.register(arena.allocate(4096, 4096), LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        }
        pair.here()
                .sends
                .write(1, region.remote(), 0)
                .local(pair.here().memory, 0, 64)
                .signaled();
        pair.here().sends.post();

        assertThat(pair.here().sent().status())
                .isIn(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.REMOTE_OPERATION_ERROR);
        assertInError(pair.here());
    }

    @Test
    void aPeersReadOfFreedMemoryIsAnErrorAndTheProcessLives() {
        requireSafeMisuse();
        Pair pair = connected();
        MemoryRegion region;
        try (Arena arena = Arena.ofShared()) {
            region = pair.there().domain.register(arena.allocate(4096, 4096), LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        }
        pair.here()
                .sends
                .read(1, region.remote(), 0)
                .local(pair.here().memory, 0, 64)
                .signaled();
        pair.here().sends.post();

        assertThat(pair.here().sent().status())
                .isIn(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.REMOTE_OPERATION_ERROR);
        assertInError(pair.here());
    }

    @Test
    void sendingFreedMemoryIsALocalProtectionErrorAndTheProcessLives() {
        requireSafeMisuse();
        Pair pair = connected();
        pair.there().receive(1, 0, 64);
        MemoryRegion region;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4096, 4096);
            region = pair.here().domain.register(memory);
        }
        pair.here().sends.send(1).local(region, 0, 64).signaled();
        pair.here().sends.post();

        assertThat(pair.here().sent().status()).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertInError(pair.here());
    }

    @Test
    void receivingIntoFreedMemoryFailsOnBothSidesAndTheProcessLives() {
        requireSafeMisuse();
        Pair pair = connected();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = pair.there().domain.register(arena.allocate(4096, 4096), LOCAL_WRITE);
            pair.there().receives.receive(1).local(region, 0, 64);
            pair.there().receives.post();
        }
        pair.here().sends.send(1).local(pair.here().memory, 0, 64).signaled();
        pair.here().sends.post();

        assertThat(pair.here().sent().status()).isEqualTo(CompletionStatus.REMOTE_OPERATION_ERROR);
        assertThat(pair.there().received().status()).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
    }

    private void requireSafeMisuse() {
        if (!first().device().emulated() || !second().device().emulated()) {
            skip("a real device goes on using freed memory, which would corrupt this process");
        }
    }

    private static void assertWriteRefused(Pair pair, RemoteBuffer remote) {
        SendWorkRequest request = pair.here().sends.write(1, remote, 0);
        request.local(pair.here().memory, 0, 64).signaled();
        assertRefused(pair, CompletionStatus.REMOTE_ACCESS_ERROR);
    }

    private static void assertRefused(Pair pair, CompletionStatus expected) {
        pair.here().sends.post();
        CompletionRecord completion = pair.here().sent();
        assertThat(completion.status()).as("%s", completion).isEqualTo(expected);
        assertThat(completion.isSuccess()).isFalse();
        assertThat(completion.qpn()).isEqualTo(pair.here().qp.qpn());
        assertInError(pair.here());
    }

    private static void assertInError(Side side) {
        Waiting.until("state ERROR", () -> side.qp.state() == QueuePairState.ERROR);
    }
}
