// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.Sge;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;

/** Guests that write nonsense in shared memory: their own queue pair stops, everybody else goes on. */
class HostileGuestTest {
    private final Pair pair = new Pair();
    private MockQueuePair bystander;

    @BeforeEach
    void addABystander() {
        bystander = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
        bystander.connect(bystander);
    }

    /** Whatever happened, the device still works for others, and rounds came to an end. */
    @AfterEach
    void othersGoOn() {
        while (pair.leftCq.poll() != null) {}
        bystander.write(4711, pair.leftMr, 0, pair.leftMr, 100, 8);
        assertThat(pair.leftCq.poll().wrId()).isEqualTo(4711);
        assertThat(pair.left.createPd()).isPositive();
        pair.close();
    }

    private void assertFatal(MockDriver driver, MockQueuePair qp) {
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(driver.events()).containsExactly(MockDriver.event(EventType.QP_FATAL, qp.handle));
    }

    /** CVE-2018-20216: an index of twice the ring or more is no index. */
    @ParameterizedTest
    @ValueSource(ints = {2 * Pair.DEPTH, -1, Integer.MIN_VALUE, 0x4000_0000, Pair.DEPTH + 1, 2 * Pair.DEPTH - 1})
    void sendProducerIndexThatClaimsMoreThanTheRing(int tail) {
        RingState.publishProdTail(pair.leftQp.header(), RingState.TX_OFFSET, tail);
        pair.leftQp.ring();
        assertFatal(pair.left, pair.leftQp);
        assertThat(pair.leftCq.waiting()).isZero();
    }

    @Test
    void sendProducerIndexThatGoesBack() {
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        pair.leftQp.send(2, pair.leftMr, 0, 8); // both wait for receives
        RingState.publishProdTail(pair.leftQp.header(), RingState.TX_OFFSET, 1);
        pair.leftQp.ring();
        assertFatal(pair.left, pair.leftQp);
    }

    /** The device goes by its own consumer index. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 5, 2 * Pair.DEPTH})
    void consumerIndexWrittenByTheGuest(int head) {
        RingState.publishConsHead(pair.leftQp.header(), RingState.TX_OFFSET, head);
        RingState.publishConsHead(pair.rightQp.header(), RingState.RX_OFFSET, head);
        pair.rightQp.receive(2, pair.rightMr, 0, 8);
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(RingState.consHead(pair.leftQp.header(), RingState.TX_OFFSET))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2 * Pair.DEPTH, -1, Pair.DEPTH + 1})
    void receiveProducerIndexThatClaimsMoreThanTheRing(int tail) {
        RingState.publishProdTail(pair.rightQp.header(), RingState.RX_OFFSET, tail);
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        assertFatal(pair.right, pair.rightQp);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_OP_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {Pair.SGE + 1, 0x7fff_ffff, -1})
    void receiveWithMoreElementsThanTheQueuePairHas(int elements) {
        pair.rightQp.receive(7, pair.rightMr, 0, 8);
        RqWqe.numSge(pair.rightQp.receivePlace(0), 0, elements);
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.LOC_QP_OP_ERR);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_OP_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 256, 0xff_ffff, 0x7fff_ffff})
    void doorbellsOfHandlesThatAreNone(int handle) {
        for (int offset : new int[] {-4, 0, 4, 8, 12, 4096}) {
            for (int bits : new int[] {0, 1 << 24, 1 << 29, 1 << 30, 1 << 31, -1 << 24}) {
                pair.left.device.writeUar(0, offset, bits | (handle & Doorbell.HANDLE_MASK));
            }
        }
        assertThat(pair.leftCq.waiting()).isZero();
    }

    @Test
    void ringMemoryFreedUnderTheQueuePair() {
        MockQueuePair doomed;
        try (Arena arena = Arena.ofShared()) {
            doomed = pair.left.withMemory(arena, () -> {
                MockQueuePair qp = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
                qp.connect(qp);
                return qp;
            });
        }
        pair.left.device.writeUar(pair.left.userPage(), Doorbell.QP_OFFSET, Doorbell.QP_SEND | doomed.handle);
        assertFatal(pair.left, doomed);
        pair.left.device.writeUar(pair.left.userPage(), Doorbell.QP_OFFSET, Doorbell.QP_SEND | doomed.handle);
        pair.left.device.writeUar(pair.left.userPage(), Doorbell.QP_OFFSET, Doorbell.QP_RECV | doomed.handle);
        assertThat(pair.left.events()).isEmpty();
        assertThat(doomed.destroy()).isZero();
    }

    @Test
    void ringMemoryUnmappedUnderTheQueuePair() {
        pair.right.memory.unmap(pair.rightQp.ringAddress());
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        assertFatal(pair.right, pair.rightQp);
    }

    @Test
    void completionRingFreedUnderTheQueue() {
        MockCompletionQueue doomed;
        try (Arena arena = Arena.ofShared()) {
            doomed = pair.left.withMemory(arena, () -> pair.left.createCq(8));
        }
        MockQueuePair qp = pair.left.createQp(pair.leftPd, doomed, doomed, 8, 1);
        qp.connect(qp);
        qp.write(1, pair.leftMr, 0, pair.leftMr, 0, 8);
        assertThat(pair.left.events())
                .containsExactly(
                        MockDriver.event(EventType.CQ_ERR, doomed.handle),
                        MockDriver.event(EventType.QP_FATAL, qp.handle));
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void notificationRingsFreedUnderTheDevice() {
        MemorySegment header = pair.right.asyncRing.segments()[0];
        RingState.publishConsHead(header, RingState.RX_OFFSET, -1);
        RingState.publishConsHead(pair.right.completionRing.segments()[0], RingState.RX_OFFSET, 5);
        pair.rightCq.arm();
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, Pair.REGION, 8);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        pair.right.memory.unmapAll();
        pair.rightCq.arm();
        pair.rightQp.ring();
        pair.advanceNs(10_000_000);
        assertThat(pair.right.command(CommandCode.CREATE_PD, s -> {})).isEqualTo(14);
    }

    @Test
    void everythingUnmappedWhileRequestsWait() {
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        pair.right.memory.unmapAll();
        pair.advanceNs(1_000_000);
        pair.right.device.close();
        pair.advanceNs(1L << 40);
        pair.advanceNs(1L << 40);
        for (int i = 0; i < 8; i++) {
            pair.advanceNs(1L << 40);
        }
        assertThat(pair.leftCq.poll().status()).isIn(WcStatus.RETRY_EXC_ERR, WcStatus.REM_OP_ERR);
    }

    /** Lengths that change between being added up and being used. */
    @Test
    void elementsThatChangeWhileTheyAreRead() throws InterruptedException {
        MemorySegment place = pair.leftQp.nextSend();
        Thread flipper = new Thread(() -> {
            for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                Sge.length(place, SqWqe.SIZE, i * 0x01234567);
                SqWqe.numSge(place, 0, i & 7);
            }
        });
        flipper.start();
        for (int i = 0; i < 2000; i++) {
            pair.leftQp.post(
                    WrOpcode.RDMA_WRITE,
                    i,
                    pair.rightMr.start(),
                    pair.rightMr.rkey(),
                    pair.leftMr.start(),
                    8,
                    pair.leftMr.lkey());
            while (pair.leftCq.poll() != null) {}
            while (pair.rightCq.poll() != null) {}
            if (pair.leftQp.state() != QpState.RTS || pair.rightQp.state() != QpState.RTS) {
                for (MockQueuePair qp : new MockQueuePair[] {pair.leftQp, pair.rightQp}) {
                    assertThat(qp.toState(QpState.RESET)).isZero();
                }
                pair.leftQp.connect(pair.rightQp);
                pair.rightQp.connect(pair.leftQp);
            }
        }
        flipper.interrupt();
        flipper.join();
        pair.left.events();
    }

    /** Connections that lead round in a circle, where nobody is the peer of who thinks so. */
    @Test
    void circlesOfConnections() {
        MockQueuePair[] circle = new MockQueuePair[3];
        for (int i = 0; i < circle.length; i++) {
            circle[i] = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
            circle[i].timeout = 1;
            circle[i].retryCount = 1;
        }
        for (int i = 0; i < circle.length; i++) {
            circle[i].connect(circle[(i + 1) % circle.length]);
        }
        for (MockQueuePair qp : circle) {
            qp.write(1, pair.leftMr, 0, pair.leftMr, 0, 8);
        }
        for (int i = 0; i < 4; i++) {
            pair.advanceNs(8192);
        }
        for (int i = 0; i < circle.length; i++) {
            assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
        }
    }
}
