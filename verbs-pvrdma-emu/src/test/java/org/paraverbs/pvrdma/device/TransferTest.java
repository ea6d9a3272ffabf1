// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;
import static org.paraverbs.pvrdma.device.MockRegion.pattern;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.WcFlags;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.contract.Covers;

class TransferTest {
    private Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void rebuild(Pair other) {
        pair.close();
        pair = other;
    }

    private static void assertSuccess(Completion completion, long wrId, int opcode, int bytes) {
        assertThat(completion).isNotNull();
        assertThat(completion.wrId()).isEqualTo(wrId);
        assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(completion.opcode()).isEqualTo(opcode);
        assertThat(completion.byteLength()).isEqualTo(bytes);
    }

    /** Lengths around words, pages and the path MTU. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 7, 8, 9, 63, 1023, 1024, 1025, 4095, 4096, 4097, 19_000})
    @Covers.WorkRequest("RDMA_WRITE")
    void writeCopiesExactlyItsBytes(int length) {
        pair.leftMr.fill(3);
        pair.rightMr.fill(9);
        pair.leftQp.write(42, pair.leftMr, 5, pair.rightMr, 11, length);

        assertSuccess(pair.leftCq.poll(), 42, WcOpcode.RDMA_WRITE, length);
        assertThat(pair.rightCq.poll()).isNull();
        for (int i = 0; i < Pair.REGION; i++) {
            boolean written = i >= 11 && i < 11 + length;
            assertThat(pair.rightMr.get(i))
                    .as("byte %d", i)
                    .isEqualTo(written ? pattern(3, i - 11 + 5) : pattern(9, i));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 4096, 19_000})
    @Covers.WorkRequest("RDMA_READ")
    void readFetchesExactlyItsBytes(int length) {
        pair.leftMr.fill(3);
        pair.rightMr.fill(9);
        pair.leftQp.read(43, pair.leftMr, 7, pair.rightMr, 13, length);

        assertSuccess(pair.leftCq.poll(), 43, WcOpcode.RDMA_READ, length);
        for (int i = 0; i < Pair.REGION; i++) {
            boolean read = i >= 7 && i < 7 + length;
            assertThat(pair.leftMr.get(i)).as("byte %d", i).isEqualTo(read ? pattern(9, i - 7 + 13) : pattern(3, i));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 4096, 10_000})
    @Covers.WorkRequest("SEND")
    void sendFillsAReceive(int length) {
        pair.leftMr.fill(3);
        pair.rightQp.receive(7, pair.rightMr, 100, 12_000);
        pair.leftQp.send(44, pair.leftMr, 0, length);

        assertSuccess(pair.leftCq.poll(), 44, WcOpcode.SEND, length);
        Completion received = pair.rightCq.poll();
        assertSuccess(received, 7, WcOpcode.RECV, length);
        assertThat(received.qp()).isEqualTo(pair.rightQp.handle);
        assertThat(received.sourceQpn()).isEqualTo(pair.leftQp.qpn);
        assertThat(received.flags()).isZero();
        for (int i = 0; i < length; i++) {
            assertThat(pair.rightMr.get(100 + i)).isEqualTo(pattern(3, i));
        }
    }

    @Test
    void elementsAreGatheredAndScatteredInOrder() {
        pair.leftMr.fill(3);
        long left = pair.leftMr.start();
        long right = pair.rightMr.start();
        int lkey = pair.leftMr.lkey();
        pair.rightQp.receive(1, right + 9000, 5, pair.rightMr.lkey(), right, 4500, pair.rightMr.lkey());
        pair.leftQp.post(
                WrOpcode.SEND, 2, 0, 0, left + 100, 3, lkey, left, 0, 0, left + 5000, 4000, lkey, left + 1, 2, lkey);

        assertSuccess(pair.leftCq.poll(), 2, WcOpcode.SEND, 4005);
        assertSuccess(pair.rightCq.poll(), 1, WcOpcode.RECV, 4005);
        byte[] message = new byte[4005];
        for (int i = 0; i < message.length; i++) {
            message[i] = pattern(3, i < 3 ? 100 + i : i < 4003 ? 5000 + i - 3 : 1 + i - 4003);
        }
        for (int i = 0; i < message.length; i++) {
            long at = i < 5 ? 9000 + i : i - 5;
            assertThat(pair.rightMr.get(at)).as("byte %d", i).isEqualTo(message[i]);
        }
    }

    @Test
    @Covers.WorkRequest({"RDMA_WRITE_WITH_IMM", "SEND_WITH_IMM"})
    void immediateDataPassUnchanged() {
        pair.rightQp.receive(1, pair.rightMr, 0, 100);
        pair.rightQp.receive(2);
        pair.leftMr.fill(4);
        pair.leftQp
                .put(
                        WrOpcode.SEND_WITH_IMM,
                        10,
                        SendFlags.SIGNALED,
                        0,
                        0,
                        0xdeadbeef,
                        pair.leftMr.start(),
                        10,
                        pair.leftMr.lkey())
                .put(
                        WrOpcode.RDMA_WRITE_WITH_IMM,
                        11,
                        SendFlags.SIGNALED,
                        pair.rightMr.start() + 500,
                        pair.rightMr.rkey(),
                        0x01020304,
                        pair.leftMr.start(),
                        20,
                        pair.leftMr.lkey())
                .ring();

        assertSuccess(pair.leftCq.poll(), 10, WcOpcode.SEND, 10);
        assertSuccess(pair.leftCq.poll(), 11, WcOpcode.RDMA_WRITE, 20);
        Completion send = pair.rightCq.poll();
        assertSuccess(send, 1, WcOpcode.RECV, 10);
        assertThat(send.immediate()).isEqualTo(0xdeadbeef);
        assertThat(send.flags()).isEqualTo(WcFlags.WITH_IMM);
        Completion write = pair.rightCq.poll();
        assertSuccess(write, 2, WcOpcode.RECV_RDMA_WITH_IMM, 20);
        assertThat(write.immediate()).isEqualTo(0x01020304);
        assertThat(pair.rightMr.get(519)).isEqualTo(pattern(4, 19));
    }

    @Test
    void unsignaledRequestsCompleteSilently() {
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < Pair.DEPTH; i++) {
                pair.leftQp.put(
                        WrOpcode.RDMA_WRITE,
                        round * 100L + i,
                        i == Pair.DEPTH - 1 ? SendFlags.SIGNALED : 0,
                        pair.rightMr.start(),
                        pair.rightMr.rkey(),
                        0,
                        pair.leftMr.start(),
                        8,
                        pair.leftMr.lkey());
            }
            assertThat(pair.leftQp.freeSends()).isZero();
            pair.leftQp.ring();
            assertThat(pair.leftQp.freeSends()).isEqualTo(Pair.DEPTH);
            assertSuccess(pair.leftCq.poll(), round * 100L + Pair.DEPTH - 1, WcOpcode.RDMA_WRITE, 8);
            assertThat(pair.leftCq.poll()).isNull();
        }
    }

    @Test
    void requestsCompleteInOrderWhateverTheyAre() {
        pair.rightMr.fill(1);
        pair.rightQp.receive(1, pair.rightMr, 0, 100);
        pair.leftQp.put(
                WrOpcode.RDMA_READ,
                1,
                SendFlags.SIGNALED,
                pair.rightMr.start(),
                pair.rightMr.rkey(),
                0,
                pair.leftMr.start(),
                8,
                pair.leftMr.lkey());
        // overwrites what the READ reads, at its source and at its target: neither may overtake it
        pair.leftQp.put(
                WrOpcode.RDMA_WRITE,
                2,
                SendFlags.SIGNALED,
                pair.rightMr.start(),
                pair.rightMr.rkey(),
                0,
                pair.leftMr.start() + 100,
                8,
                pair.leftMr.lkey());
        pair.leftQp.put(
                WrOpcode.SEND,
                3,
                SendFlags.SIGNALED | SendFlags.FENCE,
                0,
                0,
                0,
                pair.leftMr.start(),
                8,
                pair.leftMr.lkey());
        pair.leftQp.ring();

        for (int id = 1; id <= 3; id++) {
            assertThat(pair.leftCq.poll().wrId()).isEqualTo(id);
        }
        assertSuccess(pair.rightCq.poll(), 1, WcOpcode.RECV, 8);
        for (int i = 0; i < 8; i++) {
            assertThat(pair.leftMr.get(i)).isEqualTo(pattern(1, i));
            assertThat(pair.rightMr.get(i)).isEqualTo(pattern(1, i));
        }
    }

    @Test
    void moreReadsThanMayBeOutstandingTakeTurns() {
        rebuild(new Pair(p -> p.leftQp.maxReads = 2));
        pair.rightMr.fill(5);
        for (int i = 0; i < Pair.DEPTH; i++) {
            pair.leftQp.put(
                    WrOpcode.RDMA_READ,
                    i,
                    SendFlags.SIGNALED,
                    pair.rightMr.start() + i * 8L,
                    pair.rightMr.rkey(),
                    0,
                    pair.leftMr.start() + i * 8L,
                    8,
                    pair.leftMr.lkey());
        }
        pair.leftQp.ring();
        for (int i = 0; i < Pair.DEPTH; i++) {
            assertSuccess(pair.leftCq.poll(), i, WcOpcode.RDMA_READ, 8);
            assertThat(pair.leftMr.get(i * 8L)).isEqualTo(pattern(5, i * 8L));
        }
    }

    @Test
    void pagesMayLieAnywhere() {
        rebuild(new Pair(DeviceConfiguration.defaults(), true, p -> {}));
        pair.leftMr.fill(3);
        pair.rightMr.fill(9);
        pair.rightQp.receive(5, pair.rightMr, 4000, 9000);
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 1, 19_000);
        pair.leftQp.read(2, pair.leftMr, 10_000, pair.rightMr, 3000, 9000);
        pair.leftQp.send(3, pair.leftMr, 0, 9000);

        assertSuccess(pair.leftCq.poll(), 1, WcOpcode.RDMA_WRITE, 19_000);
        assertSuccess(pair.leftCq.poll(), 2, WcOpcode.RDMA_READ, 9000);
        assertSuccess(pair.leftCq.poll(), 3, WcOpcode.SEND, 9000);
        assertSuccess(pair.rightCq.poll(), 5, WcOpcode.RECV, 9000);
        for (int i = 0; i < 9000; i++) {
            assertThat(pair.leftMr.get(10_000 + i)).isEqualTo(pattern(3, 3000 + i - 1));
            assertThat(pair.rightMr.get(4000 + i)).isEqualTo(pattern(3, i));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    void everyVersionOfTheInterfaceWorks(int version) {
        rebuild(new Pair(DeviceConfiguration.builder().version(version).build(), false, p -> {}));
        pair.leftMr.fill(3);
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 100);
        assertSuccess(pair.leftCq.poll(), 1, WcOpcode.RDMA_WRITE, 100);
        assertThat(pair.leftQp.qpn == pair.leftQp.handle).isEqualTo(version < 20);
    }

    @Test
    void twoQueuePairsOfOneDeviceTalk() {
        MockQueuePair one = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
        MockQueuePair two = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
        one.connect(two);
        two.connect(one);
        pair.leftMr.fill(3);
        one.write(1, pair.leftMr, 0, pair.leftMr, 10_000, 500);
        assertSuccess(pair.leftCq.poll(), 1, WcOpcode.RDMA_WRITE, 500);
        assertThat(pair.leftMr.get(10_499)).isEqualTo(pattern(3, 499));
    }

    @Test
    void aQueuePairTalksToItself() {
        MockQueuePair self = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
        self.connect(self);
        pair.leftMr.fill(3);
        self.receive(9, pair.leftMr, 15_000, 1000);
        self.send(1, pair.leftMr, 0, 1000);
        assertSuccess(pair.leftCq.poll(), 9, WcOpcode.RECV, 1000);
        assertSuccess(pair.leftCq.poll(), 1, WcOpcode.SEND, 1000);
        assertThat(pair.leftMr.get(15_999)).isEqualTo(pattern(3, 999));
    }

    @Test
    void packetSequenceNumbersCountPackets() {
        pair.leftQp.write(1, pair.leftMr, 0, pair.rightMr, 0, 2049); // three packets of 1024
        pair.leftQp.write(2, pair.leftMr, 0, pair.rightMr, 0, 0);
        assertThat(QpAttr.sqPsn(pair.leftQp.query(), 0)).isEqualTo(104);
        assertThat(QpAttr.rqPsn(pair.rightQp.query(), 0)).isEqualTo(104);
        assertThat(QpAttr.rqPsn(pair.leftQp.query(), 0)).isEqualTo(100);
    }

    @Test
    void packetSequenceNumbersWrap() {
        rebuild(new Pair(p -> {
            p.leftQp.sendPsn = 0xff_fffe;
            p.rightQp.receivePsn = 0xff_fffe;
        }));
        for (int i = 0; i < 5; i++) {
            pair.leftQp.write(i, pair.leftMr, 0, pair.rightMr, 0, 8);
            assertSuccess(pair.leftCq.poll(), i, WcOpcode.RDMA_WRITE, 8);
        }
        assertThat(QpAttr.sqPsn(pair.leftQp.query(), 0)).isEqualTo(3);
    }

    @Test
    @Covers.Event(AsyncEventType.COMMUNICATION_ESTABLISHED)
    void theFirstMessageInReadyToReceiveIsAnEvent() {
        MockQueuePair one = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 8, 1);
        MockQueuePair two = pair.right.createQp(pair.rightPd, pair.rightCq, pair.rightCq, 8, 1);
        two.toInit();
        assertThat(two.toReadyToReceive(MockDriver.GID_HIGH, pair.left.gidLow, one.qpn))
                .isZero();
        one.connect(two);
        one.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        one.write(2, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertThat(pair.right.events()).containsExactly(MockDriver.event(EventType.COMM_EST, two.handle));
        assertThat(two.state()).isEqualTo(QpState.RTR);
    }

    @Test
    @Covers.Event(AsyncEventType.SEND_QUEUE_DRAINED)
    void aDrainedSendQueueIsAnEventAndResumes() {
        MockQueuePair qp = pair.leftQp;
        int error = qp.modify(QpAttrMask.STATE | QpAttrMask.EN_SQD_ASYNC_NOTIFY, s -> {
            long attr = ModifyQp.ATTRS_OFFSET;
            QpAttr.qpState(s, attr, QpState.SQD);
            QpAttr.enSqdAsyncNotify(s, attr, 1);
        });
        assertThat(error).isZero();
        assertThat(pair.left.events()).containsExactly(MockDriver.event(EventType.SQ_DRAINED, qp.handle));
        qp.write(1, pair.leftMr, 0, pair.rightMr, 0, 8);
        assertThat(pair.leftCq.poll()).isNull();
        assertThat(qp.toState(QpState.RTS)).isZero();
        assertSuccess(pair.leftCq.poll(), 1, WcOpcode.RDMA_WRITE, 8);
    }

    /** What has begun is finished first, however long that takes; then the guest is told. */
    @Test
    void drainingFinishesWhatHasBegun() {
        MockQueuePair qp = pair.leftQp;
        qp.send(1, pair.leftMr, 0, 8); // there is no receive
        int error = qp.modify(QpAttrMask.STATE | QpAttrMask.EN_SQD_ASYNC_NOTIFY, s -> {
            QpAttr.qpState(s, ModifyQp.ATTRS_OFFSET, QpState.SQD);
            QpAttr.enSqdAsyncNotify(s, ModifyQp.ATTRS_OFFSET, 1);
        });
        assertThat(error).isZero();
        assertThat(pair.left.events()).isEmpty();
        assertThat(QpAttr.sqDraining(qp.query(), 0)).isEqualTo(1);
        assertThat(toAnotherPeer(qp)).as("while requests are under way").isEqualTo(Errno.EINVAL.number());
        qp.write(2, pair.leftMr, 0, pair.rightMr, 0, 8);
        pair.rightQp.receive(5, pair.rightMr, 0, 8);
        pair.advanceNs(1_000_000);
        assertSuccess(pair.leftCq.poll(), 1, WcOpcode.SEND, 8);
        assertThat(pair.leftCq.poll()).as("what was posted since").isNull();
        assertThat(pair.left.events()).containsExactly(MockDriver.event(EventType.SQ_DRAINED, qp.handle));
        assertThat(QpAttr.sqDraining(qp.query(), 0)).isZero();
        assertThat(toAnotherPeer(qp)).as("once drained").isZero();
        assertThat(qp.toState(QpState.RTS)).isZero();
        assertSuccess(pair.leftCq.poll(), 2, WcOpcode.RDMA_WRITE, 8);
    }

    /** Changes the address vector of a queue pair in SQD, to the one it has. */
    private int toAnotherPeer(MockQueuePair qp) {
        return qp.modify(QpAttrMask.AV, s -> {
            long ah = ModifyQp.ATTRS_OFFSET + QpAttr.AH_ATTR_OFFSET;
            AhAttr.ahFlags(s, ah, 1);
            AhAttr.portNum(s, ah, 1);
            GlobalRoute.sgidIndex(s, ah, 0);
            GlobalRoute.dgidHigh(s, ah, MockDriver.GID_HIGH);
            GlobalRoute.dgidLow(s, ah, pair.right.gidLow);
        });
    }

    /** The largest message, 2^31 bytes, of elements whose lengths sum up beyond 31 bits; and one byte more. */
    @Test
    void theLargestMessage() {
        int elements = 16;
        int length = 1 << 27;
        MockQueuePair from = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 1, elements);
        MockQueuePair to = pair.right.createQp(pair.rightPd, pair.rightCq, pair.rightCq, 1, elements);
        from.connect(to);
        to.connect(from);
        try (Arena arena = Arena.ofShared()) {
            MockRegion source = pair.left.register(pair.leftPd, arena.allocate(length + 1L, 4096), 0);
            MockRegion target = pair.right.register(pair.rightPd, arena.allocate(length, 4096), ALL_ACCESS);
            long[] gather = new long[3 * elements];
            long[] scatter = new long[3 * elements];
            for (int i = 0; i < gather.length; i += 3) {
                gather[i] = source.start();
                gather[i + 1] = length;
                gather[i + 2] = source.lkey();
                scatter[i] = target.start();
                scatter[i + 1] = length;
                scatter[i + 2] = target.lkey();
            }
            source.set(length - 1, 0x42);
            to.receive(1, scatter);
            from.post(WrOpcode.SEND, 2, 0, 0, gather);
            assertSuccess(pair.leftCq.poll(), 2, WcOpcode.SEND, 1 << 31);
            assertSuccess(pair.rightCq.poll(), 1, WcOpcode.RECV, 1 << 31);
            assertThat(target.get(length - 1)).isEqualTo((byte) 0x42);
            assertThat(QpAttr.sqPsn(from.query(), 0)).as("packets of 1024").isEqualTo(100 + (1 << 21));
            gather[1]++;
            from.post(WrOpcode.SEND, 3, 0, 0, gather);
            assertThat(pair.leftCq.poll().status()).isEqualTo(WcStatus.LOC_LEN_ERR);
        }
    }

    @Test
    void devicesOfDifferentNetworksDoNotMeet() {
        try (MockDriver stranger = MockDriver.booted(new Fabric(pair.clock), 2)) {
            int pd = stranger.createPd();
            MockCompletionQueue cq = stranger.createCq(8);
            MockQueuePair qp = stranger.createQp(pd, cq, cq, 8, 1);
            qp.timeout = 1;
            qp.retryCount = 0;
            qp.connect(pair.leftQp);
            MockRegion mr = stranger.createMr(pd, 100, 0, 0);
            qp.write(1, mr, 0, pair.leftMr, 0, 8);
            assertThat(cq.poll()).isNull();
            pair.clock.advanceTo(pair.clock.nanoTime() + 8192);
            stranger.device.doWork(pair.clock.nanoTime());
            assertThat(cq.poll().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
        }
    }
}
