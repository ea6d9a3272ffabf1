// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.contract.Covers;

/** Each way to fail: the status on both sides (IBTA volume 1, section 9.9 and table 100), the events, the states. */
class ErrorStatusTest {
    private Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void rebuild(Pair other) {
        pair.close();
        pair = other;
    }

    private void assertFailed(MockCompletionQueue cq, MockQueuePair qp, long wrId, int status) {
        Completion completion = cq.poll();
        assertThat(completion).isNotNull();
        assertThat(completion.wrId()).isEqualTo(wrId);
        assertThat(completion.status()).isEqualTo(status);
        assertThat(completion.qp()).isEqualTo(qp.handle);
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    /** The requester fails alone: the responder has seen nothing. */
    private void assertFailedLocally(int status) {
        assertFailed(pair.leftCq, pair.leftQp, 1, status);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.RTS);
        assertThat(pair.left.events()).isEmpty();
        assertThat(pair.right.events()).isEmpty();
    }

    /** The responder refuses: both stop, and the responder's side is told by an event. */
    private void assertRefused(int status, int event) {
        assertFailed(pair.leftCq, pair.leftQp, 1, status);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.ERR);
        assertThat(pair.left.events()).isEmpty();
        assertThat(pair.right.events()).containsExactly(MockDriver.event(event, pair.rightQp.handle));
    }

    private void writeTo(long address, int rkey, int length) {
        pair.leftQp.post(WrOpcode.RDMA_WRITE, 1, address, rkey, pair.leftMr.start(), length, pair.leftMr.lkey());
    }

    // --- the requester's own mistakes

    @Test
    void unknownLocalKey() {
        pair.leftQp.post(WrOpcode.SEND, 1, 0, 0, pair.leftMr.start(), 8, pair.leftMr.lkey() + 1);
        assertFailedLocally(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void localKeyOfAnotherProtectionDomain() {
        MockRegion foreign = pair.left.createMr(pair.left.createPd(), 100, 0, ALL_ACCESS);
        pair.leftQp.send(1, foreign, 0, 8);
        assertFailedLocally(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void localKeyOfADestroyedRegion() {
        assertThat(pair.left.destroyMr(pair.leftMr.handle())).isZero();
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        assertFailedLocally(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void localRangeBeyondTheRegion() {
        pair.leftQp.write(1, pair.leftMr, Pair.REGION - 7, pair.rightMr, 0, 8);
        assertFailedLocally(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void localRangeThatWrapsAround() {
        pair.leftQp.post(WrOpcode.SEND, 1, 0, 0, -4L, 0x7fff_ffff, pair.leftMr.lkey());
        assertFailedLocally(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void readingIntoMemoryThatMayNotBeWritten() {
        MockRegion readOnly = pair.left.createMr(pair.leftPd, 100, 0, AccessFlags.ACCESS_REMOTE_READ);
        pair.leftQp.read(1, readOnly, 0, pair.rightMr, 0, 8);
        assertFailedLocally(WcStatus.LOC_PROT_ERR);
    }

    /** Numbers of the driver, of programs (7 is LOCAL_INV for them), and none. */
    @ParameterizedTest
    @ValueSource(ints = {7, 8, 9, 10, 11, 12, 13, 14, 99, -1})
    @Covers.Status(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR)
    @Covers.WorkRequest({"LSO", "SEND_WITH_INV", "RDMA_READ_WITH_INV", "LOCAL_INV", "FAST_REG_MR"})
    void operationsThatAreNotSupported(int opcode) {
        pair.leftQp.post(
                opcode, 1, pair.rightMr.start(), pair.rightMr.rkey(), pair.leftMr.start(), 8, pair.leftMr.lkey());
        assertFailedLocally(WcStatus.LOC_QP_OP_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {Pair.SGE + 1, 0x7fff_ffff, -1, Integer.MIN_VALUE})
    void moreElementsThanTheQueuePairHas(int elements) {
        MemorySegment place = pair.leftQp.nextSend();
        pair.leftQp.put(WrOpcode.SEND, 1, 0, 0, 0, 0);
        SqWqe.numSge(place, 0, elements);
        pair.leftQp.ring();
        assertFailedLocally(WcStatus.LOC_QP_OP_ERR);
    }

    @Test
    void readWithoutReadDepth() {
        rebuild(new Pair(p -> p.leftQp.maxReads = 0));
        pair.leftQp.read(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertFailedLocally(WcStatus.LOC_QP_OP_ERR);
    }

    /** 32-bit sums of these lengths would be small. */
    @Test
    @Covers.Limit("DeviceLimits.maxMessageSize")
    void messageLongerThanTheDeviceAllows() {
        long start = pair.leftMr.start();
        int lkey = pair.leftMr.lkey();
        pair.leftQp.post(WrOpcode.SEND, 1, 0, 0, start, 0xffff_ffffL, lkey, start, 9, lkey);
        assertFailedLocally(WcStatus.LOC_LEN_ERR);
    }

    @Test
    void earlierRequestsFinishBeforeALocalFault() {
        pair.leftQp.put(
                WrOpcode.RDMA_READ,
                10,
                SendFlags.SIGNALED,
                pair.rightMr.start(),
                pair.rightMr.rkey(),
                0,
                pair.leftMr.start(),
                8,
                pair.leftMr.lkey());
        pair.leftQp.put(WrOpcode.SEND, 11, 0, 0, 0, 0, 1, 2, 3);
        pair.leftQp.put(WrOpcode.SEND, 12, 0, 0, 0, 0);
        pair.leftQp.ring();
        assertThat(pair.leftCq.poll())
                .extracting(Completion::wrId, Completion::status)
                .containsExactly(10L, WcStatus.SUCCESS);
        assertFailed(pair.leftCq, pair.leftQp, 11, WcStatus.LOC_PROT_ERR);
        assertFailed(pair.leftCq, pair.leftQp, 12, WcStatus.WR_FLUSH_ERR);
        assertThat(pair.leftCq.poll()).isNull();
    }

    // --- what the responder refuses

    @Test
    void unknownRemoteKey() {
        writeTo(pair.rightMr.start(), pair.rightMr.rkey() ^ 0x100, 8);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @Test
    void remoteKeyOfAnotherProtectionDomain() {
        MockRegion foreign = pair.right.createMr(pair.right.createPd(), 100, 0, ALL_ACCESS);
        writeTo(foreign.start(), foreign.rkey(), 8);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @Test
    void remoteKeyOfADestroyedRegionWhoseHandleIsUsedAgain() {
        rebuild(new Pair(DeviceConfiguration.builder().maxMr(1).build(), false, p -> {}));
        assertThat(pair.right.destroyMr(pair.rightMr.handle())).isZero();
        MockRegion next = pair.right.createMr(pair.rightPd, Pair.REGION, 0, ALL_ACCESS);
        assertThat(next.handle()).isEqualTo(pair.rightMr.handle());
        writeTo(next.start(), pair.rightMr.rkey(), 8);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Pair.REGION - 7, Pair.REGION + 1, Long.MIN_VALUE, Long.MAX_VALUE})
    void remoteRangeOutsideTheRegion(long offset) {
        writeTo(pair.rightMr.start() + offset, pair.rightMr.rkey(), 8);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @Test
    void regionThatPeersMayNotWrite() {
        MockRegion mr = pair.right.createMr(
                pair.rightPd, 100, 0, AccessFlags.ACCESS_LOCAL_WRITE | AccessFlags.ACCESS_REMOTE_READ);
        writeTo(mr.start(), mr.rkey(), 8);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @Test
    void regionThatPeersMayNotRead() {
        MockRegion mr = pair.right.createMr(
                pair.rightPd, 100, 0, AccessFlags.ACCESS_LOCAL_WRITE | AccessFlags.ACCESS_REMOTE_WRITE);
        pair.leftQp.read(1, pair.leftMr, 0, mr, 0, 8);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @Test
    void queuePairThatPeersMayNotWriteThrough() {
        rebuild(new Pair(p -> p.rightQp.access = AccessFlags.ACCESS_REMOTE_READ));
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertRefused(WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR);
    }

    @Test
    void queuePairThatPeersMayNotReadThrough() {
        rebuild(new Pair(p -> p.rightQp.access = AccessFlags.ACCESS_REMOTE_WRITE));
        pair.leftQp.read(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertRefused(WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR);
    }

    @Test
    void readOfAResponderWithoutReadDepth() {
        rebuild(new Pair(p -> p.rightQp.maxReadsAsTarget = 0));
        pair.leftQp.read(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertRefused(WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR);
    }

    // --- receives that do not fit: told by the receive, without an event

    private void assertReceiveFailed(int receiveStatus, int sendStatus) {
        assertFailed(pair.leftCq, pair.leftQp, 1, sendStatus);
        assertFailed(pair.rightCq, pair.rightQp, 77, receiveStatus);
        assertThat(pair.right.events()).isEmpty();
    }

    @Test
    void messageLongerThanTheReceive() {
        pair.rightQp.receive(77, pair.rightMr, 0, 9);
        pair.leftQp.send(1, pair.leftMr, 0, 10);
        assertReceiveFailed(WcStatus.LOC_LEN_ERR, WcStatus.REM_INV_REQ_ERR);
    }

    @Test
    void receiveWithUnknownKey() {
        pair.rightQp.receive(77, pair.rightMr.start(), 100, 12345);
        pair.leftQp.send(1, pair.leftMr, 0, 10);
        assertReceiveFailed(WcStatus.LOC_PROT_ERR, WcStatus.REM_OP_ERR);
    }

    @Test
    void receiveIntoMemoryThatMayNotBeWritten() {
        MockRegion mr = pair.right.createMr(pair.rightPd, 100, 0, 0);
        pair.rightQp.receive(77, mr, 0, 100);
        pair.leftQp.send(1, pair.leftMr, 0, 10);
        assertReceiveFailed(WcStatus.LOC_PROT_ERR, WcStatus.REM_OP_ERR);
    }

    @Test
    void elementsThatAMessageDoesNotReachAreNotLookedAt() {
        pair.rightQp.receive(77, pair.rightMr.start(), 10, pair.rightMr.lkey(), 1, 100, 12345);
        pair.leftQp.send(1, pair.leftMr, 0, 10);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
    }

    // --- memory that goes away

    @Test
    void targetFreedUnderItsRegistration() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(100_000, 8);
            MockRegion mr = pair.right.register(pair.rightPd, memory, ALL_ACCESS);
            pair.leftQp.write(0, pair.leftMr, 0, mr, 0, 8);
            assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
            pair.leftQp.put(
                    WrOpcode.RDMA_WRITE,
                    1,
                    0,
                    mr.start() + 50_000,
                    mr.rkey(),
                    0,
                    pair.leftMr.start(),
                    19_000,
                    pair.leftMr.lkey());
        }
        pair.leftQp.ring();
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @Test
    void sourceOfAReadFreedUnderItsRegistration() {
        MockRegion mr;
        try (Arena arena = Arena.ofShared()) {
            mr = pair.right.register(pair.rightPd, arena.allocate(100, 8), ALL_ACCESS);
        }
        pair.leftQp.read(1, pair.leftMr, 0, mr, 0, 8);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {WrOpcode.RDMA_WRITE, WrOpcode.SEND})
    void sourceFreedUnderItsRegistration(int opcode) {
        MockRegion mr;
        try (Arena arena = Arena.ofShared()) {
            mr = pair.left.register(pair.leftPd, arena.allocate(100, 8), 0);
        }
        pair.rightQp.receive(77, pair.rightMr, 0, 100);
        pair.leftQp.post(opcode, 1, pair.rightMr.start(), pair.rightMr.rkey(), mr.start(), 8, mr.lkey());
        assertFailedLocally(WcStatus.LOC_PROT_ERR);
        assertThat(pair.rightCq.poll()).isNull();
    }

    @Test
    void targetOfAReadFreedUnderItsRegistration() {
        MockRegion mr;
        try (Arena arena = Arena.ofShared()) {
            mr = pair.left.register(pair.leftPd, arena.allocate(100, 8), ALL_ACCESS);
        }
        pair.leftQp.read(1, mr, 0, pair.rightMr, 0, 8);
        assertFailedLocally(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void receiveFreedUnderItsRegistration() {
        MockRegion mr;
        try (Arena arena = Arena.ofShared()) {
            mr = pair.right.register(pair.rightPd, arena.allocate(100, 8), ALL_ACCESS);
        }
        pair.rightQp.receive(77, mr, 0, 100);
        pair.leftQp.send(1, pair.leftMr, 0, 10);
        assertReceiveFailed(WcStatus.LOC_PROT_ERR, WcStatus.REM_OP_ERR);
    }

    @Test
    void targetUnmappedByTheGuest() {
        MemorySegment memory = pair.right.arena.allocate(100, 8);
        MockRegion mr = pair.right.register(pair.rightPd, memory, ALL_ACCESS);
        pair.right.memory.unmap(mr.pages().first() | (memory.address() & 4095));
        writeTo(mr.start(), mr.rkey(), 8);
        assertRefused(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    // --- flushing

    @Test
    void everythingIsFlushedInOrder() {
        pair.rightQp.receive(1, pair.rightMr, 0, 8);
        pair.rightQp.receive(2, pair.rightMr, 0, 8);
        pair.rightQp.put(WrOpcode.SEND, 3, 0, 0, 0, 0);
        assertThat(pair.rightQp.toState(QpState.ERR)).isZero();
        // posted before and after
        pair.rightQp.put(WrOpcode.RDMA_READ, 4, 0, 0, 0, 0).ring();
        pair.rightQp.receive(5, pair.rightMr, 0, 8);
        for (int id : new int[] {3, 1, 2, 4, 5}) {
            assertFailed(pair.rightCq, pair.rightQp, id, WcStatus.WR_FLUSH_ERR);
        }
        assertThat(pair.rightCq.poll()).isNull();
        assertThat(pair.right.events()).isEmpty();
    }

    @Test
    void aResetQueuePairStartsOver() {
        writeTo(0, 0, 8);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        for (MockQueuePair qp : new MockQueuePair[] {pair.leftQp, pair.rightQp}) {
            assertThat(qp.toState(QpState.RESET)).isZero();
        }
        pair.leftQp.connect(pair.rightQp);
        pair.rightQp.connect(pair.leftQp);
        pair.leftQp.write(2, pair.leftMr.fill(8), 0, pair.rightMr, 0, 8);
        assertThat(pair.leftCq.poll())
                .extracting(Completion::wrId, Completion::status, Completion::opcode)
                .containsExactly(2L, WcStatus.SUCCESS, WcOpcode.RDMA_WRITE);
        assertThat(pair.rightMr.get(7)).isEqualTo(MockRegion.pattern(8, 7));
    }

    @Test
    void aResetForgetsWhatWasPosted() {
        pair.leftQp.put(WrOpcode.SEND, 1, SendFlags.SIGNALED, 0, 0, 0);
        pair.leftQp.receive(2, pair.leftMr, 0, 8);
        assertThat(pair.leftQp.toState(QpState.RESET)).isZero();
        assertThat(pair.leftQp.toInit()).isZero();
        assertThat(pair.leftCq.poll()).isNull();
    }
}
