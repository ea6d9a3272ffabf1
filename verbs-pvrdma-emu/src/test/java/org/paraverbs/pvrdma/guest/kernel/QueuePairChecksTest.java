// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/** What the kernel answers to a modification, before the device is asked and instead of it. */
class QueuePairChecksTest {

    private static final int INIT =
            QpAttrMask.STATE | QpAttrMask.PKEY_INDEX | QpAttrMask.PORT | QpAttrMask.ACCESS_FLAGS;
    private static final int RTR = QpAttrMask.STATE
            | QpAttrMask.AV
            | QpAttrMask.PATH_MTU
            | QpAttrMask.DEST_QPN
            | QpAttrMask.RQ_PSN
            | QpAttrMask.MAX_DEST_RD_ATOMIC
            | QpAttrMask.MIN_RNR_TIMER;

    private final DriverFixture fixture = new DriverFixture();
    private final MemorySegment attributes = MemorySegment.ofArray(new byte[QpAttr.SIZE]);
    private int handle;

    @BeforeEach
    void createQueuePair() {
        int context = fixture.openContext();
        int domain = fixture.driver.createProtectionDomain(context);
        handle = fixture.queuePair(domain, fixture.completionQueue(context)).handle();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void theRightStepsAreTakenAndReported() {
        toInit();
        describeRtr(1, 0xffff_c000_0202L, 0);
        fixture.driver.modifyQueuePair(handle, RTR, attributes);

        MemorySegment answer = MemorySegment.ofArray(new byte[QpAttr.SIZE]);
        fixture.driver.queryQueuePair(handle, RTR, answer);
        assertThat(QpAttr.qpState(answer, 0)).isEqualTo(QpState.RTR);
        assertThat(QpAttr.destQpNum(answer, 0)).isEqualTo(0x123456);
    }

    @Test
    void inResetAQueryIsAnsweredWithZeros() {
        attributes.fill((byte) 0x77);
        fixture.driver.queryQueuePair(handle, -1, attributes);

        assertThat(attributes.mismatch(MemorySegment.ofArray(new byte[QpAttr.SIZE])))
                .isEqualTo(-1);
    }

    @Test
    void attributesThatAreNotNamedDoNotCount() {
        attributes.fill((byte) 0xee);
        QpAttr.qpState(attributes, 0, QpState.INIT);
        QpAttr.portNum(attributes, 0, 1);
        QpAttr.pkeyIndex(attributes, 0, 0);
        QpAttr.qpAccessFlags(attributes, 0, 2);
        fixture.driver.modifyQueuePair(handle, INIT, attributes);
    }

    @Test
    void portsAndKeysThatThereAreNot() {
        QpAttr.qpState(attributes, 0, QpState.INIT);
        for (int port : new int[] {0, 2, 255}) {
            QpAttr.portNum(attributes, 0, port);
            assertRefused(INIT, Errno.EINVAL, "no port " + port);
        }
        QpAttr.portNum(attributes, 0, 1);
        QpAttr.pkeyIndex(attributes, 0, 1);
        assertRefused(INIT, Errno.EINVAL, "pkey index 1");
        assertRefused(INIT | 1 << 21, Errno.EOPNOTSUPP, "0x200000");
    }

    @Test
    void routesThatLeadNowhere() {
        toInit();
        describeRtr(9, 0xffff_c000_0202L, 0);
        assertRefused(RTR, Errno.ENODATA, "index 9 is empty");
        describeRtr(200, 0xffff_c000_0202L, 0);
        assertRefused(RTR, Errno.EINVAL, "16 entries");
        describeRtr(1, 0, 0);
        assertRefused(RTR, Errno.EINVAL, "destination GID is empty");
        describeRtr(1, 0x1234, 0xfe80_0000_0000_0000L);
        assertRefused(RTR, Errno.EINVAL, "one is an IPv4 address and the other is not");
        describeRtr(1, 0xffff_c000_0202L, 0);
        AhAttr.ahFlags(attributes, QpAttr.AH_ATTR_OFFSET, 0);
        assertRefused(RTR, Errno.EINVAL, "needs the GID");
        AhAttr.portNum(attributes, QpAttr.AH_ATTR_OFFSET, 7);
        assertRefused(RTR, Errno.EINVAL, "no port 7");
        describeRtr(1, 0xffff_c000_0202L, 0);
        assertRefused(RTR | QpAttrMask.ALT_PATH, Errno.EINVAL, "no alternate paths");
    }

    @Test
    void whatTheDeviceDoesNotTakeIsExplained() {
        toInit();
        describeRtr(1, 0xffff_c000_0202L, 0);
        QpAttr.maxDestRdAtomic(attributes, 0, 17);
        assertRefused(RTR, Errno.EINVAL, "at most 16 READs as their target, not 17");
        assertRefused(RTR, Errno.EINVAL, "; the device says: MODIFY_QP: EINVAL: ");
        QpAttr.maxDestRdAtomic(attributes, 0, 16);
        QpAttr.minRnrTimer(attributes, 0, 32);
        assertRefused(RTR, Errno.EINVAL, "RNR timer");
    }

    @Test
    void stepsThatThereAreNot() {
        QpAttr.qpState(attributes, 0, QpState.RTS);
        assertRefused(QpAttrMask.STATE, Errno.EINVAL, "RESET -> INIT -> RTR -> RTS");
        QpAttr.qpState(attributes, 0, QpState.RESET);
        fixture.driver.modifyQueuePair(handle, QpAttrMask.STATE, attributes);
    }

    @Test
    void theMacAddressOfALinkLocalPeerComesFromItsGid() {
        MemorySegment s = MemorySegment.ofArray(new byte[QpAttr.SIZE]);
        GlobalRoute.dgidHigh(s, QpAttr.AH_ATTR_OFFSET, 0xfe80_0000_0000_0000L);
        GlobalRoute.dgidLow(s, QpAttr.AH_ATTR_OFFSET, 0x0250_56ff_fe0a_0b0cL);
        RouteChecks.fillMacAddress(s, QpAttr.AH_ATTR_OFFSET);
        assertThat(mac(s)).containsExactly(0x00, 0x50, 0x56, 0x0a, 0x0b, 0x0c);

        GlobalRoute.dgidHigh(s, QpAttr.AH_ATTR_OFFSET, 0);
        RouteChecks.fillMacAddress(s, QpAttr.AH_ATTR_OFFSET);
        assertThat(mac(s)).containsOnly(0);
    }

    private static byte[] mac(MemorySegment s) {
        return s.asSlice(QpAttr.AH_ATTR_OFFSET + AhAttr.DMAC_OFFSET, 6).toArray(ValueLayout.JAVA_BYTE);
    }

    private void toInit() {
        QpAttr.qpState(attributes, 0, QpState.INIT);
        QpAttr.portNum(attributes, 0, 1);
        QpAttr.qpAccessFlags(attributes, 0, 2);
        fixture.driver.modifyQueuePair(handle, INIT, attributes);
    }

    private void describeRtr(int gidIndex, long gidLow, long gidHigh) {
        attributes.fill((byte) 0);
        QpAttr.qpState(attributes, 0, QpState.RTR);
        QpAttr.pathMtu(attributes, 0, Mtu.MTU_1024);
        QpAttr.destQpNum(attributes, 0, 0x123456);
        QpAttr.minRnrTimer(attributes, 0, 12);
        long ah = QpAttr.AH_ATTR_OFFSET;
        AhAttr.portNum(attributes, ah, 1);
        AhAttr.ahFlags(attributes, ah, 1);
        GlobalRoute.sgidIndex(attributes, ah, gidIndex);
        GlobalRoute.dgidHigh(attributes, ah, gidHigh);
        GlobalRoute.dgidLow(attributes, ah, gidLow);
    }

    private void assertRefused(int mask, Errno errno, String why) {
        assertThatThrownBy(() -> fixture.driver.modifyQueuePair(handle, mask, attributes))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(errno))
                .hasMessageContaining("ibv_modify_qp(QP 0x")
                .hasMessageContaining(why);
    }
}
