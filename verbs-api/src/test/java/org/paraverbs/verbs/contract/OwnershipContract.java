// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.VerbsResource;
import org.paraverbs.verbs.WorkCompletion;

/**
 * Who owns what, and what closing does ({@code ibv_close_device}, {@code ibv_dealloc_pd(3)}, {@code ibv_dereg_mr(3)},
 * {@code ibv_destroy_cq(3)}, {@code ibv_destroy_qp(3)}).
 */
public abstract class OwnershipContract extends VerbsContract {

    @Test
    @Covers.Verb({"VerbsResource.close", "VerbsResource.isOpen"})
    void closingTheContextClosesAll() {
        Side side = new Side(first(), channelShape());
        first().close();

        for (VerbsResource resource : everythingOf(side)) {
            assertThat(resource.isOpen()).as("%s", resource).isFalse();
        }
        assertThat(first().isOpen()).isFalse();
    }

    @Test
    @Covers.Verb("VerbsResource.close")
    void closingTwiceDoesNothing() {
        Side side = new Side(first(), channelShape());
        for (VerbsResource resource : everythingOf(side)) {
            resource.close();
            resource.close();
            assertThat(resource.isOpen()).isFalse();
        }
        first().close();
        first().close();
    }

    @Test
    @Covers.Verb({"Context.allocateProtectionDomain", "VerbsResource.close"})
    void closingAProtectionDomainClosesItsRegionsAndQueuePairs() {
        Side side = new Side(first(), Shape.DEFAULT);
        var other = first().allocateProtectionDomain();
        var strangerMemory = other.allocate(64);
        side.domain.close();

        assertThat(side.memory.isOpen()).isFalse();
        assertThat(side.qp.isOpen()).isFalse();
        assertThat(side.sendCompletions.isOpen()).isTrue();
        assertThat(other.isOpen()).isTrue();
        assertThat(strangerMemory.isOpen()).isTrue();
        assertThat(first().isOpen()).isTrue();
    }

    @Test
    void closingACompletionQueueClosesItsQueuePairs() {
        Side side = new Side(first(), Shape.DEFAULT);
        side.receiveCompletions.close();

        assertThat(side.qp.isOpen()).isFalse();
        assertThat(side.sendCompletions.isOpen()).isTrue();
        assertThat(side.domain.isOpen()).isTrue();
        assertThat(side.memory.isOpen()).isTrue();
    }

    @Test
    void closingAChannelClosesItsCompletionQueues() {
        require(first(), Feature.COMPLETION_CHANNEL);
        Side side = new Side(first(), Shape.DEFAULT.channel());
        assertThat(side.channel).isNotNull();
        side.channel.close();

        assertThat(side.sendCompletions.isOpen()).isFalse();
        assertThat(side.qp.isOpen()).isFalse();
        assertThat(side.domain.isOpen()).isTrue();
    }

    @Test
    void closingARegionOrAQueuePairClosesNothingElse() {
        Side side = new Side(first(), Shape.DEFAULT);
        side.memory.close();
        assertThat(side.qp.isOpen()).isTrue();
        side.qp.close();
        assertThat(side.domain.isOpen()).isTrue();
        assertThat(side.sendCompletions.isOpen()).isTrue();
    }

    @Test
    void aConnectedQueuePairWithOutstandingRequestsIsClosedWithItsContext() {
        Pair pair = connected();
        for (int i = 0; i < 8; i++) {
            pair.here().sends.send(i).local(pair.here().memory, 0, 8).signaled();
            pair.there().receives.receive(i).local(pair.there().memory, 0, 8);
            pair.here().receives.receive(i).local(pair.here().memory, 0, 8);
        }
        pair.here().receives.post();
        pair.here().sends.post();
        first().close();
        pair.there().receives.post();
        second().close();

        assertThat(pair.here().qp.isOpen()).isFalse();
        assertThat(pair.there().qp.isOpen()).isFalse();
    }

    @Test
    void allocatedMemoryIsFreedWithItsRegion() {
        Side side = new Side(first(), Shape.DEFAULT);
        MemorySegment memory = side.memory.memory();
        memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        side.memory.close();

        assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void registeredMemoryOutlivesItsRegion() {
        var domain = first().allocateProtectionDomain();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4096);
            var region = domain.register(memory, Access.LOCAL_WRITE);
            region.close();
            memory.set(ValueLayout.JAVA_BYTE, 4095, (byte) 1);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 4095)).isEqualTo((byte) 1);
        }
    }

    @Test
    void aClosedContextRefusesEverything() {
        Context context = first();
        context.close();

        assertClosed(
                context::attributes,
                () -> context.port(1),
                () -> context.gid(1, 0),
                () -> context.gids(1),
                () -> context.pkey(1, 0),
                context::allocateProtectionDomain,
                () -> context.createCompletionQueue(1),
                context::pollAsyncEvent,
                () -> context.awaitAsyncEvent(Duration.ZERO));
        if (context.supports(Feature.COMPLETION_CHANNEL)) {
            assertClosed(context::createCompletionChannel);
        }
    }

    @Test
    void aClosedProtectionDomainRefusesEverything() {
        Side side = new Side(first(), Shape.DEFAULT);
        QueuePairSpec spec = QueuePairSpec.reliable(side.sendCompletions);
        side.domain.close();

        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64);
            assertClosed(
                    () -> side.domain.allocate(64),
                    () -> side.domain.register(memory),
                    () -> side.domain.createQueuePair(spec));
        }
    }

    @Test
    void aClosedQueuePairRefusesEverything() {
        Pair pair = connected();
        QueuePair qp = pair.here().qp;
        var theirs = pair.there().qp.endpoint();
        var request = pair.here().sends.send(1);
        qp.close();

        assertClosed(
                qp::state,
                qp::query,
                qp::endpoint,
                () -> qp.endpoint(1, 0),
                () -> qp.modify(new Transition.ToError()),
                () -> qp.connect(theirs),
                () -> pair.here().sends.send(1),
                () -> pair.here().sends.write(1, pair.there().memory.remote(), 0),
                () -> pair.here().sends.post(),
                () -> pair.here().sends.tryPost(),
                () -> pair.here().sends.available(),
                () -> pair.here().sends.abandon(),
                () -> pair.here().receives.receive(1),
                () -> pair.here().receives.post(),
                () -> pair.here().receives.tryPost(),
                () -> pair.here().receives.available());
        // what was begun before may still be described, but goes nowhere
        try {
            request.local(pair.here().memory, 0, 8).signaled();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining("losed");
        }
        assertThat(qp.qpn()).isEqualTo(pair.here().qp.qpn());
    }

    @Test
    void aClosedCompletionQueueRefusesEverything() {
        Side side = new Side(first(), channelShape());
        QueuePairSpec spec = QueuePairSpec.reliable(side.sendCompletions);
        side.sendCompletions.close();

        assertClosed(
                side.sendCompletions::poll,
                () -> side.sendCompletions.poll(completion -> {}, 1),
                () -> side.domain.createQueuePair(spec));
        if (side.channel != null) {
            assertClosed(() -> side.sendCompletions.requestNotification(false));
        }
    }

    @Test
    void aClosedChannelRefusesEverything() {
        require(first(), Feature.COMPLETION_CHANNEL);
        var channel = first().createCompletionChannel();
        channel.close();

        assertClosed(
                channel::poll, () -> channel.await(Duration.ZERO), () -> first().createCompletionQueue(1, channel));
    }

    @Test
    @Covers.Verb({"VerbsResource.close", "CompletionQueue.poll"})
    void completionsOfAClosedQueuePairAreNotDelivered() {
        Pair pair = connected();
        var otherHere = pair.here()
                .domain
                .createQueuePair(QueuePairSpec.reliable(pair.here().sendCompletions, pair.here().receiveCompletions)
                        .withDepth(4));
        Side peer = new Side(second(), Shape.DEFAULT);
        var ours = otherHere.endpoint();
        otherHere.connect(peer.qp.endpoint());
        peer.qp.connect(ours);
        for (int i = 0; i < 6; i++) {
            pair.here()
                    .sends
                    .write(i, pair.there().memory.remote(), 0)
                    .local(pair.here().memory, 0, 8)
                    .signaled();
        }
        pair.here().sends.post();
        // when the first is there, the others are on their way or there already
        assertThat(pair.here().sentWell().id()).isZero();
        pair.here().qp.close();
        otherHere
                .sendQueue()
                .write(100, peer.memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        otherHere.sendQueue().post();

        CompletionRecord next = pair.here().sentWell();
        assertThat(next.id()).isEqualTo(100);
        assertThat(next.qpn()).isEqualTo(otherHere.qpn());
        Waiting.assertSilent(pair.here().sendCompletions);
    }

    @Test
    void aHandlerMayCloseTheQueueThatItIsCalledFor() {
        Pair pair = connected();
        for (int i = 0; i < 3; i++) {
            pair.here()
                    .sends
                    .write(i, pair.there().memory.remote(), 0)
                    .local(pair.here().memory, 0, 8)
                    .signaled();
        }
        pair.here().sends.post();
        int[] handled = {0};
        Waiting.until(
                "the first completion",
                () -> pair.here()
                                .sendCompletions
                                .poll(
                                        (WorkCompletion completion) -> {
                                            handled[0]++;
                                            pair.here().sendCompletions.close();
                                        },
                                        10)
                        > 0);

        assertThat(handled[0]).isEqualTo(1);
        assertThat(pair.here().qp.isOpen()).isFalse();
    }

    private Shape channelShape() {
        return first().supports(Feature.COMPLETION_CHANNEL) ? Shape.DEFAULT.channel() : Shape.DEFAULT;
    }

    private static List<VerbsResource> everythingOf(Side side) {
        List<VerbsResource> all = new java.util.ArrayList<>(
                List.of(side.qp, side.memory, side.sendCompletions, side.receiveCompletions, side.domain));
        if (side.channel != null) {
            all.add(side.channel);
        }
        return all;
    }

    private static void assertClosed(ThrowingCallable... calls) {
        for (int i = 0; i < calls.length; i++) {
            assertThatThrownBy(calls[i])
                    .as("call %d on a closed resource", i)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }
}
