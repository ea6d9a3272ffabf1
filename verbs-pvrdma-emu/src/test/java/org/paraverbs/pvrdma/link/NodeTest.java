// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread's way from node to node, with nodes that write down what they are told. */
@Timeout(60)
class NodeTest {
    private final VirtualClock clock = new VirtualClock();
    private final Fabric fabric = new Fabric(clock);
    private final List<String> log = new ArrayList<>();

    private class Scribe extends Node {
        final String name;
        IntConsumer action = letter -> {};
        volatile long deadlineNs = Long.MAX_VALUE;
        private static final @Nullable Node[] RUNNING = new Node[1];

        Scribe(Fabric fabric, String name) {
            super(fabric, 8);
            this.name = name;
            fabric.attach(this);
        }

        @Override
        protected void serve(int letter) {
            assertThat(RUNNING[0]).as("a thread that holds two tickets").isNull();
            RUNNING[0] = this;
            log.add(name + letter);
            action.accept(letter);
            RUNNING[0] = null;
        }

        @Override
        protected void serveDeadlines(long nowNs) {
            log.add(name + "@" + nowNs);
            deadlineNs = Long.MAX_VALUE;
        }

        @Override
        protected void serveAlert() {}

        @Override
        protected void finishRound() {}

        @Override
        public boolean hasGid(long high, long low) {
            return low == name.charAt(0);
        }

        @Override
        public long deadlineNs() {
            return deadlineNs;
        }
    }

    private final Scribe a = new Scribe(fabric, "a");
    private final Scribe b = new Scribe(fabric, "b");
    private final Scribe c = new Scribe(fabric, "c");

    @Test
    void aLetterIsFollowedFromNodeToNode() {
        a.action = letter -> {
            if (letter == 1) {
                a.tell(b, 2);
            }
        };
        b.action = letter -> b.tell(a, 3);
        a.run(1);
        assertThat(log).containsExactly("a1", "b2", "a3");
    }

    @Test
    void lettersToItselfAreServedInTheSameRound() {
        a.action = letter -> {
            if (letter < 5) {
                a.tell(a, letter + 1);
            }
        };
        a.run(1);
        assertThat(log).containsExactly("a1", "a2", "a3", "a4", "a5");
    }

    @Test
    void severalLettersToSeveralNodesAllArrive() {
        a.action = letter -> {
            a.tell(b, 1);
            a.tell(b, 1);
            a.tell(b, 2);
            a.tell(c, 3);
            a.tell(c, 4);
            a.tell(a, 5);
            a.tell(a, 6);
            a.action = other -> {};
        };
        a.run(0);
        assertThat(log).containsExactlyInAnyOrder("a0", "a5", "a6", "b1", "b2", "c3", "c4");
    }

    @Test
    void workWithoutEndIsLeftToTheTimer() {
        a.action = letter -> a.tell(b, 1);
        b.action = letter -> b.tell(a, 1);
        a.run(1); // comes back although there is always more
        assertThat(log).hasSizeGreaterThan(1000);
        assertThat(fabric.deadlineNs()).isEqualTo(Long.MIN_VALUE);
        a.action = letter -> {};
        b.action = letter -> {};
        log.clear();
        fabric.runDue(10);
        assertThat(log)
                .filteredOn(entry -> !entry.contains("@"))
                .as("the letter that was on its way")
                .hasSize(1);
        assertThat(fabric.deadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void deadlinesAreServedWhenTheyAreDue() {
        a.deadlineNs = 100;
        b.deadlineNs = 50;
        assertThat(fabric.deadlineNs()).isEqualTo(50);
        assertThat(fabric.runDue(10)).isZero();
        clock.advanceTo(99);
        assertThat(fabric.runDue(10)).isEqualTo(1);
        clock.advanceTo(98);
        clock.advanceTo(100);
        assertThat(fabric.runDue(10)).isEqualTo(1);
        assertThat(log).containsExactly("b@99", "a@100");
    }

    @Test
    void aRoundThatThrowsDoesNotTakeTheTicketWithIt() {
        a.action = letter -> {
            Scribe.RUNNING[0] = null;
            throw new IllegalStateException("as if");
        };
        a.run(1);
        a.action = letter -> {};
        a.run(2);
        assertThat(log).containsExactly("a1", "a2");
    }

    @Test
    void nodesAreFoundByGidUntilTheyAreDetached() {
        assertThat(fabric.find(0, 'b')).isSameAs(b);
        int epoch = fabric.epoch();
        fabric.detach(b);
        assertThat(fabric.find(0, 'b')).isNull();
        assertThat(fabric.epoch()).isNotEqualTo(epoch);
    }

    /** In real time the one timer thread runs what is due, without a program thread. */
    @Test
    void theTimerThreadServesDeadlinesOfRealTime() throws InterruptedException {
        Fabric real = new Fabric();
        CountDownLatch served = new CountDownLatch(1);
        Scribe node = new Scribe(real, "r") {
            @Override
            protected void serveDeadlines(long nowNs) {
                super.serveDeadlines(nowNs);
                served.countDown();
            }
        };
        node.deadlineNs = real.clock().nanoTime() + 1_000_000;
        real.deadlineChanged(node);
        assertThat(served.await(30, TimeUnit.SECONDS)).isTrue();
        real.detach(node);
    }
}
