// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.AddressVector;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.Grh;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.Sge;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;

/** Each way in which a datagram fails: a sender stops sending, a receiver stops altogether, and neither hears of the other. */
class DatagramErrorTest extends DatagramFixture {
    // --- errors of the sender: only its send queue stops

    private void assertSendFailed(int status) {
        assertThat(pair.leftCq.poll())
                .extracting(Completion::wrId, Completion::qp, Completion::status)
                .containsExactly(1L, sender.handle, status);
        assertThat(sender.state()).isEqualTo(QpState.SQE);
        assertThat(pair.left.events()).isEmpty();
        assertThat(pair.rightCq.poll()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                WrOpcode.RDMA_WRITE,
                WrOpcode.RDMA_WRITE_WITH_IMM,
                WrOpcode.RDMA_READ,
                WrOpcode.ATOMIC_CMP_AND_SWP,
                WrOpcode.ATOMIC_FETCH_AND_ADD,
                WrOpcode.LSO,
                WrOpcode.SEND_WITH_INV,
                WrOpcode.LOCAL_INV,
                WrOpcode.FAST_REG_MR,
                99,
                -1
            })
    void operationsThatDatagramsHaveNot(int opcode) {
        change(s -> SqWqe.opcode(s, 0, opcode));
        assertSendFailed(WcStatus.LOC_QP_OP_ERR);
    }

    @Test
    void addressVectorsThatCannotBe() {
        for (Consumer<MemorySegment> change : List.<Consumer<MemorySegment>>of(
                s -> AddressVector.portPd(s, SqWqe.UD_AV_OFFSET, 2 << 24 | sender.pd),
                s -> AddressVector.portPd(s, SqWqe.UD_AV_OFFSET, sender.pd),
                s -> AddressVector.portPd(s, SqWqe.UD_AV_OFFSET, 1 << 24 | sender.pd + 1),
                s -> AddressVector.gidIndex(s, SqWqe.UD_AV_OFFSET, 5),
                s -> AddressVector.gidIndex(s, SqWqe.UD_AV_OFFSET, 255),
                s -> SqWqe.numSge(s, 0, 3),
                s -> SqWqe.numSge(s, 0, -1),
                s -> SqWqe.sendFlags(s, 0, SendFlags.INLINE))) {
            change(change);
            assertSendFailed(WcStatus.LOC_QP_OP_ERR);
            assertThat(sender.toState(QpState.RTS)).isZero();
        }
    }

    /** IBTA volume 1, C10-93.1.1: nothing is sent, and it is no error. */
    @Test
    void aDatagramLongerThanTheMtu() {
        receiver.receive(5, pair.rightMr, 0, 5000);
        send(1, MTU + 1);
        assertSent(1, MTU + 1);
        assertThat(sender.state()).isEqualTo(QpState.RTS);
        assertThat(pair.rightCq.poll()).isNull();
        send(2, MTU);
        assertSent(2, MTU);
        assertReceived(5, MTU);
    }

    /** 32-bit sums of these lengths would be small. */
    @Test
    void lengthsWhoseSumOverflows() {
        long start = pair.leftMr.start();
        int lkey = pair.leftMr.lkey();
        sender.putDatagram(
                        WrOpcode.SEND,
                        1,
                        0,
                        0,
                        pair.right.gidLow,
                        receiver.qpn,
                        QKEY,
                        start,
                        0xffff_ffffL,
                        lkey,
                        start,
                        9,
                        lkey)
                .ring();
        assertSendFailed(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void aKeyThatIsNone() {
        change(s -> Sge.lkey(s, SqWqe.SIZE, 12345));
        assertSendFailed(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void memoryFreedUnderItsRegistration() {
        MockRegion mr;
        try (Arena arena = Arena.ofShared()) {
            mr = pair.left.register(pair.leftPd, arena.allocate(100, 8), 0);
        }
        receiver.receive(5, pair.rightMr, 0, 100);
        sender.datagram(1, receiver, QKEY, mr, 0, 8);
        assertSendFailed(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void inSendQueueErrorReceivingGoesOnAndSendsAreFlushed() {
        sender.receive(77, pair.leftMr, 0, 100);
        sender.putDatagram(WrOpcode.RDMA_READ, 1, 0, 0, 0, 0, 0);
        sender.putDatagram(WrOpcode.SEND, 2, 0, 0, pair.right.gidLow, receiver.qpn, QKEY);
        sender.putDatagram(WrOpcode.SEND, 3, 0, 0, pair.right.gidLow, receiver.qpn, QKEY);
        sender.ring();
        int[] ids = {1, 2, 3};
        for (int id : ids) {
            assertThat(pair.leftCq.poll())
                    .extracting(Completion::wrId, Completion::status)
                    .containsExactly((long) id, id == 1 ? WcStatus.LOC_QP_OP_ERR : WcStatus.WR_FLUSH_ERR);
        }
        sender.putDatagram(WrOpcode.SEND, 4, 0, 0, pair.right.gidLow, receiver.qpn, QKEY)
                .ring();
        assertThat(pair.leftCq.poll())
                .as("posted in SQE")
                .extracting(Completion::wrId, Completion::status)
                .containsExactly(4L, WcStatus.WR_FLUSH_ERR);
        receiver.datagram(9, sender, QKEY, pair.rightMr, 0, 8);
        assertThat(pair.leftCq.poll())
                .extracting(Completion::wrId, Completion::status)
                .containsExactly(77L, WcStatus.SUCCESS);
        assertThat(pair.rightCq.poll().wrId()).isEqualTo(9);
        assertThat(sender.state()).isEqualTo(QpState.SQE);

        assertThat(sender.toState(QpState.RTS)).isZero();
        receiver.receive(5, pair.rightMr, 0, 100);
        send(6, 8);
        assertSent(6, 8);
        assertReceived(5, 8);
    }

    @Test
    void fromSendQueueErrorToError() {
        sender.receive(77, pair.leftMr, 0, 100);
        sender.putDatagram(WrOpcode.RDMA_READ, 1, 0, 0, 0, 0, 0).ring();
        assertSendFailed(WcStatus.LOC_QP_OP_ERR);
        assertThat(sender.toState(QpState.ERR)).isZero();
        assertThat(pair.leftCq.poll())
                .extracting(Completion::wrId, Completion::status)
                .containsExactly(77L, WcStatus.WR_FLUSH_ERR);
    }

    // --- errors of the receiver: all of it stops, and nobody tells the sender

    private void assertReceiveFailed(int status) {
        send(1, 8);
        assertSent(1, 8);
        assertThat(pair.rightCq.poll())
                .extracting(Completion::wrId, Completion::status)
                .containsExactly(5L, status);
        assertThat(receiver.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void aReceiveThatIsTooSmall() {
        receiver.receive(5, pair.rightMr, 0, Grh.SIZE + 7);
        assertReceiveFailed(WcStatus.LOC_LEN_ERR);
    }

    @Test
    void aReceiveWithAnUnknownKey() {
        receiver.receive(5, pair.rightMr.start(), 100, 12345);
        assertReceiveFailed(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void aReceiveFreedUnderItsRegistration() {
        MockRegion mr;
        try (Arena arena = Arena.ofShared()) {
            mr = pair.right.register(pair.rightPd, arena.allocate(100, 8), MockQueuePair.ALL_ACCESS);
        }
        receiver.receive(5, mr, 0, 100);
        assertReceiveFailed(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void aReceiveRingThatMakesNoSense() {
        RingState.publishProdTail(receiver.header(), RingState.RX_OFFSET, -1);
        send(1, 8);
        assertSent(1, 8);
        assertThat(receiver.state()).isEqualTo(QpState.ERR);
        assertThat(pair.right.events()).containsExactly(MockDriver.event(EventType.QP_FATAL, receiver.handle));
    }

    @Test
    void aSendRingThatMakesNoSense() {
        RingState.publishProdTail(sender.header(), RingState.TX_OFFSET, 2 * DEPTH);
        sender.ring();
        assertThat(sender.state()).isEqualTo(QpState.ERR);
        assertThat(pair.left.events()).containsExactly(MockDriver.event(EventType.QP_FATAL, sender.handle));
    }

    @Test
    void everythingIsFlushedInOrder() {
        receiver.receive(1, pair.rightMr, 0, 100);
        receiver.putDatagram(WrOpcode.SEND, 2, 0, 0, 0, 0, 0);
        assertThat(receiver.toState(QpState.ERR)).isZero();
        receiver.receive(3, pair.rightMr, 0, 100);
        receiver.putDatagram(WrOpcode.SEND, 4, 0, 0, 0, 0, 0).ring();
        for (int id : new int[] {2, 1, 3, 4}) {
            assertThat(pair.rightCq.poll())
                    .extracting(Completion::wrId, Completion::status)
                    .containsExactly((long) id, WcStatus.WR_FLUSH_ERR);
        }
    }
}
