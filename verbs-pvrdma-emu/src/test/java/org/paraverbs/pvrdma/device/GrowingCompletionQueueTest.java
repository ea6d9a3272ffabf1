// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.verbs.contract.Covers;

/** Completion queues that grow as needed: {@code cqSize} 0. */
class GrowingCompletionQueueTest {
    private static final long RETRY_NS = 1_000_000;

    private final Pair pair =
            new Pair(DeviceConfiguration.builder().cqSize(0).maxHeldBack(1000).build(), false, p -> {});
    private final MockCompletionQueue small = pair.left.createCq(4);
    private final MockQueuePair qp = queuePair();
    private int written;
    private int polled;

    private MockQueuePair queuePair() {
        MockQueuePair made = pair.left.createQp(pair.leftPd, small, small, 64, 1);
        made.connect(made);
        return made;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            qp.write(written++, pair.leftMr, 0, pair.leftMr, 0, 0);
        }
    }

    private void poll(int count) {
        for (int i = 0; i < count; i++) {
            MockCompletionQueue.Completion completion = small.poll();
            assertThat(completion).isNotNull();
            assertThat(completion.wrId()).isEqualTo(polled++);
            assertThat(completion.qp()).isEqualTo(qp.handle);
        }
    }

    /** As the provider does when it finds the ring empty. */
    private void ringPoll() {
        pair.left.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_POLL | small.handle);
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 8, 64, 65, 200, 1004})
    void noCompletionIsLostOrOutOfOrder(int completions) {
        write(completions);
        assertThat(pair.left.events()).isEmpty();
        while (polled < completions) {
            poll(small.waiting());
            assertThat(small.poll()).isNull();
            ringPoll();
        }
        assertThat(small.poll()).isNull();
        DeviceStatistics statistics = pair.left.device.statistics();
        assertThat(statistics.completions()).isEqualTo(completions);
        assertThat(statistics.heldBack()).isEqualTo(completions - 4);
        assertThat(qp.state()).isEqualTo(QpState.RTS);
        write(4);
        poll(4);
    }

    @Test
    @Covers.Limit("HostPolicy.maxHeldBack")
    void moreThanItMayHoldBackIsAnOverrunAfterAll() {
        write(4 + 1000);
        assertThat(pair.left.events()).isEmpty();
        write(1);
        assertThat(pair.left.events())
                .containsExactly(
                        MockDriver.event(EventType.CQ_ERR, small.handle),
                        MockDriver.event(EventType.QP_FATAL, qp.handle));
    }

    /** A guest that takes some and does not poll until the queue is empty rings no doorbell: the device looks. */
    @Test
    void roomIsNoticedWithoutADoorbell() {
        write(10);
        poll(2);
        assertThat(small.waiting()).isEqualTo(2);
        pair.advanceNs(RETRY_NS - 1);
        assertThat(small.waiting()).isEqualTo(2);
        pair.advanceNs(1);
        assertThat(small.waiting()).isEqualTo(4);
        poll(4);
        pair.advanceNs(RETRY_NS);
        poll(4);
        assertThat(pair.left.device.deadlineNs())
                .as("nothing left to look after")
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatComesLaterStaysBehindWhatIsHeldBack() {
        write(6);
        poll(1);
        write(1);
        poll(3);
        write(2);
        for (int i = 0; i < 3; i++) {
            poll(small.waiting());
            ringPoll();
        }
        assertThat(polled).isEqualTo(9);
    }

    @Test
    void anArmedQueueTellsOfACompletionThatIsHeldBack() {
        write(4);
        small.arm();
        write(1);
        assertThat(pair.left.notified()).containsExactly(small.handle);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isEqualTo(1);
    }

    /** The guest takes what is there, arms, and sleeps: what is put in the ring by then or later wakes it. */
    @Test
    void noWakeUpIsLostWhenHeldCompletionsArePutInTheRing() {
        write(9);
        poll(4);
        small.arm();
        assertThat(pair.left.notified()).containsExactly(small.handle);
        poll(4);
        small.armSolicited();
        assertThat(pair.left.notified()).containsExactly(small.handle);
        poll(1);
        small.arm();
        assertThat(pair.left.notified()).isEmpty();
        write(1);
        assertThat(pair.left.notified()).containsExactly(small.handle);
    }

    @Test
    void aQueueArmedWhileTheRingIsFullIsToldWhenThereIsRoom() {
        write(6);
        small.arm();
        assertThat(pair.left.notified()).isEmpty();
        poll(4);
        pair.advanceNs(RETRY_NS);
        assertThat(pair.left.notified()).containsExactly(small.handle);
        poll(2);
    }

    /** After DESTROY_QP nothing of the queue pair follows, held back or not. */
    @Test
    void whatIsHeldBackOfADestroyedQueuePairIsDropped() {
        MockQueuePair other = queuePair();
        write(4);
        other.write(100, pair.leftMr, 0, pair.leftMr, 0, 0);
        write(1);
        other.write(101, pair.leftMr, 0, pair.leftMr, 0, 0);
        write(1);
        assertThat(other.destroy()).isZero();
        poll(4);
        ringPoll();
        poll(2);
        assertThat(small.poll()).isNull();
    }

    @Test
    void aQueueWithHeldBackCompletionsCanBeDestroyed() {
        write(50);
        assertThat(qp.destroy()).isZero();
        assertThat(small.destroy()).isZero();
        ringPoll();
        pair.advanceNs(RETRY_NS);
        assertThat(pair.left.events()).isEmpty();
    }

    @Test
    void aResizedQueueTakesWhatWasHeldBack() {
        write(10);
        assertThat(small.resize(16)).isZero();
        ringPoll();
        poll(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 8, 1 << 30, 7})
    void aCorruptConsumerIndexIsAnOverrunAfterAll(int head) {
        write(6);
        RingState.publishConsHead(small.header(), RingState.RX_OFFSET, head);
        ringPoll();
        pair.advanceNs(RETRY_NS);
        write(1);
        assertThat(pair.left.events())
                .containsExactly(
                        MockDriver.event(EventType.CQ_ERR, small.handle),
                        MockDriver.event(EventType.QP_FATAL, qp.handle));
        pair.advanceNs(10 * RETRY_NS);
        assertThat(pair.left.events()).isEmpty();
    }
}
