// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DestroyCq;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.contract.Covers;

class CompletionQueueTest {
    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void write(long wrId) {
        pair.leftQp.write(wrId, pair.leftMr, 0, pair.rightMr, 0, 8);
    }

    /** Sends to the right, solicited or not. */
    private void send(boolean solicited) {
        pair.rightQp.receive(1, pair.rightMr, 0, 8);
        pair.leftQp
                .put(
                        WrOpcode.SEND,
                        1,
                        SendFlags.SIGNALED | (solicited ? SendFlags.SOLICITED : 0),
                        0,
                        0,
                        0,
                        pair.leftMr.start(),
                        8,
                        pair.leftMr.lkey())
                .ring();
    }

    // --- notification

    @Test
    void anArmedQueueTellsOfOneCompletionOnce() {
        pair.leftCq.arm();
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isZero();
        write(1);
        write(2);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isEqualTo(1);
        assertThat(pair.left.notified()).containsExactly(pair.leftCq.handle);
        pair.leftCq.arm();
        write(3);
        assertThat(pair.left.notified()).containsExactly(pair.leftCq.handle);
    }

    @Test
    void whatCameBeforeArmingIsNotToldOf() {
        write(1);
        pair.leftCq.arm();
        assertThat(pair.left.notified()).isEmpty();
    }

    @Test
    void anIdleQueueTellsNothing() {
        write(1);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isZero();
        assertThat(pair.left.notified()).isEmpty();
    }

    @Test
    void armedForSolicitedItTellsOfThoseAlone() {
        pair.rightCq.armSolicited();
        send(false);
        assertThat(pair.right.notified()).isEmpty();
        send(true);
        assertThat(pair.right.notified()).containsExactly(pair.rightCq.handle);
    }

    @Test
    void armedForSolicitedItTellsOfFailures() {
        pair.leftCq.armSolicited();
        pair.leftQp.post(WrOpcode.RDMA_WRITE, 1, 0, 0, pair.leftMr.start(), 8, pair.leftMr.lkey());
        assertThat(pair.left.notified()).containsExactly(pair.leftCq.handle);
    }

    @Test
    void armedForAnyItStaysSo() {
        pair.rightCq.arm();
        pair.rightCq.armSolicited();
        send(false);
        assertThat(pair.right.notified()).containsExactly(pair.rightCq.handle);
    }

    @Test
    @Covers.Register({"IMR", "ICR"})
    void maskedInterruptsAreNotRaised() {
        pair.left.device.writeRegister(Registers.IMR, 1 << InterruptVector.CQ);
        pair.left.device.readRegister(Registers.ICR);
        pair.leftCq.arm();
        write(1);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isZero();
        assertThat(pair.left.device.readRegister(Registers.ICR)).isEqualTo(1 << InterruptVector.CQ);
        assertThat(pair.left.device.readRegister(Registers.ICR))
                .as("reading clears")
                .isZero();
        assertThat(pair.left.notified()).containsExactly(pair.leftCq.handle);
    }

    /** What is raised while it is masked is raised when it is unmasked, once, unless the guest has read the cause. */
    @Test
    @Covers.Register({"IMR", "ICR"})
    void aMaskedInterruptIsNotLost() {
        pair.left.device.writeRegister(Registers.IMR, 1 << InterruptVector.CQ);
        for (int i = 0; i < 3; i++) {
            pair.leftCq.arm();
            write(i);
        }
        pair.left.device.writeRegister(Registers.IMR, 1 << InterruptVector.ASYNC | 1 << InterruptVector.CQ);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isZero();
        pair.left.device.writeRegister(Registers.IMR, 1 << InterruptVector.ASYNC);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isEqualTo(1);
        pair.left.device.writeRegister(Registers.IMR, 0);
        pair.left.device.writeRegister(Registers.IMR, 0);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isEqualTo(1);
        assertThat(pair.left.interrupts(InterruptVector.ASYNC)).isZero();
        pair.left.device.writeRegister(Registers.IMR, -1);
        pair.leftCq.arm();
        write(4);
        assertThat(pair.left.device.readRegister(Registers.ICR) >>> InterruptVector.CQ & 1)
                .isEqualTo(1);
        pair.left.device.writeRegister(Registers.IMR, 0);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).as("seen already").isEqualTo(1);
        pair.leftCq.arm();
        write(5);
        assertThat(pair.left.interrupts(InterruptVector.CQ)).isEqualTo(2);
        DeviceStatistics.Interrupts counted = pair.left.device.statistics().completionNotifications();
        assertThat(counted).isEqualTo(new DeviceStatistics.Interrupts(2, 0, 4));
    }

    /** The driver's ring has 1024 places: what it has no room for is told when it has. */
    @Test
    void aFullNotificationRingLosesNothing() {
        MockCompletionQueue other = pair.left.createCq(4096);
        MockQueuePair qp = pair.left.createQp(pair.leftPd, other, other, 8, 1);
        qp.connect(qp);
        for (int i = 0; i < 1024; i++) {
            other.arm();
            qp.write(i, pair.leftMr, 0, pair.leftMr, 0, 0);
        }
        pair.leftCq.arm();
        write(1);
        assertThat(pair.left.notified()).hasSize(1024).doesNotContain(pair.leftCq.handle);
        pair.advanceNs(1_000_000);
        assertThat(pair.left.notified()).containsExactly(pair.leftCq.handle);
    }

    @Test
    void theNotificationRingGoesRound() {
        for (int i = 0; i < 5000; i++) {
            pair.leftCq.arm();
            write(i);
            assertThat(pair.left.notified()).containsExactly(pair.leftCq.handle);
            pair.leftCq.skip();
        }
    }

    // --- overrun

    private MockCompletionQueue overrun(MockQueuePair qp, MockCompletionQueue cq, int completions) {
        for (int i = 0; i < completions; i++) {
            qp.write(i, pair.leftMr, 0, pair.leftMr, 0, 0);
        }
        return cq;
    }

    @Test
    @Covers.Event(AsyncEventType.COMPLETION_QUEUE_ERROR)
    void anOverrunIsOneEventAndStopsTheQueuePair() {
        MockCompletionQueue small = pair.left.createCq(4);
        MockQueuePair qp = pair.left.createQp(pair.leftPd, small, small, 64, 1);
        qp.connect(qp);
        overrun(qp, small, 4);
        assertThat(pair.left.events()).isEmpty();
        overrun(qp, small, 40);
        assertThat(pair.left.events())
                .containsExactly(
                        MockDriver.event(EventType.CQ_ERR, small.handle),
                        MockDriver.event(EventType.QP_FATAL, qp.handle));
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        // the completions that had room are still good, and no more come
        for (int i = 0; i < 4; i++) {
            assertThat(small.poll().status()).isEqualTo(WcStatus.SUCCESS);
        }
        assertThat(small.poll()).isNull();
        assertThat(pair.left.interrupts(InterruptVector.ASYNC)).isEqualTo(1);
    }

    /** Each queue pair is told of when a completion of its own is lost, once; nothing is torn, and nothing comes after. */
    @Test
    @Covers.Event({AsyncEventType.COMPLETION_QUEUE_ERROR, AsyncEventType.QUEUE_PAIR_FATAL})
    void anOverrunStopsEachQueuePairThatLosesACompletionByIt() {
        MockCompletionQueue small = pair.left.createCq(4);
        MockQueuePair[] qps = new MockQueuePair[3];
        for (int i = 0; i < qps.length; i++) {
            qps[i] = pair.left.createQp(pair.leftPd, small, small, 64, 1);
            qps[i].connect(qps[i]);
        }
        overrun(qps[0], small, 4);
        overrun(qps[1], small, 1);
        assertThat(pair.left.events())
                .containsExactly(
                        MockDriver.event(EventType.CQ_ERR, small.handle),
                        MockDriver.event(EventType.QP_FATAL, qps[1].handle));
        assertThat(qps[0].state()).isEqualTo(QpState.RTS);
        overrun(qps[0], small, 3);
        assertThat(pair.left.events()).containsExactly(MockDriver.event(EventType.QP_FATAL, qps[0].handle));
        assertThat(qps[2].state()).isEqualTo(QpState.RTS);
        for (int i = 0; i < 4; i++) {
            assertThat(small.poll().wrId()).isEqualTo(i);
        }
        overrun(qps[0], small, 3);
        overrun(qps[1], small, 3);
        assertThat(small.poll()).as("room comes too late").isNull();
        assertThat(pair.left.events()).isEmpty();
    }

    /** The receiver's queue overruns: the message was executed, the receiver stops, the sender's next message is lost. */
    @Test
    void anOverrunOfTheReceiversQueueStopsTheReceiver() {
        MockCompletionQueue small = pair.right.createCq(1);
        MockQueuePair receiver = pair.right.createQp(pair.rightPd, small, small, 8, 1);
        MockQueuePair sender = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
        sender.connect(receiver);
        receiver.connect(sender);
        receiver.receive(1, pair.rightMr, 0, 8);
        receiver.receive(2, pair.rightMr, 0, 8);
        sender.send(1, pair.leftMr, 0, 8);
        sender.send(2, pair.leftMr, 0, 8);
        assertThat(pair.right.events())
                .contains(
                        MockDriver.event(EventType.CQ_ERR, small.handle),
                        MockDriver.event(EventType.QP_FATAL, receiver.handle))
                .doesNotHaveDuplicates();
        assertThat(receiver.state()).isEqualTo(QpState.ERR);
        assertThat(small.poll().wrId()).isEqualTo(1);
        assertThat(small.poll()).isNull();
    }

    @Test
    void aQueueThatIsPolledInTimeGoesRound() {
        MockCompletionQueue small = pair.left.createCq(4);
        MockQueuePair qp = pair.left.createQp(pair.leftPd, small, small, 8, 1);
        qp.connect(qp);
        for (int i = 0; i < 100; i++) {
            overrun(qp, small, 1 + i % 4);
            while (small.poll() != null) {}
        }
        assertThat(pair.left.events()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 8, 1 << 30, 3, 7})
    void aCorruptConsumerIndexIsAnOverrun(int head) {
        MockCompletionQueue small = pair.left.createCq(4);
        MockQueuePair qp = pair.left.createQp(pair.leftPd, small, small, 64, 1);
        qp.connect(qp);
        overrun(qp, small, 4); // the device reads the index when it seems to be full
        RingState.publishConsHead(small.header(), RingState.RX_OFFSET, head);
        qp.write(9, pair.leftMr, 0, pair.leftMr, 0, 0);
        boolean plausible = Integer.compareUnsigned(head, 8) < 0 && ((4 - head) & 7) < 4;
        assertThat(pair.left.events().isEmpty()).isEqualTo(plausible);
    }

    // --- lifetime

    @Test
    @Covers.Command("DESTROY_CQ")
    void aQueueInUseCannotBeDestroyed() {
        assertThat(pair.left.command(CommandCode.DESTROY_CQ, s -> DestroyCq.cqHandle(s, 0, pair.leftCq.handle)))
                .isEqualTo(16);
        write(1);
        assertThat(pair.leftCq.poll()).isNotNull();
        assertThat(pair.leftQp.destroy()).isZero();
        assertThat(pair.left.command(CommandCode.DESTROY_CQ, s -> DestroyCq.cqHandle(s, 0, pair.leftCq.handle)))
                .isZero();
    }

    @Test
    void armingAQueueThatIsNotThereIsIgnored() {
        for (int handle : new int[] {77, 0xff_ffff}) {
            pair.left.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_ARM | handle);
            pair.left.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_ARM_SOL | handle);
            pair.left.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_POLL | handle);
        }
        write(1);
        assertThat(pair.leftCq.poll()).isNotNull();
    }

    @Test
    void noCompletionFollowsDestruction() {
        pair.leftQp.send(1, pair.leftMr, 0, 8); // waits for a receive
        pair.leftQp.destroy();
        pair.rightQp.receive(1, pair.rightMr, 0, 8);
        pair.leftQp.ring();
        pair.advanceNs(1_000_000_000);
        assertThat(pair.leftCq.waiting()).isZero();
    }
}
