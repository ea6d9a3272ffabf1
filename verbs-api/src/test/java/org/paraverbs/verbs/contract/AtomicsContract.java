// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;
import static org.paraverbs.verbs.Access.REMOTE_ATOMIC;
import static org.paraverbs.verbs.Access.REMOTE_READ;
import static org.paraverbs.verbs.Access.REMOTE_WRITE;

import java.util.Arrays;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.spi.SendOperation;

/** Compare-and-swap and fetch-and-add ({@code ibv_post_send(3)}). */
public abstract class AtomicsContract extends VerbsContract {

    private static final Shape SHAPE =
            Shape.DEFAULT.memory(4096, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);

    private static final long WORD = 64;
    private static final long ORIGINAL = 0x0123_4567_89ab_cdefL;
    private static final int ADDITIONS = 50_000;

    @BeforeEach
    final void requireAtomics() {
        require(first(), Feature.ATOMICS);
        require(second(), Feature.ATOMICS);
    }

    @Test
    @Covers.Verb("SendQueue.compareAndSwap")
    @Covers.Operation(SendOperation.COMPARE_AND_SWAP)
    void aComparisonThatHitsSwapsAndAnswersWithTheOriginal() {
        Pair pair = connected(SHAPE);
        compareAndSwap(pair, ORIGINAL, -2, ORIGINAL);
        assertWords(pair, -2, ORIGINAL);
    }

    @Test
    @Covers.Verb("SendQueue.compareAndSwap")
    @Covers.Operation(SendOperation.COMPARE_AND_SWAP)
    void aComparisonThatMissesChangesNothingAndAnswersWithTheOriginal() {
        Pair pair = connected(SHAPE);
        // differs in the highest bit and in the lowest, of which one is lost where halves are swapped
        compareAndSwap(pair, ORIGINAL ^ Long.MIN_VALUE, -2, ORIGINAL);
        assertWords(pair, ORIGINAL, ORIGINAL);
        compareAndSwap(pair, ORIGINAL ^ 1, -2, ORIGINAL);
        assertWords(pair, ORIGINAL, ORIGINAL);
    }

    private static void compareAndSwap(Pair pair, long expected, long replacement, long original) {
        setWords(pair, original);
        pair.here()
                .sends
                .compareAndSwap(7, pair.there().memory.remote(), WORD, expected, replacement)
                .local(pair.here().memory, WORD, 8)
                .signaled();
        pair.here().sends.post();
        CompletionRecord completion = pair.here().sentWell();
        assertThat(completion.id()).isEqualTo(7);
        assertThat(completion.opcode()).isEqualTo(Opcode.COMPARE_AND_SWAP);
    }

    @Test
    @Covers.Verb("SendQueue.fetchAndAdd")
    @Covers.Operation(SendOperation.FETCH_AND_ADD)
    void addingAnswersWithTheOriginal() {
        Pair pair = connected(SHAPE);
        fetchAndAdd(pair, ORIGINAL, 1);
        assertWords(pair, ORIGINAL + 1, ORIGINAL);
        // a carry from the lower half into the upper one
        fetchAndAdd(pair, 0xffff_ffffL, 1);
        assertWords(pair, 0x1_0000_0000L, 0xffff_ffffL);
    }

    @Test
    @Covers.Verb("SendQueue.fetchAndAdd")
    @Covers.Operation(SendOperation.FETCH_AND_ADD)
    void addingWrapsAround() {
        Pair pair = connected(SHAPE);
        fetchAndAdd(pair, -1, 5);
        assertWords(pair, 4, -1);
        fetchAndAdd(pair, 4, -5);
        assertWords(pair, -1, 4);
        fetchAndAdd(pair, Long.MAX_VALUE, 1);
        assertWords(pair, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static void fetchAndAdd(Pair pair, long original, long addend) {
        setWords(pair, original);
        pair.here()
                .sends
                .fetchAndAdd(8, pair.there().memory.remote(), WORD, addend)
                .local(pair.here().memory, WORD, 8)
                .signaled();
        pair.here().sends.post();
        CompletionRecord completion = pair.here().sentWell();
        assertThat(completion.id()).isEqualTo(8);
        assertThat(completion.opcode()).isEqualTo(Opcode.FETCH_AND_ADD);
    }

    /** The word and what is around it, there and here. */
    private static void setWords(Pair pair, long original) {
        for (long offset = WORD - 8; offset <= WORD + 8; offset += 8) {
            pair.there().memory.memory().set(JAVA_LONG, offset, offset == WORD ? original : 0x5555);
            pair.here().memory.memory().set(JAVA_LONG, offset, 0xaaaa);
        }
    }

    private static void assertWords(Pair pair, long there, long here) {
        var remote = pair.there().memory.memory();
        var local = pair.here().memory.memory();
        assertThat(remote.get(JAVA_LONG, WORD)).as("the peer's word").isEqualTo(there);
        assertThat(local.get(JAVA_LONG, WORD)).as("the original").isEqualTo(here);
        for (long offset : new long[] {WORD - 8, WORD + 8}) {
            assertThat(remote.get(JAVA_LONG, offset)).as("beside the word").isEqualTo(0x5555);
            assertThat(local.get(JAVA_LONG, offset)).as("beside the element").isEqualTo(0xaaaa);
        }
    }

    /** One word, added to from the other device and from its own, by two threads: no sum is seen twice or not at all. */
    @Test
    @Covers.Operation(SendOperation.FETCH_AND_ADD)
    void additionsFromBothSidesSumUpExactly() throws InterruptedException, BrokenBarrierException {
        Pair pair = connected(SHAPE);
        Side there = pair.there();
        QueuePairSpec spec =
                QueuePairSpec.reliable(there.context.createCompletionQueue(16)).withDepth(16);
        QueuePair near = there.domain.createQueuePair(spec);
        QueuePair far = there.domain.createQueuePair(spec);
        Endpoint nearEnd = near.endpoint();
        near.connect(far.endpoint());
        far.connect(nearEnd);

        int additions = Math.max(100, repetitions(ADDITIONS));
        RemoteBuffer word = there.memory.remote();
        MemoryRegion nearMemory = there.domain.allocate(4096, LOCAL_WRITE);
        CyclicBarrier together = new CyclicBarrier(2);
        Background other = Background.start(() -> {
            together.await();
            return addOften(near.sendQueue(), spec.sendCompletions(), nearMemory, word, additions);
        });
        together.await();
        long[] ours = addOften(pair.here().sends, pair.here().sendCompletions, pair.here().memory, word, additions);
        long[] theirs = (long[]) other.answer();

        assertThat(there.memory.memory().get(JAVA_LONG, 0)).isEqualTo(2L * additions);
        assertThat(ours).as("the originals, each larger than the one before").isSorted();
        assertThat(theirs).isSorted();
        long[] all = Arrays.copyOf(ours, 2 * additions);
        System.arraycopy(theirs, 0, all, additions, additions);
        Arrays.sort(all);
        for (int i = 0; i < all.length; i++) {
            assertThat(all[i]).as("every sum once").isEqualTo(i);
        }
    }

    private static long[] addOften(
            SendQueue sends, CompletionQueue completions, MemoryRegion local, RemoteBuffer word, int additions) {
        long[] originals = new long[additions];
        for (int i = 0; i < additions; ) {
            int batch = Math.min(8, additions - i);
            for (int j = 0; j < batch; j++) {
                sends.fetchAndAdd(i + j, word, 0, 1).local(local, 8L * j, 8).signaled();
            }
            sends.post();
            for (int j = 0; j < batch; j++, i++) {
                assertThat(Waiting.completion(completions).requireSuccess().id())
                        .isEqualTo(i);
                originals[i] = local.memory().get(JAVA_LONG, 8L * j);
            }
        }
        return originals;
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxReadsAsInitiator")
    void moreAtomicsAndReadsThanTheReadDepthAreCarriedOutInTurn() {
        Pair pair = unconnected(SHAPE.depth(64));
        int readDepth =
                Pair.readDepth(pair.here().qp.endpoint(), pair.there().qp.endpoint());
        pair.connect();
        int rounds = Math.min(readDepth + 1, 16);
        RemoteBuffer remote = pair.there().memory.remote();
        MemoryRegion local = pair.here().memory;
        for (int i = 0; i < rounds; i++) {
            pair.here()
                    .sends
                    .fetchAndAdd(3L * i, remote, 0, 1)
                    .local(local, 24L * i, 8)
                    .signaled();
            pair.here()
                    .sends
                    .read(3L * i + 1, remote, 0)
                    .local(local, 24L * i + 8, 8)
                    .signaled();
            pair.here()
                    .sends
                    .compareAndSwap(3L * i + 2, remote, 0, i + 1, i + 1)
                    .local(local, 24L * i + 16, 8)
                    .signaled();
        }
        pair.here().sends.post();

        for (int i = 0; i < 3 * rounds; i++) {
            assertThat(pair.here().sentWell().id()).isEqualTo(i);
        }
        for (int i = 0; i < rounds; i++) {
            assertThat(local.memory().get(JAVA_LONG, 24L * i)).as("added to").isEqualTo(i);
            // without a fence what follows a READ may be carried out before it (IBTA volume 1, table 76)
            assertThat(local.memory().get(JAVA_LONG, 24L * i + 8)).as("read").isBetween(i + 1L, (long) rounds);
            assertThat(local.memory().get(JAVA_LONG, 24L * i + 16))
                    .as("compared")
                    .isEqualTo(i + 1);
        }
        assertThat(pair.there().memory.memory().get(JAVA_LONG, 0)).isEqualTo(rounds);
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_ACCESS_ERROR)
    void aRegionWithoutTheRightRefusesAtomicsAndIsNotChanged() {
        for (SendOperation operation :
                new SendOperation[] {SendOperation.COMPARE_AND_SWAP, SendOperation.FETCH_AND_ADD}) {
            Pair pair = connected(SHAPE);
            MemoryRegion region = pair.there().domain.allocate(4096, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
            assertRefused(pair, operation, region.remote());
            assertThat(region.memory().get(JAVA_LONG, 0)).isZero();
        }
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_ACCESS_ERROR)
    void anAtomicWithAWrongKeyIsARemoteAccessError() {
        for (SendOperation operation :
                new SendOperation[] {SendOperation.COMPARE_AND_SWAP, SendOperation.FETCH_AND_ADD}) {
            Pair pair = connected(SHAPE);
            RemoteBuffer right = pair.there().memory.remote();
            assertRefused(
                    pair, operation, new RemoteBuffer(right.address(), right.length(), right.rkey() ^ 0x5a5a_00ff));
        }
    }

    @Test
    @Covers.Status(CompletionStatus.REMOTE_ACCESS_ERROR)
    void anAtomicBeyondTheRegionIsARemoteAccessError() {
        Pair pair = connected(SHAPE);
        RemoteBuffer right = pair.there().memory.remote();
        RemoteBuffer beyond = new RemoteBuffer(right.address() + right.length(), 8, right.rkey());
        assertRefused(pair, SendOperation.FETCH_AND_ADD, beyond);
    }

    @Test
    @Covers.Status(CompletionStatus.LOCAL_PROTECTION_ERROR)
    void anElementThatMayNotBeWrittenIsALocalProtectionError() {
        for (SendOperation operation :
                new SendOperation[] {SendOperation.COMPARE_AND_SWAP, SendOperation.FETCH_AND_ADD}) {
            Pair pair = connected(SHAPE);
            RemoteBuffer remote = pair.there().memory.remote();
            MemoryRegion readOnly = pair.here().domain.allocate(4096);
            new Failure(this, pair)
                    .ends(
                            Situation.READ_INTO_READ_ONLY_REGION,
                            CompletionStatus.LOCAL_PROTECTION_ERROR,
                            sends -> begin(sends, operation, remote, readOnly))
                    .peerGoesOn();
        }
    }

    private void assertRefused(Pair pair, SendOperation operation, RemoteBuffer remote) {
        new Failure(this, pair)
                .ends(
                        CompletionStatus.REMOTE_ACCESS_ERROR,
                        sends -> begin(sends, operation, remote, pair.here().memory))
                .peerIsToldByAnEvent(AsyncEventType.QUEUE_PAIR_ACCESS_ERROR, Behaviour.ACCESS_ERROR_EVENT);
    }

    /** An atomic that would change the peer's memory, without posting it. */
    private static void begin(SendQueue sends, SendOperation operation, RemoteBuffer remote, MemoryRegion local) {
        (operation == SendOperation.FETCH_AND_ADD
                        ? sends.fetchAndAdd(Failure.ID, remote, 0, 1)
                        : sends.compareAndSwap(Failure.ID, remote, 0, 0, 1))
                .local(local, 0, 8);
    }

    @Test
    void addressesAndElementsThatDoNotFitAreRefusedAtOnce() {
        Pair pair = connected(SHAPE.elements(2));
        SendQueue sends = pair.here().sends;
        RemoteBuffer remote = pair.there().memory.remote();
        MemoryRegion local = pair.here().memory;

        for (long offset : new long[] {1, 4, 4087}) {
            assertThatThrownBy(() -> sends.fetchAndAdd(1, remote, offset, 1))
                    .as("offset %d", offset)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("multiple of 8");
        }
        for (long offset : new long[] {-8, 4089, 4096, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> sends.compareAndSwap(1, remote, offset, 0, 1))
                    .as("offset %d", offset)
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> sends.fetchAndAdd(1, remote, 0, 1).local(local, 0, 16))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8 bytes");
        assertThatThrownBy(() ->
                        sends.fetchAndAdd(1, remote, 0, 1).local(local, 0, 8).local(local, 8, 8))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(sends.tryPost()).as("all of them were taken out").isZero();
    }
}
