// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.paraverbs.verbs.Access.LOCAL_WRITE;
import static org.paraverbs.verbs.Access.REMOTE_READ;
import static org.paraverbs.verbs.Access.REMOTE_WRITE;

import java.lang.foreign.Arena;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;

/**
 * What keys, ranges and rights refuse ({@code ibv_reg_mr(3)}, {@code ibv_poll_cq(3)}), on either side, and what follows there (see
 * {@link Failure}).
 */
public abstract class AccessErrorContract extends VerbsContract {

    // --- the peer's memory

    @Test
    @Covers.Status(CompletionStatus.REMOTE_ACCESS_ERROR)
    void aWriteWithAWrongRemoteKey() {
        Pair pair = connected();
        assertWriteRefused(pair, wrongKey(pair.there().memory));
    }

    @Test
    void aWriteWithTheKeyOfAClosedRegion() {
        Pair pair = connected();
        RemoteBuffer stale = pair.there().memory.remote();
        pair.there().memory.close();
        assertWriteRefused(pair, stale);
    }

    @Test
    void aWriteWithTheKeyOfAnotherProtectionDomain() {
        Pair pair = connected();
        var stranger = second().allocateProtectionDomain().allocate(4096, LOCAL_WRITE, REMOTE_WRITE);
        assertWriteRefused(pair, stranger.remote());
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_ACCESS_ERROR)
    void aWriteBeyondTheEndOfTheRegionWritesNothing() {
        Pair pair = connected(Shape.DEFAULT.memory(4096));
        Bytes.fill(pair.there().memory, 1);
        byte[] before = Bytes.copy(pair.there().memory);
        RemoteBuffer right = pair.there().memory.remote();
        assertWriteRefused(pair, new RemoteBuffer(right.address() + 4033, 64, right.rkey()));
        Bytes.assertSame(pair.there().memory, before);
    }

    @Test
    void aWriteBeforeTheBeginningOfTheRegion() {
        Pair pair = connected();
        RemoteBuffer right = pair.there().memory.remote();
        assertWriteRefused(pair, new RemoteBuffer(right.address() - 1, 64, right.rkey()));
    }

    @Test
    void aWriteWhoseRangeWrapsAroundTheAddressSpace() {
        Pair pair = connected();
        assertWriteRefused(pair, new RemoteBuffer(-32L, 64, pair.there().memory.rkey()));
    }

    @Test
    void aWriteToARegionWithoutTheRight() {
        Pair pair = connected();
        assertWriteRefused(
                pair,
                pair.there().domain.allocate(4096, LOCAL_WRITE, REMOTE_READ).remote());
    }

    /** The key is looked at before a receive is taken, so that an event tells the peer of it, and not the receive. */
    @Test
    @Covers.Status(CompletionStatus.REMOTE_ACCESS_ERROR)
    void aWriteWithImmediateWithAWrongRemoteKeyUsesUpNoReceive() {
        Pair pair = connected();
        RemoteBuffer wrong = wrongKey(pair.there().memory);
        new Failure(this, pair)
                .ends(
                        CompletionStatus.REMOTE_ACCESS_ERROR,
                        sends -> sends.writeWithImmediate(Failure.ID, wrong, 0, 5)
                                .local(pair.here().memory, 0, 64))
                .peerIsToldByAnEvent(
                        AsyncEventType.QUEUE_PAIR_ACCESS_ERROR,
                        Behaviour.ACCESS_ERROR_EVENT,
                        Situation.RECEIVE_OF_REFUSED_WRITE);
    }

    @Test
    void aReadFromARegionWithoutTheRight() {
        require(first(), Feature.READ);
        Pair pair = connected();
        RemoteBuffer remote =
                pair.there().domain.allocate(4096, LOCAL_WRITE, REMOTE_WRITE).remote();
        assertRefused(pair, sends -> sends.read(Failure.ID, remote, 0).local(pair.here().memory, 0, 64));
    }

    @Test
    void aReadWithTheKeyOfAClosedRegion() {
        require(first(), Feature.READ);
        Pair pair = connected();
        RemoteBuffer stale = pair.there().memory.remote();
        pair.there().memory.close();
        assertRefused(pair, sends -> sends.read(Failure.ID, stale, 0).local(pair.here().memory, 0, 64));
    }

    @Test
    void aReadBeyondTheEndOfTheRegion() {
        require(first(), Feature.READ);
        Pair pair = connected(Shape.DEFAULT.memory(4096));
        RemoteBuffer right = pair.there().memory.remote();
        RemoteBuffer longer = new RemoteBuffer(right.address(), 8192, right.rkey());
        assertRefused(pair, sends -> sends.read(Failure.ID, longer, 4000).local(pair.here().memory, 0, 97));
    }

    /** No byte is written, so no key is needed (IBTA volume 1, C9-88). */
    @Test
    void anEmptyWriteNeedsNoKey() {
        Pair pair = connected();
        pair.here().sends.write(1, wrongKey(pair.there().memory), 0).signaled();
        pair.here().sends.post();
        pair.here().sentWell();
    }

    // --- one's own memory

    @Test
    @Covers.Status(CompletionStatus.LOCAL_PROTECTION_ERROR)
    void aSendFromARegionOfAnotherProtectionDomain() {
        Pair pair = connected();
        MemoryRegion stranger = first().allocateProtectionDomain().allocate(4096);
        assertFailsHere(
                pair,
                Situation.SEND_WITH_WRONG_LOCAL_KEY,
                sends -> sends.send(Failure.ID).local(stranger, 0, 64));
    }

    @Test
    @Covers.Status(CompletionStatus.LOCAL_PROTECTION_ERROR)
    void aWriteFromARegionOfAnotherProtectionDomain() {
        Pair pair = connected();
        RemoteBuffer remote = pair.there().memory.remote();
        MemoryRegion stranger = first().allocateProtectionDomain().allocate(4096);
        assertFailsHere(
                pair,
                Situation.SEND_WITH_WRONG_LOCAL_KEY,
                sends -> sends.write(Failure.ID, remote, 0).local(stranger, 0, 64));
    }

    @Test
    void aSendFromARegionThatWasClosedBeforePosting() {
        Pair pair = connected();
        assertFailsHere(pair, Situation.SEND_WITH_WRONG_LOCAL_KEY, sends -> {
            sends.send(Failure.ID).local(pair.here().memory, 0, 64);
            pair.here().memory.close();
        });
    }

    @Test
    void aReadIntoARegionWithoutLocalWrite() {
        require(first(), Feature.READ);
        Pair pair = connected();
        RemoteBuffer remote = pair.there().memory.remote();
        MemoryRegion readOnly = pair.here().domain.allocate(4096);
        assertFailsHere(
                pair,
                Situation.READ_INTO_READ_ONLY_REGION,
                sends -> sends.read(Failure.ID, remote, 0).local(readOnly, 0, 64));
    }

    @Test
    void aReadIntoARegionThatWasClosedBeforePosting() {
        require(first(), Feature.READ);
        Pair pair = connected();
        RemoteBuffer remote = pair.there().memory.remote();
        assertFailsHere(pair, Situation.READ_INTO_READ_ONLY_REGION, sends -> {
            sends.read(Failure.ID, remote, 0).local(pair.here().memory, 0, 64);
            pair.here().memory.close();
        });
    }

    // --- the memory of a receive

    @Test
    @Covers.Status({CompletionStatus.REMOTE_OPERATION_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR})
    void aReceiveIntoAClosedRegion() {
        Pair pair = connected();
        pair.there().receive(Failure.ID, 0, 64);
        pair.there().memory.close();
        assertReceiveFails(pair);
    }

    @Test
    @Covers.Status({CompletionStatus.REMOTE_OPERATION_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR})
    void aReceiveIntoARegionWithoutLocalWrite() {
        Pair pair = connected();
        MemoryRegion readOnly = pair.there().domain.allocate(4096);
        pair.there().receives.receive(Failure.ID).local(readOnly, 0, 64);
        pair.there().receives.post();
        assertReceiveFails(pair);
    }

    @Test
    @Covers.Status({CompletionStatus.REMOTE_OPERATION_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR})
    void aReceiveIntoARegionOfAnotherProtectionDomain() {
        Pair pair = connected();
        MemoryRegion stranger = second().allocateProtectionDomain().allocate(4096, LOCAL_WRITE);
        pair.there().receives.receive(Failure.ID).local(stranger, 0, 64);
        pair.there().receives.post();
        assertReceiveFails(pair);
    }

    // --- memory that was freed

    @Test
    void aPeersWriteToFreedMemoryIsAnErrorAndTheProcessLives() {
        requireSafeMisuse();
        Pair pair = connected();
        assertWriteRefused(pair, freed(pair.there(), LOCAL_WRITE, REMOTE_WRITE).remote());
    }

    @Test
    void aPeersReadOfFreedMemoryIsAnErrorAndTheProcessLives() {
        requireSafeMisuse();
        Pair pair = connected();
        RemoteBuffer remote = freed(pair.there(), REMOTE_READ).remote();
        assertRefused(pair, sends -> sends.read(Failure.ID, remote, 0).local(pair.here().memory, 0, 64));
    }

    @Test
    void sendingFreedMemoryIsALocalProtectionErrorAndTheProcessLives() {
        requireSafeMisuse();
        Pair pair = connected();
        MemoryRegion region = freed(pair.here());
        assertFailsHere(pair, null, sends -> sends.send(Failure.ID).local(region, 0, 64));
    }

    @Test
    void readingIntoFreedMemoryIsALocalProtectionErrorAndTheProcessLives() {
        requireSafeMisuse();
        Pair pair = connected();
        RemoteBuffer remote = pair.there().memory.remote();
        MemoryRegion region = freed(pair.here(), LOCAL_WRITE);
        assertFailsHere(pair, null, sends -> sends.read(Failure.ID, remote, 0).local(region, 0, 64));
    }

    @Test
    void receivingIntoFreedMemoryFailsOnBothSidesAndTheProcessLives() {
        requireSafeMisuse();
        Pair pair = connected();
        MemoryRegion region = freed(pair.there(), LOCAL_WRITE);
        pair.there().receives.receive(Failure.ID).local(region, 0, 64);
        pair.there().receives.post();
        assertReceiveFails(pair);
    }

    private void requireSafeMisuse() {
        if (!first().device().emulated() || !second().device().emulated()) {
            skip("a real device goes on using freed memory, which would corrupt this process");
        }
    }

    /** A region whose memory is gone. */
    private static MemoryRegion freed(Side side, Access... rights) {
        try (Arena arena = Arena.ofShared()) {
            return side.domain.register(arena.allocate(4096, 4096), rights);
        }
    }

    private static RemoteBuffer wrongKey(MemoryRegion region) {
        RemoteBuffer right = region.remote();
        return new RemoteBuffer(right.address(), right.length(), right.rkey() ^ 0x5a5a_00ff);
    }

    private void assertWriteRefused(Pair pair, RemoteBuffer remote) {
        assertRefused(pair, sends -> sends.write(Failure.ID, remote, 0).local(pair.here().memory, 0, 64));
    }

    /** The peer's memory is not given: both stop, and an event tells the peer why. */
    private void assertRefused(Pair pair, Consumer<SendQueue> request) {
        new Failure(this, pair)
                .ends(CompletionStatus.REMOTE_ACCESS_ERROR, request)
                .peerIsToldByAnEvent(AsyncEventType.QUEUE_PAIR_ACCESS_ERROR, Behaviour.ACCESS_ERROR_EVENT);
    }

    private void assertFailsHere(Pair pair, @Nullable Situation situation, Consumer<SendQueue> request) {
        new Failure(this, pair)
                .ends(situation, CompletionStatus.LOCAL_PROTECTION_ERROR, request)
                .peerGoesOn();
    }

    /** The receive fails on both sides, and its completion tells the peer why. */
    private void assertReceiveFails(Pair pair) {
        new Failure(this, pair)
                .ends(
                        Situation.SEND_TO_RECEIVE_WITH_WRONG_LOCAL_KEY,
                        CompletionStatus.REMOTE_OPERATION_ERROR,
                        sends -> sends.send(Failure.ID).local(pair.here().memory, 0, 64))
                .peersReceiveEnds(Situation.RECEIVE_WITH_WRONG_LOCAL_KEY, CompletionStatus.LOCAL_PROTECTION_ERROR);
    }
}
