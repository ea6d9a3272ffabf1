// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;
import static org.paraverbs.verbs.Access.REMOTE_READ;
import static org.paraverbs.verbs.Access.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.Transition;

/** What keys, ranges and rights refuse ({@code ibv_reg_mr(3)}, {@code ibv_poll_cq(3)}), on either side. */
public abstract class AccessErrorContract extends VerbsContract {

    @Test
    @Covers.Status(CompletionStatus.REMOTE_ACCESS_ERROR)
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
    @Covers.Status(CompletionStatus.REMOTE_ACCESS_ERROR)
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
    @Covers.Status(CompletionStatus.LOCAL_PROTECTION_ERROR)
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
    @Covers.Status({CompletionStatus.REMOTE_OPERATION_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR})
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
}
