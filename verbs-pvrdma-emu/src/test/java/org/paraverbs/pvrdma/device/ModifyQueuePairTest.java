// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpCap;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QueryQp;
import org.paraverbs.verbs.contract.Covers;

/** MODIFY_QP, QUERY_QP. */
class ModifyQueuePairTest extends ControlPathFixture {
    @Test
    @Covers.Command("MODIFY_QP")
    void stepsOutOfOrderAreRefusedInTheResponse() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 4, 1);
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        assertThat(qp.toReadyToReceive(0, driver.gidLow, 5)).isEqualTo(EINVAL);
        assertThat(qp.toState(QpState.SQD)).isEqualTo(EINVAL);
        assertThat(qp.toState(99)).isEqualTo(EINVAL);
        assertThat(qp.toState(-1)).isEqualTo(EINVAL);
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        assertThat(qp.toInit()).isZero();
        assertThat(qp.toInit()).as("INIT -> INIT").isZero();
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        assertThat(qp.modify(MockQueuePair.TO_INIT & ~QpAttrMask.PORT, s -> {})).isEqualTo(EINVAL);
        assertThat(qp.toReadyToReceive(0, driver.gidLow, 5)).isZero();
        assertThat(qp.toReadyToReceive(0, driver.gidLow, 5)).isEqualTo(EINVAL);
        assertThat(qp.toReadyToSend()).isZero();
        assertThat(qp.modify(QpAttrMask.STATE | QpAttrMask.CUR_STATE, s -> {
                    QpAttr.qpState(s, ModifyQp.ATTRS_OFFSET, QpState.RTS);
                    QpAttr.curQpState(s, ModifyQp.ATTRS_OFFSET, QpState.SQD);
                }))
                .isEqualTo(EINVAL);
        assertThat(qp.toState(QpState.ERR)).isZero();
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        assertThat(qp.toState(QpState.RESET)).isZero();
        assertThat(qp.modify(1 << 25 | QpAttrMask.STATE, s -> {})).isEqualTo(EOPNOTSUPP);
    }

    @Test
    @Covers.Command("MODIFY_QP")
    @Covers.Limit("DeviceLimits.maxReads")
    void attributesOutOfRangeAreRefusedAndChangeNothing() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 4, 1);
        long attr = ModifyQp.ATTRS_OFFSET;
        long ah = attr + QpAttr.AH_ATTR_OFFSET;
        assertThat(qp.toInit()).isZero();
        List<Consumer<MemorySegment>> bad = List.of(
                s -> QpAttr.pathMtu(s, attr, 0),
                s -> QpAttr.pathMtu(s, attr, 6),
                s -> QpAttr.pathMtu(s, attr, Mtu.MTU_2048), // the port has 1024
                s -> QpAttr.destQpNum(s, attr, 0x100_0000),
                s -> QpAttr.maxDestRdAtomic(s, attr, 17),
                s -> QpAttr.minRnrTimer(s, attr, 32),
                s -> AhAttr.ahFlags(s, ah, 0),
                s -> AhAttr.portNum(s, ah, 2),
                s -> GlobalRoute.dgidHigh(s, ah, 0xfe80_0000_0000_0000L), // from an IPv4 address
                s -> {
                    GlobalRoute.dgidHigh(s, ah, 0);
                    GlobalRoute.dgidLow(s, ah, 0);
                });
        for (int i = 0; i < bad.size(); i++) {
            Consumer<MemorySegment> change = bad.get(i);
            assertThat(readyToReceive(driver, qp, change))
                    .as("bad attribute %d", i)
                    .isEqualTo(EINVAL);
            assertThat(qp.state()).isEqualTo(QpState.INIT);
        }
        for (int index : new int[] {1, 15, 16, 255}) {
            assertThat(readyToReceive(driver, qp, s -> GlobalRoute.sgidIndex(s, ah, index)))
                    .isEqualTo(ENODATA);
        }
        assertThat(readyToReceive(driver, qp, s -> {})).isZero();
        qp.timeout = 32;
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        qp.timeout = 31;
        qp.retryCount = 8;
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        qp.retryCount = 7;
        qp.rnrRetry = 8;
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        qp.rnrRetry = 7;
        qp.maxReads = 17;
        assertThat(qp.toReadyToSend()).isEqualTo(EINVAL);
        qp.maxReads = 16;
        assertThat(qp.toReadyToSend()).isZero();
    }

    private static int readyToReceive(MockDriver driver, MockQueuePair qp, Consumer<MemorySegment> change) {
        return qp.modify(MockQueuePair.TO_RTR, s -> {
            long attr = ModifyQp.ATTRS_OFFSET;
            long ah = attr + QpAttr.AH_ATTR_OFFSET;
            QpAttr.qpState(s, attr, QpState.RTR);
            QpAttr.pathMtu(s, attr, Mtu.MTU_256);
            QpAttr.destQpNum(s, attr, 5);
            QpAttr.maxDestRdAtomic(s, attr, 1);
            QpAttr.minRnrTimer(s, attr, 0);
            AhAttr.ahFlags(s, ah, 1);
            AhAttr.portNum(s, ah, 1);
            GlobalRoute.sgidIndex(s, ah, 0);
            GlobalRoute.dgidHigh(s, ah, MockDriver.GID_HIGH);
            GlobalRoute.dgidLow(s, ah, driver.gidLow);
            change.accept(s);
        });
    }

    @Test
    @Covers.Command("QUERY_QP")
    void queryGivesWhatWasSet() {
        MockDriver driver = booted();
        int pd = driver.createPd();
        MockCompletionQueue cq = driver.createCq(64);
        MockQueuePair qp = driver.createQp(pd, cq, cq, 8, 2);
        qp.sendPsn = 0x77123456; // only 24 bits count
        qp.receivePsn = 0x654321;
        qp.connect(qp);
        MemorySegment attr = qp.query();
        assertThat(QpAttr.qpState(attr, 0)).isEqualTo(QpState.RTS);
        assertThat(QpAttr.pathMtu(attr, 0)).isEqualTo(Mtu.MTU_1024);
        assertThat(QpAttr.sqPsn(attr, 0)).isEqualTo(0x123456);
        assertThat(QpAttr.rqPsn(attr, 0)).isEqualTo(0x654321);
        assertThat(QpAttr.destQpNum(attr, 0)).isEqualTo(qp.qpn);
        assertThat(QpAttr.qpAccessFlags(attr, 0)).isEqualTo(ALL_ACCESS);
        assertThat(QpAttr.timeout(attr, 0)).isEqualTo(14);
        assertThat(QpAttr.retryCnt(attr, 0)).isEqualTo(7);
        assertThat(QpAttr.rnrRetry(attr, 0)).isEqualTo(7);
        assertThat(QpAttr.minRnrTimer(attr, 0)).isEqualTo(12);
        assertThat(QpAttr.maxRdAtomic(attr, 0)).isEqualTo(16);
        assertThat(QpAttr.maxDestRdAtomic(attr, 0)).isEqualTo(16);
        assertThat(QpCap.maxSendWr(attr, QpAttr.CAP_OFFSET)).isEqualTo(8);
        assertThat(QpCap.maxRecvSge(attr, QpAttr.CAP_OFFSET)).isEqualTo(2);
        assertThat(GlobalRoute.dgidLow(attr, QpAttr.AH_ATTR_OFFSET)).isEqualTo(driver.gidLow);
        assertThat(driver.command(CommandCode.QUERY_QP, s -> QueryQp.qpHandle(s, 0, 200)))
                .isEqualTo(EINVAL);
    }
}
