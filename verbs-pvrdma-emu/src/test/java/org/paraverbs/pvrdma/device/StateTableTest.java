// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.abi.QpAttrMask.ACCESS_FLAGS;
import static org.paraverbs.pvrdma.abi.QpAttrMask.AV;
import static org.paraverbs.pvrdma.abi.QpAttrMask.CUR_STATE;
import static org.paraverbs.pvrdma.abi.QpAttrMask.DEST_QPN;
import static org.paraverbs.pvrdma.abi.QpAttrMask.EN_SQD_ASYNC_NOTIFY;
import static org.paraverbs.pvrdma.abi.QpAttrMask.MAX_DEST_RD_ATOMIC;
import static org.paraverbs.pvrdma.abi.QpAttrMask.MAX_QP_RD_ATOMIC;
import static org.paraverbs.pvrdma.abi.QpAttrMask.MIN_RNR_TIMER;
import static org.paraverbs.pvrdma.abi.QpAttrMask.PATH_MTU;
import static org.paraverbs.pvrdma.abi.QpAttrMask.PKEY_INDEX;
import static org.paraverbs.pvrdma.abi.QpAttrMask.PORT;
import static org.paraverbs.pvrdma.abi.QpAttrMask.QKEY;
import static org.paraverbs.pvrdma.abi.QpAttrMask.RETRY_CNT;
import static org.paraverbs.pvrdma.abi.QpAttrMask.RNR_RETRY;
import static org.paraverbs.pvrdma.abi.QpAttrMask.RQ_PSN;
import static org.paraverbs.pvrdma.abi.QpAttrMask.SQ_PSN;
import static org.paraverbs.pvrdma.abi.QpAttrMask.STATE;
import static org.paraverbs.pvrdma.abi.QpAttrMask.TIMEOUT;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.ModifyQp;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.WrOpcode;

/**
 * Every step from every state, for each type of queue pair, with what it needs, without, and with what it does not take. What is
 * right is written down here again, from table 91 of IBTA volume 1, so that a slip in the table that the device uses shows.
 */
class StateTableTest extends ControlPathFixture {
    private static final int STATES = 7;
    private static final int ALL = (DEST_QPN << 1) - 1;

    /** What a step needs, by {@code from << 4 | to}. */
    private static final Map<Integer, Integer> CONNECTED = Map.of(
            step(QpState.RESET, QpState.INIT), PKEY_INDEX | PORT | ACCESS_FLAGS,
            step(QpState.INIT, QpState.INIT), 0,
            step(QpState.INIT, QpState.RTR), AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER,
            step(QpState.RTR, QpState.RTS), TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC,
            step(QpState.RTS, QpState.RTS), 0,
            step(QpState.RTS, QpState.SQD), 0,
            step(QpState.SQD, QpState.RTS), 0,
            step(QpState.SQD, QpState.SQD), 0);

    private static final Map<Integer, Integer> DATAGRAM = Map.of(
            step(QpState.RESET, QpState.INIT), PKEY_INDEX | PORT | QKEY,
            step(QpState.INIT, QpState.INIT), 0,
            step(QpState.INIT, QpState.RTR), 0,
            step(QpState.RTR, QpState.RTS), SQ_PSN,
            step(QpState.RTS, QpState.RTS), 0,
            step(QpState.RTS, QpState.SQD), 0,
            step(QpState.SQD, QpState.RTS), 0,
            step(QpState.SQD, QpState.SQD), 0,
            step(QpState.SQE, QpState.RTS), 0);

    /** What no step of a type takes. */
    private static final int NEVER_CONNECTED = QKEY;

    private static final int NEVER_DATAGRAM = ACCESS_FLAGS
            | AV
            | PATH_MTU
            | TIMEOUT
            | RETRY_CNT
            | RNR_RETRY
            | RQ_PSN
            | MAX_QP_RD_ATOMIC
            | MIN_RNR_TIMER
            | MAX_DEST_RD_ATOMIC
            | DEST_QPN;

    private MockDriver driver;
    private int pd;
    private MockCompletionQueue cq;

    private static int step(int from, int to) {
        return from << 4 | to;
    }

    /** Attributes that are right for any step. */
    private void fill(MemorySegment s, int to) {
        long attr = ModifyQp.ATTRS_OFFSET;
        QpAttr.qpState(s, attr, to);
        QpAttr.pathMtu(s, attr, Mtu.MTU_1024);
        QpAttr.destQpNum(s, attr, 5);
        QpAttr.pkeyIndex(s, attr, 0);
        QpAttr.portNum(s, attr, 1);
        QpAttr.qpAccessFlags(s, attr, MockQueuePair.ALL_ACCESS);
        QpAttr.timeout(s, attr, 14);
        QpAttr.retryCnt(s, attr, 7);
        QpAttr.rnrRetry(s, attr, 7);
        QpAttr.maxRdAtomic(s, attr, 1);
        QpAttr.maxDestRdAtomic(s, attr, 1);
        QpAttr.minRnrTimer(s, attr, 1);
        long ah = attr + QpAttr.AH_ATTR_OFFSET;
        AhAttr.ahFlags(s, ah, 1);
        AhAttr.portNum(s, ah, 1);
        GlobalRoute.sgidIndex(s, ah, 0);
        GlobalRoute.dgidHigh(s, ah, MockDriver.GID_HIGH);
        GlobalRoute.dgidLow(s, ah, driver.gidLow);
    }

    private int take(MockQueuePair qp, int to, int mask) {
        return qp.modify(mask | STATE, s -> fill(s, to));
    }

    /** A queue pair in a state, or null if its type has none. */
    private MockQueuePair in(int state, int type, Map<Integer, Integer> steps) {
        MockQueuePair qp = driver.createQp(type, pd, cq, cq, null, 4, 1);
        int[] way = switch (state) {
            case QpState.RESET -> new int[] {};
            case QpState.INIT -> new int[] {QpState.INIT};
            case QpState.RTR -> new int[] {QpState.INIT, QpState.RTR};
            case QpState.RTS, QpState.SQE -> new int[] {QpState.INIT, QpState.RTR, QpState.RTS};
            case QpState.SQD -> new int[] {QpState.INIT, QpState.RTR, QpState.RTS, QpState.SQD};
            default -> new int[] {QpState.INIT, QpState.ERR};
        };
        int from = QpState.RESET;
        for (int to : way) {
            assertThat(take(qp, to, needed(type, steps, from, to))).isZero();
            from = to;
        }
        if (state == QpState.SQE) {
            if (type == QpType.RC) {
                assertThat(qp.destroy()).isZero();
                return null;
            }
            qp.put(WrOpcode.RDMA_READ, 1, 0, 0, 0, 0).ring();
            cq.skip();
        }
        assertThat(qp.state()).isEqualTo(state);
        return qp;
    }

    private static int needed(int type, Map<Integer, Integer> steps, int from, int to) {
        int needed = steps.getOrDefault(step(from, to), 0);
        return type == QpType.GSI ? needed & ~PORT : needed;
    }

    @ParameterizedTest
    @ValueSource(ints = {QpType.RC, QpType.UD, QpType.GSI})
    void everyStepFromEveryState(int type) {
        driver = booted();
        pd = driver.createPd();
        cq = driver.createCq(64);
        Map<Integer, Integer> steps = type == QpType.RC ? CONNECTED : DATAGRAM;
        int never = type == QpType.RC ? NEVER_CONNECTED : NEVER_DATAGRAM;
        for (int from = 0; from < STATES; from++) {
            for (int to = 0; to < STATES; to++) {
                MockQueuePair qp = in(from, type, steps);
                if (qp == null) {
                    continue;
                }
                String name = from + " -> " + to;
                if (to == QpState.RESET || to == QpState.ERR) {
                    boolean possible = to == QpState.RESET || from != QpState.RESET;
                    assertThat(take(qp, to, PKEY_INDEX))
                            .as("%s with an attribute", name)
                            .isEqualTo(EINVAL);
                    assertThat(take(qp, to, 0)).as(name).isEqualTo(possible ? 0 : EINVAL);
                    assertThat(qp.state()).isEqualTo(possible ? to : from);
                } else if (!steps.containsKey(step(from, to))) {
                    assertThat(take(qp, to, 0)).as(name).isEqualTo(EINVAL);
                    assertThat(qp.state()).isEqualTo(from);
                } else {
                    checkStep(qp, from, to, needed(type, steps, from, to), never, name);
                }
                assertThat(qp.destroy()).isZero();
            }
        }
    }

    private void checkStep(MockQueuePair qp, int from, int to, int needed, int never, String name) {
        for (int bit = 1; bit < ALL; bit <<= 1) {
            if ((bit & needed) != 0) {
                assertThat(take(qp, to, needed & ~bit))
                        .as("%s without %x", name, bit)
                        .isEqualTo(EINVAL);
            }
            if ((bit & never) != 0) {
                assertThat(take(qp, to, needed | bit))
                        .as("%s with %x", name, bit)
                        .isEqualTo(EINVAL);
            }
        }
        assertThat(take(qp, to, needed | 1 << 21))
                .as("%s with what is no attribute", name)
                .isEqualTo(EOPNOTSUPP);
        int wrongState = (from + 1) % STATES;
        assertThat(qp.modify(needed | STATE | CUR_STATE, s -> {
                    fill(s, to);
                    QpAttr.curQpState(s, ModifyQp.ATTRS_OFFSET, wrongState);
                }))
                .as("%s from another state", name)
                .isEqualTo(EINVAL);
        assertThat(qp.state()).as("%s refused changes nothing", name).isEqualTo(from);
        int notify = from == QpState.RTS && to == QpState.SQD ? EN_SQD_ASYNC_NOTIFY : 0;
        assertThat(take(qp, to, needed | notify)).as(name).isZero();
        assertThat(qp.state()).isEqualTo(to);
    }
}
