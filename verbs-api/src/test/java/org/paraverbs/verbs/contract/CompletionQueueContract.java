// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/** Completion queues ({@code ibv_create_cq(3)}, {@code ibv_poll_cq(3)}, {@code ibv_destroy_cq(3)}). */
public abstract class CompletionQueueContract extends VerbsContract {

    @Test
    @Covers.Verb({"Context.createCompletionQueue", "CompletionQueue.entries"})
    void aQueueHasAtLeastTheEntriesAskedFor() {
        int max = first().attributes().maxCompletionEntries();
        for (int entries : new int[] {1, 2, 3, 64, 100, 1000}) {
            if (entries <= max) {
                try (CompletionQueue queue = first().createCompletionQueue(entries)) {
                    assertThat(queue.entries()).isGreaterThanOrEqualTo(entries);
                    assertThat(queue.channel()).isNull();
                    assertThat(queue.isOpen()).isTrue();
                    assertThat(queue.poll()).isNull();
                }
            }
        }
    }

    @Test
    @Covers.Verb("Context.createCompletionQueue")
    @Covers.Limit("DeviceAttributes.maxCompletionEntries")
    void numbersOfEntriesThatCannotBeAreRefused() {
        int max = first().attributes().maxCompletionEntries();
        for (int entries : new int[] {0, -1, max == Integer.MAX_VALUE ? 0 : max + 1}) {
            assertThatThrownBy(() -> first().createCompletionQueue(entries))
                    .as("%d entries", entries)
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ibv_create_cq")
                    .hasMessageContaining(Integer.toString(entries));
        }
    }

    @Test
    @Covers.Limit("DeviceAttributes.completionVectors")
    void completionVectorsThatThereAreNotAreRefused() {
        require(first(), Feature.COMPLETION_CHANNEL);
        int vectors = first().attributes().completionVectors();
        try (var channel = first().createCompletionChannel()) {
            assertThat(first().createCompletionQueue(4, channel, vectors - 1).channel())
                    .isSameAs(channel);
            for (int vector : new int[] {vectors, -1}) {
                assertThatThrownBy(() -> first().createCompletionQueue(4, channel, vector))
                        .as("vector %d of %d", vector, vectors)
                        .isInstanceOf(VerbsException.class);
            }
        }
    }

    @Test
    void aChannelOfAnotherContextIsRefused() {
        require(first(), Feature.COMPLETION_CHANNEL);
        var stranger = open(firstDevice()).createCompletionChannel();

        assertThatThrownBy(() -> first().createCompletionQueue(4, stranger))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another context");
    }

    @Test
    @Covers.Verb({"WorkCompletion.copy", "CompletionQueue.poll"})
    void aCopyOutlivesTheNextPoll() {
        Pair pair = connected();
        for (int i = 1; i <= 2; i++) {
            pair.here()
                    .sends
                    .write(i, pair.there().memory.remote(), 0)
                    .local(pair.here().memory, 0, 8)
                    .signaled();
        }
        pair.here().sends.post();
        CompletionRecord one = pair.here().sentWell();
        CompletionRecord two = pair.here().sentWell();

        assertThat(one.id()).isEqualTo(1);
        assertThat(two.id()).isEqualTo(2);
    }

    @Test
    @Covers.Verb({"CompletionHandler.onCompletion", "CompletionQueue.poll"})
    void aHandlerIsGivenCompletionsUpToItsLimit() {
        Pair pair = connected();
        for (int i = 0; i < 6; i++) {
            pair.here()
                    .sends
                    .write(i, pair.there().memory.remote(), 0)
                    .local(pair.here().memory, 0, 8)
                    .signaled();
        }
        pair.here().sends.post();
        List<Long> ids = new ArrayList<>();
        CompletionQueue queue = pair.here().sendCompletions;
        assertThat(queue.poll(completion -> ids.add(completion.id()), 0)).isZero();
        Waiting.until("4 completions", () -> {
            int handled = queue.poll(completion -> ids.add(completion.id()), 4 - ids.size());
            assertThat(handled).isLessThanOrEqualTo(4);
            return ids.size() == 4;
        });
        Waiting.until("the rest", () -> {
            queue.poll(completion -> ids.add(completion.id()), 100);
            return ids.size() == 6;
        });

        assertThat(ids).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void whatAHandlerThrowsEndsThePollAndTheCompletionIsGone() {
        Pair pair = connected();
        for (int i = 0; i < 2; i++) {
            pair.here()
                    .sends
                    .write(i, pair.there().memory.remote(), 0)
                    .local(pair.here().memory, 0, 8)
                    .signaled();
        }
        pair.here().sends.post();
        assertThatThrownBy(() -> Waiting.until(
                        "the first completion",
                        () -> pair.here().sendCompletions.poll(CompletionQueueContract::refuse, 10) > 0))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("id 0");

        assertThat(pair.here().sentWell().id()).isEqualTo(1);
    }

    private static void refuse(WorkCompletion completion) {
        throw new UnsupportedOperationException("id " + completion.id());
    }

    @Test
    void aHandlerMayPost() {
        Pair pair = connected();
        int[] left = {20};
        pair.here()
                .sends
                .write(0, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.post();
        Waiting.until("a chain of requests", () -> {
            pair.here()
                    .sendCompletions
                    .poll(
                            completion -> {
                                completion.requireSuccess();
                                if (--left[0] > 0) {
                                    pair.here()
                                            .sends
                                            .write(left[0], pair.there().memory.remote(), 0)
                                            .local(pair.here().memory, 0, 8)
                                            .signaled();
                                    pair.here().sends.post();
                                }
                            },
                            1);
            return left[0] == 0;
        });
        Waiting.assertSilent(pair.here().sendCompletions);
        assertThat(left[0]).isZero();
    }

    @Test
    @Covers.Verb({"CompletionQueue.poll", "WorkCompletion.qpn"})
    void oneQueueServesBothQueuesOfSeveralQueuePairs() {
        CompletionQueue shared = first().createCompletionQueue(64);
        Side peer = new Side(second(), Shape.DEFAULT);
        Side other = new Side(second(), Shape.DEFAULT);
        var domain = first().allocateProtectionDomain();
        var memory = domain.allocate(4096, org.paraverbs.verbs.Access.LOCAL_WRITE);
        QueuePair one =
                connect(domain.createQueuePair(QueuePairSpec.reliable(shared).withDepth(4)), peer);
        QueuePair two =
                connect(domain.createQueuePair(QueuePairSpec.reliable(shared).withDepth(4)), other);
        for (QueuePair qp : List.of(one, two)) {
            qp.receiveQueue().receive(qp.qpn() + 1000L).local(memory, 0, 8);
            qp.receiveQueue().post();
        }
        peer.receive(1, 0, 8);
        other.receive(1, 0, 8);
        for (QueuePair qp : List.of(one, two)) {
            qp.sendQueue().send(qp.qpn()).local(memory, 0, 8).signaled();
            qp.sendQueue().post();
        }
        for (Side side : List.of(peer, other)) {
            side.sends.send(1).local(side.memory, 0, 8).signaled();
            side.sends.post();
            side.sentWell();
        }

        List<CompletionRecord> completions = Waiting.completions(shared, 4);
        assertThat(completions)
                .allSatisfy(completion -> assertThat(completion.isSuccess()).isTrue());
        for (QueuePair qp : List.of(one, two)) {
            assertThat(completions)
                    .filteredOn(completion -> completion.qpn() == qp.qpn())
                    .extracting(CompletionRecord::id, CompletionRecord::opcode)
                    .containsExactlyInAnyOrder(
                            org.assertj.core.groups.Tuple.tuple((long) qp.qpn(), Opcode.SEND),
                            org.assertj.core.groups.Tuple.tuple(qp.qpn() + 1000L, Opcode.RECEIVE));
        }
    }

    private static QueuePair connect(QueuePair qp, Side peer) {
        var ours = qp.endpoint();
        qp.connect(peer.qp.endpoint());
        peer.qp.connect(ours);
        return qp;
    }

    @Test
    @Covers.Verb("VerbsResource.close")
    void closingGivesQueuesBack() {
        int rounds = repetitions(2_000);
        for (int i = 0; i < rounds; i++) {
            first().createCompletionQueue(16).close();
        }
        try (CompletionQueue queue = first().createCompletionQueue(16)) {
            assertThat(queue.poll()).isNull();
        }
    }
}
