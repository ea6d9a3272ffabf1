// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.WcStatus;

/**
 * What other threads do while one is in the middle of a round, at moments of the test's choice: the interrupt sink is
 * called inside a round, and another thread does its part before it returns.
 */
@Timeout(60)
class InterleavingTest {
    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    /** Another thread does something, once, while the left device is in a round. */
    private void duringTheNextRound(Runnable action) {
        AtomicInteger turn = new AtomicInteger();
        pair.left.onRaise = () -> {
            if (turn.getAndIncrement() == 0) {
                CompletableFuture.runAsync(action).join();
            }
        };
        pair.leftCq.arm();
    }

    private void write(long wrId) {
        pair.leftQp.write(wrId, pair.leftMr, 0, pair.rightMr, 0, 8);
    }

    /** The ringer finds the ticket taken and goes on; the holder sees the mark. */
    @Test
    void aDoorbellDuringARoundIsServedByTheHolder() {
        duringTheNextRound(() -> {
            write(2);
            assertThat(pair.leftCq.waiting()).as("left to the holder").isEqualTo(1);
        });
        write(1);
        assertThat(pair.leftCq.poll().wrId()).isEqualTo(1);
        assertThat(pair.leftCq.poll().wrId()).isEqualTo(2);
    }

    /** An answer comes for a device that somebody else runs. */
    @Test
    void aMessageForADeviceThatIsBusyIsServedByItsHolder() {
        duringTheNextRound(() -> {
            pair.rightQp.write(5, pair.rightMr, 200, pair.leftMr, 100, 8);
            assertThat(pair.rightCq.waiting())
                    .as("the left device cannot answer yet")
                    .isZero();
        });
        pair.rightMr.fill(3);
        write(1);
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(pair.leftMr.get(107)).isEqualTo(MockRegion.pattern(3, 207));
    }

    /** Armed while a completion was being written: told, since it may have come after the guest's last look. */
    @Test
    void armingDuringARoundCountsWhatTheRoundHasWritten() {
        MockCompletionQueue receives = pair.left.createCq(8);
        MockQueuePair self = pair.left.createQp(pair.leftPd, pair.leftCq, receives, 8, 1);
        self.connect(self);
        self.receive(1, pair.leftMr, 0, 8);
        duringTheNextRound(receives::arm);
        self.send(2, pair.leftMr, 0, 8);
        assertThat(pair.left.notified()).containsExactly(pair.leftCq.handle, receives.handle);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isEqualTo(2);
    }

    /** A control write waits for the round, and the round makes way for it. */
    @Test
    void aControlWriteWaitsForTheRound() {
        CompletableFuture<Integer> created = new CompletableFuture<>();
        Thread controller = new Thread(() -> created.complete(pair.left.createPd()));
        duringTheNextRound(() -> {
            controller.start();
            while (controller.getState() == Thread.State.NEW) {
                Thread.onSpinWait();
            }
            assertThat(created).isNotDone();
        });
        write(1);
        assertThat(created.join()).isPositive();
        assertThat(pair.leftCq.poll().wrId()).isEqualTo(1);
    }

    /** Work that was marked while the holder was asked for the ticket is not forgotten. */
    @Test
    void workIsNotForgottenWhenTheTicketIsHandedToAControlWrite() throws InterruptedException {
        CompletableFuture<Integer> created = new CompletableFuture<>();
        Thread controller = new Thread(() -> created.complete(pair.left.createPd()));
        duringTheNextRound(() -> {
            controller.start();
            while (controller.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait(); // it has spun and yielded, and now sleeps between looks
            }
            write(2);
        });
        write(1);
        controller.join();
        assertThat(created).isCompleted();
        assertThat(pair.leftCq.poll().wrId()).isEqualTo(1);
        assertThat(pair.leftCq.poll().wrId()).isEqualTo(2);
    }

    /** DESTROY_MR on one device waits for the round of another that may be copying. */
    @Test
    void destroyingARegionWaitsForPeersRounds() {
        CompletableFuture<Integer> destroyed = new CompletableFuture<>();
        duringTheNextRound(() -> {
            Thread destroyer = new Thread(() -> destroyed.complete(pair.right.destroyMr(pair.rightMr.handle())));
            destroyer.start();
            while (destroyer.getState() != Thread.State.TIMED_WAITING) {
                assertThat(destroyed).isNotDone();
                Thread.onSpinWait();
            }
        });
        write(1);
        assertThat(destroyed.join()).isZero();
    }

    /** Two devices that wait for each other's rounds at once do not wait for ever. */
    @Test
    void controlOperationsOfTwoDevicesDoNotDeadlock() {
        CompletableFuture<Void> left = CompletableFuture.runAsync(() -> createAndDestroy(pair.left, pair.leftPd));
        CompletableFuture<Void> right = CompletableFuture.runAsync(() -> createAndDestroy(pair.right, pair.rightPd));
        for (int i = 0; !left.isDone() || !right.isDone(); i++) {
            write(i);
            while (pair.leftCq.waiting() == 0) {
                Thread.onSpinWait(); // left to whoever holds the ticket
            }
            pair.leftCq.skip();
        }
        left.join();
        right.join();
    }

    private static void createAndDestroy(MockDriver driver, int pd) {
        for (int i = 0; i < 500; i++) {
            assertThat(driver.destroyMr(driver.createMr(pd, 8, 0, 0).handle())).isZero();
        }
    }
}
