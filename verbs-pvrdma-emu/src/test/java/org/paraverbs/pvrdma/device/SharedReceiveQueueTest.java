// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateSrq;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.ModifySrq;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.QuerySrq;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.SrqAttr;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.contract.Covers;

/** Several queue pairs of the right device that take their receives from one queue. */
class SharedReceiveQueueTest {
    private static final int DEPTH = 8;

    private final Pair pair = new Pair();
    private final MockSharedReceiveQueue srq = pair.right.createSrq(pair.rightPd, DEPTH, 2);
    private final MockQueuePair[] senders = new MockQueuePair[3];
    private final MockQueuePair[] receivers = new MockQueuePair[3];

    SharedReceiveQueueTest() {
        for (int i = 0; i < senders.length; i++) {
            senders[i] = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
            receivers[i] = pair.right.createQp(QpType.RC, pair.rightPd, pair.rightCq, pair.rightCq, srq, 8, 1);
            senders[i].connect(receivers[i]);
            receivers[i].connect(senders[i]);
        }
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void send(int sender, long wrId, int length) {
        senders[sender].send(wrId, pair.leftMr, 0, length);
    }

    private void assertReceived(long wrId, MockQueuePair qp, int length) {
        assertThat(pair.rightCq.poll())
                .extracting(
                        Completion::wrId, Completion::qp, Completion::opcode, Completion::status, c -> c.byteLength())
                .containsExactly(wrId, qp.handle, WcOpcode.RECV, WcStatus.SUCCESS, length);
    }

    private void assertSent() {
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
    }

    @Test
    @Covers.Command("CREATE_SRQ")
    void receivesAreTakenInOrderWhoeverReceives() {
        pair.leftMr.fill(5);
        for (int i = 0; i < 5; i++) {
            srq.receive(i, pair.rightMr, 100L * i, 100);
        }
        int[] order = {2, 0, 0, 1, 2};
        for (int i = 0; i < order.length; i++) {
            send(order[i], i, 10 + i);
        }
        for (int i = 0; i < order.length; i++) {
            assertSent();
            assertReceived(i, receivers[order[i]], 10 + i);
            assertThat(pair.rightMr.get(100L * i + 9)).isEqualTo(MockRegion.pattern(5, 9));
        }
        assertThat(srq.waiting()).isZero();
    }

    @Test
    void theRingGoesRound() {
        for (int i = 0; i < 5 * DEPTH; i++) {
            srq.receive(i, pair.rightMr, 0, 100);
            srq.receive(1000 + i, pair.rightMr, 0, 100);
            send(i % 3, i, 8);
            send((i + 1) % 3, i, 8);
            assertReceived(i, receivers[i % 3], 8);
            assertReceived(1000 + i, receivers[(i + 1) % 3], 8);
            assertSent();
            assertSent();
        }
    }

    @Test
    void anImmediateTakesAReceive() {
        srq.receive(4, pair.rightMr, 0, 100);
        senders[1]
                .put(WrOpcode.RDMA_WRITE_WITH_IMM, 1, 0, pair.rightMr.start(), pair.rightMr.rkey(), 99)
                .ring();
        assertThat(pair.rightCq.poll())
                .extracting(Completion::wrId, Completion::opcode, Completion::immediate)
                .containsExactly(4L, WcOpcode.RECV_RDMA_WITH_IMM, 99);
    }

    @Test
    void aSenderWaitsWhileTheQueueIsEmpty() {
        send(0, 1, 8);
        assertThat(pair.leftCq.poll()).isNull();
        srq.receive(7, pair.rightMr, 0, 100);
        send(1, 2, 8); // takes what the first one waits for
        assertReceived(7, receivers[1], 8);
        assertSent();
        pair.advanceNs(1_000_000);
        assertThat(pair.leftCq.poll()).isNull();
        srq.receive(8, pair.rightMr, 0, 100);
        pair.advanceNs(1_000_000);
        assertReceived(8, receivers[0], 8);
        assertSent();
    }

    // --- the limit

    @Test
    @Covers.Command({"MODIFY_SRQ", "QUERY_SRQ"})
    @Covers.Event(AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT_REACHED)
    void theLimitIsToldOfOnce() {
        for (int i = 0; i < 6; i++) {
            srq.receive(i, pair.rightMr, 0, 100);
        }
        srq.arm(4);
        assertThat(srq.limit()).isEqualTo(4);
        send(0, 0, 8);
        send(1, 1, 8);
        assertThat(pair.right.events()).as("four are left").isEmpty();
        send(2, 2, 8);
        assertThat(pair.right.events()).containsExactly(MockDriver.event(EventType.SRQ_LIMIT_REACHED, srq.handle));
        assertThat(srq.limit()).as("disarmed").isZero();
        send(0, 3, 8);
        assertThat(pair.right.events()).isEmpty();
        srq.arm(2);
        send(0, 4, 8);
        assertThat(pair.right.events()).containsExactly(MockDriver.event(EventType.SRQ_LIMIT_REACHED, srq.handle));
    }

    @Test
    void aLimitOfZeroDisarms() {
        srq.receive(0, pair.rightMr, 0, 100);
        srq.arm(4);
        srq.arm(0);
        send(0, 0, 8);
        assertThat(pair.right.events()).isEmpty();
    }

    @Test
    @Covers.Command("MODIFY_SRQ")
    void onlyTheLimitCanBeModified() {
        assertThat(srq.modify(ModifySrq.MAX_WR, 1)).isEqualTo(Errno.EOPNOTSUPP.number());
        assertThat(srq.modify(ModifySrq.MAX_WR | ModifySrq.LIMIT, 1)).isEqualTo(Errno.EOPNOTSUPP.number());
        assertThat(srq.modify(0, 1)).isEqualTo(Errno.EOPNOTSUPP.number());
        assertThat(srq.modify(ModifySrq.LIMIT, DEPTH + 1)).isEqualTo(Errno.EINVAL.number());
        assertThat(srq.modify(ModifySrq.LIMIT, -1)).isEqualTo(Errno.EINVAL.number());
        assertThat(srq.limit()).isZero();
    }

    // --- errors

    @Test
    void theReceivesOutliveAQueuePair() {
        srq.receive(1, pair.rightMr, 0, 100);
        assertThat(receivers[0].toState(QpState.ERR)).isZero();
        assertThat(pair.right.events())
                .containsExactly(MockDriver.event(EventType.QP_LAST_WQE_REACHED, receivers[0].handle));
        assertThat(pair.rightCq.poll()).as("nothing is flushed").isNull();
        receivers[0].put(WrOpcode.SEND, 5, 0, 0, 0, 0).ring();
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertThat(pair.right.events()).as("told once").isEmpty();
        send(1, 1, 8);
        assertReceived(1, receivers[1], 8);
    }

    @Test
    void aResetQueuePairLeavesTheReceives() {
        srq.receive(1, pair.rightMr, 0, 100);
        srq.receive(2, pair.rightMr, 0, 100);
        send(0, 1, 8);
        assertReceived(1, receivers[0], 8);
        assertThat(receivers[0].toState(QpState.RESET)).isZero();
        assertThat(receivers[1].toState(QpState.ERR)).isZero();
        assertThat(receivers[1].toState(QpState.RESET)).isZero();
        receivers[1].connect(senders[1]);
        pair.right.events();
        send(2, 2, 8);
        assertReceived(2, receivers[2], 8);
        assertThat(receivers[1].toState(QpState.ERR)).isZero();
        assertThat(pair.right.events())
                .as("told again after a reset")
                .containsExactly(MockDriver.event(EventType.QP_LAST_WQE_REACHED, receivers[1].handle));
    }

    @Test
    void aMessageThatDoesNotFit() {
        srq.receive(1, pair.rightMr, 0, 4);
        srq.receive(2, pair.rightMr, 0, 100);
        send(0, 1, 8);
        assertThat(pair.rightCq.poll())
                .extracting(Completion::wrId, Completion::status)
                .containsExactly(1L, WcStatus.LOC_LEN_ERR);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_INV_REQ_ERR);
        assertThat(pair.right.events())
                .containsExactly(MockDriver.event(EventType.QP_LAST_WQE_REACHED, receivers[0].handle));
        send(1, 2, 8);
        assertReceived(2, receivers[1], 8);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, -1, Integer.MAX_VALUE})
    void moreElementsThanTheQueueHas(int elements) {
        srq.put(1, elements);
        send(0, 1, 8);
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.LOC_QP_OP_ERR);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_OP_ERR);
    }

    /** Keys are those of the queue's protection domain, and not of the queue pair's. */
    @Test
    void theQueueHasAProtectionDomainOfItsOwn() {
        int pd = pair.right.createPd();
        MockSharedReceiveQueue other = pair.right.createSrq(pd, 4, 1);
        MockRegion mr = pair.right.createMr(pd, 100, 0, MockQueuePair.ALL_ACCESS);
        MockQueuePair receiver = pair.right.createQp(QpType.RC, pair.rightPd, pair.rightCq, pair.rightCq, other, 4, 1);
        MockQueuePair sender = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 4, 1);
        sender.connect(receiver);
        receiver.connect(sender);
        other.receive(1, mr, 0, 100);
        sender.send(1, pair.leftMr, 0, 8);
        assertReceived(1, receiver, 8);
        other.receive(2, pair.rightMr, 0, 100);
        sender.send(2, pair.leftMr, 0, 8);
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 2 * DEPTH, DEPTH + 2, Integer.MIN_VALUE})
    @Covers.Event({
        AsyncEventType.SHARED_RECEIVE_QUEUE_ERROR,
        AsyncEventType.QUEUE_PAIR_FATAL,
        AsyncEventType.LAST_WORK_REQUEST_REACHED
    })
    void aRingThatMakesNoSense(int tail) {
        srq.receive(1, pair.rightMr, 0, 100);
        send(0, 1, 8);
        assertReceived(1, receivers[0], 8);
        assertSent();
        RingState.publishProdTail(srq.header(), RingState.RX_OFFSET, tail);
        send(0, 2, 8);
        send(1, 3, 8);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_OP_ERR);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.REM_OP_ERR);
        assertThat(pair.right.events())
                .containsExactlyInAnyOrder(
                        MockDriver.event(EventType.SRQ_ERR, srq.handle),
                        MockDriver.event(EventType.QP_FATAL, receivers[0].handle),
                        MockDriver.event(EventType.QP_LAST_WQE_REACHED, receivers[0].handle),
                        MockDriver.event(EventType.QP_FATAL, receivers[1].handle),
                        MockDriver.event(EventType.QP_LAST_WQE_REACHED, receivers[1].handle));
        assertThat(receivers[2].state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aRingThatWasFreed() {
        MockSharedReceiveQueue freed;
        try (Arena arena = Arena.ofShared()) {
            freed = pair.right.withMemory(arena, () -> pair.right.createSrq(pair.rightPd, 4, 1));
        }
        MockQueuePair receiver = pair.right.createQp(QpType.RC, pair.rightPd, pair.rightCq, pair.rightCq, freed, 4, 1);
        MockQueuePair sender = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 4, 1);
        sender.timeout = 1;
        sender.retryCount = 0;
        sender.connect(receiver);
        receiver.connect(sender);
        sender.send(1, pair.leftMr, 0, 8);
        assertThat(receiver.state()).isEqualTo(QpState.ERR);
        pair.advanceNs(100_000);
        assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
    }

    // --- commands

    @Test
    @Covers.Command("QUERY_SRQ")
    void attributesAreToldBack() {
        MemorySegment answer = srq.query();
        assertThat(SrqAttr.maxWr(answer, QuerySrq.Response.ATTRS_OFFSET)).isEqualTo(DEPTH);
        assertThat(SrqAttr.maxSge(answer, QuerySrq.Response.ATTRS_OFFSET)).isEqualTo(2);
        assertThat(srq.limit()).as("not from CREATE_SRQ").isZero();
    }

    @Test
    @Covers.Command("DESTROY_SRQ")
    void aQueueInUseCannotBeDestroyed() {
        assertThat(srq.destroy()).isEqualTo(Errno.EBUSY.number());
        for (MockQueuePair receiver : receivers) {
            assertThat(receiver.destroy()).isZero();
        }
        assertThat(srq.destroy()).isZero();
        assertThat(srq.destroy()).isEqualTo(Errno.EINVAL.number());
        assertThat(srq.modify(ModifySrq.LIMIT, 1)).isEqualTo(Errno.EINVAL.number());
    }

    @Test
    void aProtectionDomainInUseCannotBeDestroyed() {
        int pd = pair.right.createPd();
        MockSharedReceiveQueue other = pair.right.createSrq(pd, 4, 1);
        assertThat(pair.right.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isEqualTo(Errno.EBUSY.number());
        assertThat(other.destroy()).isZero();
        assertThat(pair.right.command(CommandCode.DESTROY_PD, s -> DestroyPd.pdHandle(s, 0, pd)))
                .isZero();
    }

    private int create(MockDriver driver, Consumer<MemorySegment> change) {
        MockMemory.Pages ring = driver.memory.pages(3);
        return driver.command(CommandCode.CREATE_SRQ, s -> {
            driver.putCreateSrq(s, pair.rightPd, DEPTH, 2, ring);
            change.accept(s);
        });
    }

    @Test
    @Covers.Command("CREATE_SRQ")
    @Covers.Limit({"DeviceLimits.maxSrqWr", "DeviceLimits.maxSrqSge"})
    void queuesThatCannotBe() {
        int invalid = Errno.EINVAL.number();
        long attrs = CreateSrq.ATTRS_OFFSET;
        assertThat(create(pair.right, s -> {})).isZero();
        assertThat(create(pair.right, s -> CreateSrq.srqType(s, 0, 1))).isEqualTo(Errno.EOPNOTSUPP.number());
        assertThat(create(pair.right, s -> CreateSrq.pdHandle(s, 0, 999))).isEqualTo(invalid);
        for (int maxWr : new int[] {0, 3, -8, 8192, Integer.MIN_VALUE}) {
            assertThat(create(pair.right, s -> SrqAttr.maxWr(s, attrs, maxWr))).isEqualTo(invalid);
        }
        for (int maxSge : new int[] {0, 17, -1}) {
            assertThat(create(pair.right, s -> SrqAttr.maxSge(s, attrs, maxSge)))
                    .isEqualTo(invalid);
        }
        for (int chunks : new int[] {0, 1, -1, 262_145}) {
            assertThat(create(pair.right, s -> CreateSrq.nchunks(s, 0, chunks))).isEqualTo(invalid);
        }
        assertThat(create(pair.right, s -> CreateSrq.pdirDma(s, 0, 0x10))).isEqualTo(Errno.EFAULT.number());
    }

    @Test
    void aDeviceWithoutSharedReceiveQueues() {
        try (MockDriver driver = MockDriver.booted(
                pair.fabric, 3, DeviceConfiguration.builder().maxSrq(0).build())) {
            assertThat(create(driver, s -> {})).isEqualTo(Errno.EOPNOTSUPP.number());
        }
    }

    @Test
    @Covers.Limit("DeviceLimits.maxSrq")
    void thereAreSoManyQueues() {
        try (MockDriver driver = MockDriver.booted(
                pair.fabric, 3, DeviceConfiguration.builder().maxSrq(2).build())) {
            int pd = driver.createPd();
            driver.createSrq(pd, 4, 1);
            MockSharedReceiveQueue last = driver.createSrq(pd, 4, 1);
            assertThat(last.handle)
                    .as("the driver keeps them in a table of max_srq")
                    .isLessThan(2);
            MockMemory.Pages ring = driver.memory.pages(2);
            assertThat(driver.command(CommandCode.CREATE_SRQ, s -> driver.putCreateSrq(s, pd, 4, 1, ring)))
                    .isEqualTo(Errno.ENOMEM.number());
            assertThat(last.destroy()).isZero();
            driver.createSrq(pd, 4, 1);
        }
    }
}
