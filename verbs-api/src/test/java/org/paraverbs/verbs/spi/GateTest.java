// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One thread at a time, and none after closing. */
class GateTest {

    private static final int THREADS = 4;
    private static final int ENTRIES = 20_000;

    private final Gate gate = new Gate("queue 7");

    /** Guarded by the gate alone. */
    private int plain;

    @Test
    void isEnteredAgainAfterLeaving() {
        gate.enter();
        gate.exit();
        gate.enter();
        gate.exit();
        gate.enterInTurn();
        gate.exit();

        assertThat(gate.isClosed()).isFalse();
    }

    @Test
    void aSecondThreadIsRefusedWhileOneIsInside() {
        gate.enter();

        assertThatThrownBy(gate::enter)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("queue 7 is in use by another thread; one thread at a time may use it");
        gate.exit();
        gate.enter();
    }

    @Test
    void nobodyEntersAClosedGate() {
        gate.requireOpen();
        gate.close();
        gate.close();

        assertThat(gate.isClosed()).isTrue();
        assertThatThrownBy(gate::enter)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("queue 7 is closed");
        assertThatThrownBy(gate::enterInTurn)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("queue 7 is closed");
        assertThatThrownBy(gate::requireOpen)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("queue 7 is closed");
    }

    @Test
    void theOneInsideIsAloneAndSeesWhatTheLastOneWrote() throws InterruptedException {
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger entered = new AtomicInteger();
        runTogether(() -> {
            for (int i = 0; i < ENTRIES; i++) {
                try {
                    gate.enter();
                } catch (IllegalStateException e) {
                    refused.incrementAndGet();
                    continue;
                }
                plain++;
                gate.exit();
                entered.incrementAndGet();
            }
        });

        assertThat(plain).isEqualTo(entered.get());
        assertThat(entered.get() + refused.get()).isEqualTo(THREADS * ENTRIES);
    }

    @Test
    void inTurnEverybodyGetsIn() throws InterruptedException {
        runTogether(() -> {
            for (int i = 0; i < ENTRIES; i++) {
                gate.enterInTurn();
                plain++;
                gate.exit();
            }
        });

        assertThat(plain).isEqualTo(THREADS * ENTRIES);
    }

    @Test
    void whoEnteredInTurnIsNotTakenForASecondUserButWaitedFor() throws InterruptedException {
        Thread maintainer = new Thread(() -> {
            for (int i = 0; i < ENTRIES; i++) {
                gate.enterInTurn();
                plain++;
                gate.exit();
            }
        });
        maintainer.start();
        for (int i = 0; i < ENTRIES; i++) {
            gate.enter();
            plain++;
            gate.exit();
        }
        maintainer.join();

        assertThat(plain).isEqualTo(2 * ENTRIES);
    }

    @Test
    void closingWaitsForTheOneInsideAndThenNobodyIs() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            Gate closed = new Gate("queue");
            boolean[] inside = new boolean[1];
            CountDownLatch begun = new CountDownLatch(1);
            List<Throwable> unexpected = new ArrayList<>();
            Thread user = new Thread(() -> {
                begun.countDown();
                try {
                    while (true) {
                        closed.enter();
                        inside[0] = true;
                        Thread.onSpinWait();
                        inside[0] = false;
                        closed.exit();
                    }
                } catch (IllegalStateException e) {
                    if (!"queue is closed".equals(e.getMessage())) {
                        unexpected.add(e);
                    }
                }
            });
            user.start();
            begun.await();
            closed.close();
            boolean insideAfterClosing = inside[0];
            user.join();

            assertThat(insideAfterClosing)
                    .as("someone inside after close() returned")
                    .isFalse();
            assertThat(unexpected).isEmpty();
        }
    }

    @Test
    void severalMayCloseAtOnce() throws InterruptedException {
        gate.enter();
        Thread[] closing = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            closing[i] = new Thread(gate::close);
            closing[i].start();
        }
        gate.exit();
        for (Thread thread : closing) {
            thread.join();
        }

        assertThat(gate.isClosed()).isTrue();
    }

    private static void runTogether(Runnable body) throws InterruptedException {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(body);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
