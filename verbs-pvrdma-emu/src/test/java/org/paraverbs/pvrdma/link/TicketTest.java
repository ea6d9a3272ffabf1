// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TicketTest {
    private final Ticket ticket = new Ticket();

    @Test
    void oneHolderAtATime() {
        assertThat(ticket.tryEnter()).isTrue();
        assertThat(ticket.tryEnter()).isFalse();
        assertThat(ticket.leave()).isTrue();
        assertThat(ticket.enterOrMark()).isTrue();
        assertThat(ticket.leave()).isTrue();
    }

    @Test
    void aMarkMakesTheHolderGoRoundAgainOnce() {
        assertThat(ticket.tryEnter()).isTrue();
        assertThat(ticket.enterOrMark()).isFalse();
        assertThat(ticket.enterOrMark()).as("marked already").isFalse();
        assertThat(ticket.leave()).as("there is a mark").isFalse();
        assertThat(ticket.tryEnter()).as("still held").isFalse();
        assertThat(ticket.leave()).isTrue();
    }

    @Test
    void aMarkLeftDuringControlIsServedAfterwards() {
        ticket.enterControl();
        assertThat(ticket.tryEnter()).isFalse();
        assertThat(ticket.enterOrMark()).isFalse();
        ticket.controlToData(); // whose round serves the mark
        assertThat(ticket.tryEnter()).isFalse();
        assertThat(ticket.leave()).isTrue();
    }

    @Test
    void whoLeavesWithWorkLeftLeavesMarkOrNot() {
        for (boolean marked : new boolean[] {false, true}) {
            assertThat(ticket.tryEnter()).isTrue();
            if (marked) {
                assertThat(ticket.enterOrMark()).isFalse();
            }
            ticket.leaveWithWorkLeft();
            assertThat(ticket.tryEnter()).isTrue();
            assertThat(ticket.leave()).isTrue();
        }
    }

    @Test
    void aRoundHasPassedWhenItIsOverAndNotBefore() {
        int free = ticket.round();
        assertThat(ticket.hasPassed(free)).as("nobody in a round").isTrue();
        assertThat(ticket.tryEnter()).isTrue();
        assertThat(ticket.hasPassed(free)).as("began after the question").isTrue();
        int during = ticket.round();
        assertThat(ticket.hasPassed(during)).isFalse();
        assertThat(ticket.enterOrMark()).isFalse();
        assertThat(ticket.hasPassed(during)).as("a mark is no end").isFalse();
        assertThat(ticket.leave()).isFalse();
        assertThat(ticket.hasPassed(during)).as("the next round").isTrue();
        int second = ticket.round();
        ticket.nextRound();
        assertThat(ticket.hasPassed(second)).isTrue();
        int third = ticket.round();
        assertThat(ticket.leave()).isTrue();
        assertThat(ticket.hasPassed(third)).isTrue();
        assertThat(ticket.tryEnter()).isTrue();
        assertThat(ticket.hasPassed(third)).as("a later round is another").isTrue();
    }

    @Test
    void controlIsNoRound() {
        ticket.enterControl();
        assertThat(ticket.hasPassed(ticket.round())).isTrue();
        ticket.awaitPassing();
    }

    @Test
    void controlWaitsForTheHolder() {
        assertThat(ticket.tryEnter()).isTrue();
        CompletableFuture<Void> control = CompletableFuture.runAsync(ticket::enterControl);
        while (!ticket.isWanted()) {
            Thread.onSpinWait();
        }
        assertThat(control).isNotDone();
        ticket.leaveWithWorkLeft();
        control.join();
        assertThat(ticket.isWanted()).isFalse();
        assertThat(ticket.tryEnter()).isFalse();
    }

    /** Each thread adds to a plain counter, or leaves its addition to the holder: the sum is right in the end. */
    @Test
    void whatIsMarkedIsServed() throws InterruptedException {
        int threads = 4;
        int additions = 100_000;
        MailSet mail = new MailSet(threads);
        int[] posted = new int[threads * 16];
        int[] served = new int[threads * 16];
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            int me = t;
            new Thread(() -> {
                        for (int i = 0; i < additions; i++) {
                            posted[me * 16]++;
                            mail.put(me);
                            if (ticket.enterOrMark()) {
                                do {
                                    mail.takeAll(number -> served[number * 16] = posted[number * 16]);
                                } while (!ticket.leave());
                            }
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();
        assertThat(ticket.tryEnter()).isTrue();
        for (int t = 0; t < threads; t++) {
            assertThat(served[t * 16]).as("thread %d", t).isEqualTo(additions);
        }
    }
}
