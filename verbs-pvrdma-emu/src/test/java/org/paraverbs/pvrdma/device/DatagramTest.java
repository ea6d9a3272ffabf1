// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.FLOW_LABEL;
import static org.paraverbs.pvrdma.device.MockQueuePair.HOP_LIMIT;
import static org.paraverbs.pvrdma.device.MockQueuePair.SL;
import static org.paraverbs.pvrdma.device.MockQueuePair.TRAFFIC_CLASS;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.AddressVector;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.Grh;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.NetworkType;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.QueryPort;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcFlags;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;

/** Queue pairs of type UD: every datagram on its own, without an answer. */
class DatagramTest extends DatagramFixture {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 256, MTU})
    void aDatagramArrivesBehindItsHeader(int length) {
        pair.leftMr.fill(7);
        receiver.receive(5, pair.rightMr, 100, Grh.SIZE + length);
        send(1, length);
        assertSent(1, length);
        assertReceived(5, length);
        assertThat(pair.rightCq.serviceLevel).isEqualTo(SL);
        for (int i = 0; i < length; i++) {
            assertThat(pair.rightMr.get(100 + Grh.SIZE + i)).isEqualTo(MockRegion.pattern(7, i));
        }
        assertThat(pair.rightMr.get(100 + Grh.SIZE + length))
                .as("nothing beyond")
                .isZero();
    }

    /** Nobody tells the sender: there are no acknowledgements. */
    @Test
    void aPortThatIsDownLosesDatagrams() {
        receiver.receive(5, pair.rightMr, 0, 100);
        pair.right.device.takePortDown();
        send(1, 8);
        assertSent(1, 8);
        assertThat(pair.rightCq.poll()).isNull();
        pair.right.device.takePortUp();
        pair.left.device.takePortDown();
        send(2, 8);
        assertSent(2, 8);
        assertThat(pair.rightCq.poll()).isNull();
        pair.left.device.takePortUp();
        send(3, 8);
        assertSent(3, 8);
        assertReceived(5, 8);
    }

    @Test
    void aQuiescedDeviceSendsItsDatagramsWhenItGoesOn() {
        receiver.receive(5, pair.rightMr, 0, 100);
        pair.left.device.quiesce();
        send(1, 8);
        assertThat(pair.leftCq.poll()).isNull();
        assertThat(pair.rightCq.poll()).isNull();
        pair.left.device.writeRegister(Registers.CTL, DeviceCtl.UNQUIESCE);
        assertSent(1, 8);
        assertReceived(5, 8);
    }

    @Test
    void anImmediateComesWithTheCompletion() {
        receiver.receive(5, pair.rightMr, 0, 100);
        sender.putDatagram(
                        WrOpcode.SEND_WITH_IMM,
                        1,
                        SendFlags.SIGNALED,
                        0x0102_0304,
                        pair.right.gidLow,
                        receiver.qpn,
                        QKEY)
                .ring();
        assertSent(1, 0);
        assertThat(pair.rightCq.poll())
                .extracting(Completion::immediate, Completion::flags, Completion::byteLength)
                .containsExactly(0x0102_0304, WcFlags.GRH | WcFlags.WITH_IMM, Grh.SIZE);
    }

    @Test
    void elementsAreGatheredAndScattered() {
        pair.leftMr.fill(3);
        long left = pair.leftMr.start();
        long right = pair.rightMr.start();
        receiver.receive(5, right, 30, pair.rightMr.lkey(), right + 1000, 200, pair.rightMr.lkey());
        sender.putDatagram(
                        WrOpcode.SEND,
                        1,
                        SendFlags.SIGNALED,
                        0,
                        pair.right.gidLow,
                        receiver.qpn,
                        QKEY,
                        left,
                        10,
                        pair.leftMr.lkey(),
                        left + 500,
                        20,
                        pair.leftMr.lkey())
                .ring();
        assertReceived(5, 30);
        assertThat(pair.rightMr.get(1000 + 10)).as("after 10 bytes of header").isEqualTo(MockRegion.pattern(3, 0));
        assertThat(pair.rightMr.get(1000 + 10 + 9)).isEqualTo(MockRegion.pattern(3, 9));
        assertThat(pair.rightMr.get(1000 + 10 + 29)).isEqualTo(MockRegion.pattern(3, 519));
    }

    @Test
    void aSharedReceiveQueueServesDatagrams() {
        MockSharedReceiveQueue srq = pair.right.createSrq(pair.rightPd, 4, 1);
        MockQueuePair shared = pair.right.createQp(QpType.UD, pair.rightPd, pair.rightCq, pair.rightCq, srq, 4, 1);
        shared.ready(QKEY, false);
        srq.receive(9, pair.rightMr, 0, 100);
        sender.datagram(1, shared, QKEY, pair.leftMr, 0, 8);
        assertThat(pair.rightCq.poll())
                .extracting(Completion::wrId, Completion::qp, Completion::byteLength)
                .containsExactly(9L, shared.handle, 48);
        sender.datagram(2, shared, QKEY, pair.leftMr, 0, 8);
        assertThat(pair.rightCq.poll()).as("no receive is left").isNull();
    }

    @Test
    void datagramsWithinOneDeviceAndToOneself() {
        MockQueuePair other = pair.left.createQp(QpType.UD, pair.leftPd, pair.leftCq, pair.leftCq, null, 4, 1);
        other.ready(QKEY, false);
        other.receive(7, pair.leftMr, 5000, 100);
        sender.datagram(1, other, QKEY, pair.leftMr, 0, 8);
        assertSent(1, 8);
        assertThat(pair.leftCq.poll())
                .extracting(Completion::wrId, Completion::qp)
                .containsExactly(7L, other.handle);
        sender.receive(8, pair.leftMr, 5000, 100);
        sender.datagram(2, sender, QKEY, pair.leftMr, 0, 8);
        assertSent(2, 8);
        assertThat(pair.leftCq.poll().wrId()).isEqualTo(8);
    }

    @Test
    void moreDatagramsThanTheDeviceHasRoomFor() {
        MockQueuePair deep = pair.left.createQp(QpType.UD, pair.leftPd, pair.leftCq, pair.leftCq, null, 1024, 1);
        deep.ready(QKEY, false);
        int count = 1000;
        for (int i = 0; i < count; i++) {
            deep.putDatagram(WrOpcode.SEND, i, 0, 0, pair.right.gidLow, receiver.qpn, QKEY);
        }
        for (int i = 0; i < DEPTH; i++) {
            receiver.receive(i, pair.rightMr, 0, 100);
        }
        deep.ring();
        for (int i = 0; i < 100 && deep.freeSends() < 1024; i++) {
            pair.advanceNs(50_000);
        }
        assertThat(deep.freeSends()).as("none is held back for ever").isEqualTo(1024);
        assertThat(pair.rightCq.waiting()).isEqualTo(DEPTH);
    }

    // --- the header

    @Test
    void betweenIpv4AddressesTheHeaderIsIpv4() {
        receiver.receive(5, pair.rightMr, 0, 100);
        send(1, 5);
        assertReceived(5, 5);
        assertThat(pair.rightCq.networkType).isEqualTo(NetworkType.IPV4);
        byte[] header = received(0, Grh.SIZE);
        for (int i = 0; i < 20; i++) {
            assertThat(header[i]).as("byte %d", i).isZero();
        }
        ByteBuffer ip = ByteBuffer.wrap(header, 20, 20).slice();
        assertThat(ip.get(0)).isEqualTo((byte) 0x45);
        assertThat(ip.get(1)).isEqualTo((byte) TRAFFIC_CLASS);
        assertThat(ip.getShort(2))
                .as("total length: headers, 5 bytes padded to 8, CRC")
                .isEqualTo((short) (20 + 8 + 12 + 8 + 8 + 4));
        assertThat(ip.getShort(6)).as("do not fragment").isEqualTo((short) 0x4000);
        assertThat(ip.get(8)).isEqualTo((byte) HOP_LIMIT);
        assertThat(ip.get(9)).as("UDP").isEqualTo((byte) 17);
        assertThat(ip.getInt(12)).isEqualTo((int) pair.left.gidLow);
        assertThat(ip.getInt(16)).isEqualTo((int) pair.right.gidLow);
        int sum = 0;
        for (int i = 0; i < 20; i += 2) {
            sum += Short.toUnsignedInt(ip.getShort(i));
        }
        assertThat((sum & 0xffff) + (sum >>> 16)).as("checksum").isEqualTo(0xffff);
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 20})
    void betweenOtherAddressesTheHeaderIsThatOfARoute(int version) {
        use(DeviceConfiguration.builder().version(version).build());
        boolean v1 = version == 17;
        long high = 0xfe80_0000_0000_0000L;
        assertThat(pair.left.bind(1, high, 0x11)).isZero();
        assertThat(pair.right.bind(1, high, 0x22)).isZero();
        receiver.receive(5, pair.rightMr, 0, 100);
        change(s -> {
            AddressVector.gidIndex(s, SqWqe.UD_AV_OFFSET, 1);
            AddressVector.dgidHigh(s, SqWqe.UD_AV_OFFSET, high);
            AddressVector.dgidLow(s, SqWqe.UD_AV_OFFSET, 0x22);
        });
        assertReceived(5, 8);
        assertThat(pair.rightCq.networkType).isEqualTo(v1 ? NetworkType.ROCE_V1 : NetworkType.IPV6);
        MemorySegment header = MemorySegment.ofArray(received(0, Grh.SIZE));
        assertThat(Grh.versionTclassFlow(header, 0)).isEqualTo(6 << 28 | TRAFFIC_CLASS << 20 | FLOW_LABEL);
        assertThat(Grh.paylen(header, 0)).isEqualTo(12 + 8 + 8 + 4 + (v1 ? 0 : 8));
        assertThat(Grh.nextHdr(header, 0)).isEqualTo(v1 ? 0x1b : 17);
        assertThat(Grh.hopLimit(header, 0)).isEqualTo(HOP_LIMIT);
        assertThat(Grh.sgidHigh(header, 0)).isEqualTo(high);
        assertThat(Grh.sgidLow(header, 0)).isEqualTo(0x11);
        assertThat(Grh.dgidHigh(header, 0)).isEqualTo(high);
        assertThat(Grh.dgidLow(header, 0)).isEqualTo(0x22);
    }

    // --- what gets lost

    @Test
    void withoutAReceiveItIsDropped() {
        send(1, 8);
        assertSent(1, 8);
        assertDropped();
        receiver.receive(5, pair.rightMr, 0, 100);
        pair.advanceNs(1_000_000_000);
        assertThat(pair.rightCq.poll()).as("it does not come later").isNull();
    }

    @Test
    void anotherQkeyIsDroppedAndCounted() {
        receiver.receive(5, pair.rightMr, 0, 100);
        sender.datagram(1, receiver, QKEY + 1, pair.leftMr, 0, 8);
        assertSent(1, 8);
        assertDropped();
        MemorySegment port = pair.right.succeed(CommandCode.QUERY_PORT, s -> QueryPort.portNum(s, 0, 1));
        assertThat(PortAttr.qkeyViolCntr(port, QueryPort.Response.ATTRS_OFFSET)).isEqualTo(1);
    }

    @Test
    void aQkeyWithTheHighBitStandsForTheQueuePairs() {
        receiver.receive(5, pair.rightMr, 0, 100);
        sender.datagram(1, receiver, 0x8000_0000, pair.leftMr, 0, 8);
        assertReceived(5, 8);
    }

    @Test
    void anUnknownAddressOrQueuePairIsSentAndLost() {
        receiver.receive(5, pair.rightMr, 0, 100);
        change(s -> AddressVector.dgidLow(s, SqWqe.UD_AV_OFFSET, 0x7777));
        assertSent(1, 8);
        for (int qpn : new int[] {receiver.qpn ^ 0x10000, 0, 1, 0xff_ffff, pair.rightQp.qpn}) {
            change(s -> SqWqe.udRemoteQpn(s, 0, qpn));
            assertSent(1, 8);
        }
        change(s -> AddressVector.dgidHigh(s, SqWqe.UD_AV_OFFSET, 0xff02_0000_0000_0000L));
        assertSent(1, 8);
        assertDropped();
    }

    @Test
    void onlyStatesThatReceiveReceive() {
        MockQueuePair other = pair.right.createQp(QpType.UD, pair.rightPd, pair.rightCq, pair.rightCq, null, 4, 1);
        other.receive(1, pair.rightMr, 0, 100);
        sender.datagram(1, other, 0, pair.leftMr, 0, 8);
        assertThat(other.modify(MockQueuePair.TO_DATAGRAM_INIT, s -> {
                    QpAttr.qpState(s, ModifyQp.ATTRS_OFFSET, QpState.INIT);
                    QpAttr.pkeyIndex(s, ModifyQp.ATTRS_OFFSET, 0);
                    QpAttr.portNum(s, ModifyQp.ATTRS_OFFSET, 1);
                    QpAttr.qkey(s, ModifyQp.ATTRS_OFFSET, QKEY);
                }))
                .isZero();
        sender.datagram(2, other, QKEY, pair.leftMr, 0, 8);
        assertThat(pair.rightCq.poll()).isNull();
        assertThat(other.toState(QpState.RTR)).isZero();
        sender.datagram(3, other, QKEY, pair.leftMr, 0, 8);
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(pair.right.events())
                .as("there is no connection to be established")
                .isEmpty();
    }

    @Test
    void aPortThatTakesLess() {
        use(DeviceConfiguration.builder().activeMtu(Mtu.MTU_4096).build());
        try (MockDriver small = MockDriver.booted(
                pair.fabric,
                3,
                DeviceConfiguration.builder().activeMtu(Mtu.MTU_256).build())) {
            int pd = small.createUserPd();
            MockCompletionQueue cq = small.createCq(8);
            MockRegion mr = small.createMr(pd, 5000, 0, MockQueuePair.ALL_ACCESS);
            MockQueuePair qp = small.createQp(QpType.UD, pd, cq, cq, null, 4, 1);
            qp.ready(QKEY, false);
            qp.receive(1, mr, 0, 5000);
            sender.datagram(1, qp, QKEY, pair.leftMr, 0, 257);
            assertSent(1, 257);
            assertThat(cq.poll()).isNull();
            sender.datagram(2, qp, QKEY, pair.leftMr, 0, 256);
            assertThat(cq.poll().byteLength()).isEqualTo(296);
        }
    }

    // --- states

    @Test
    void aDrainedSendQueueIsAnEvent() {
        assertThat(sender.modify(QpAttrMask.STATE | QpAttrMask.EN_SQD_ASYNC_NOTIFY, s -> {
                    QpAttr.qpState(s, ModifyQp.ATTRS_OFFSET, QpState.SQD);
                    QpAttr.enSqdAsyncNotify(s, ModifyQp.ATTRS_OFFSET, 1);
                }))
                .isZero();
        assertThat(pair.left.events()).containsExactly(MockDriver.event(EventType.SQ_DRAINED, sender.handle));
        receiver.receive(5, pair.rightMr, 0, 100);
        send(1, 8);
        assertThat(pair.leftCq.poll()).as("it waits").isNull();
        assertThat(sender.toState(QpState.RTS)).isZero();
        assertSent(1, 8);
        assertReceived(5, 8);
    }

    @Test
    void aChangedQkeyCounts() {
        assertThat(receiver.modify(QpAttrMask.QKEY, s -> QpAttr.qkey(s, ModifyQp.ATTRS_OFFSET, 5)))
                .isZero();
        assertThat(QpAttr.qkey(receiver.query(), 0)).isEqualTo(5);
        receiver.receive(5, pair.rightMr, 0, 100);
        send(1, 8);
        sender.datagram(2, receiver, 5, pair.leftMr, 0, 8);
        assertSent(1, 8);
        assertSent(2, 8);
        assertReceived(5, 8);
        assertThat(pair.rightCq.poll()).isNull();
    }

    @Test
    void packetSequenceNumbersCountDatagrams() {
        send(1, 8);
        send(2, MTU);
        assertThat(QpAttr.sqPsn(sender.query(), 0)).isEqualTo(102);
    }
}
