// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.abi.PortState;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QueryPort;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.contract.Covers;

/** A port that goes down and comes up, and a device that is quiesced and goes on. */
class PortTest {
    /** Timeout 10, twice. */
    private static final long ALL_RETRIES_NS = 3 * (4096L << 10);

    private static final int DOWN = MockDriver.event(EventType.PORT_ERR, 1);
    private static final int UP = MockDriver.event(EventType.PORT_ACTIVE, 1);
    private static final int GIDS = MockDriver.event(EventType.GID_CHANGE, 1);

    private final Pair pair = new Pair(p -> {
        p.leftQp.timeout = 10;
        p.leftQp.retryCount = 2;
        p.rightQp.timeout = 10;
        p.rightQp.retryCount = 2;
    });

    @AfterEach
    void close() {
        pair.close();
    }

    private static int state(MockDriver driver, int physical) {
        MemorySegment answer = driver.succeed(CommandCode.QUERY_PORT, s -> QueryPort.portNum(s, 0, 1));
        assertThat(PortAttr.physState(answer, QueryPort.Response.ATTRS_OFFSET)).isEqualTo(physical);
        return PortAttr.state(answer, QueryPort.Response.ATTRS_OFFSET);
    }

    private void writeLeft(long wrId) {
        pair.leftQp.write(wrId, pair.leftMr, 0, pair.rightMr, 0, 100);
    }

    private void writeRight(long wrId) {
        pair.rightQp.write(wrId, pair.rightMr, 0, pair.leftMr, 0, 100);
    }

    private void advanceByTimeouts() {
        for (int i = 0; i < 20; i++) {
            pair.advanceNs(ALL_RETRIES_NS / 10);
        }
    }

    private static void assertCompletion(MockCompletionQueue cq, long wrId, int status) {
        Completion completion = cq.poll();
        assertThat(completion).isNotNull();
        assertThat(completion.wrId()).isEqualTo(wrId);
        assertThat(completion.status()).isEqualTo(status);
    }

    private int unquiesce(MockDriver driver) {
        driver.device.writeRegister(Registers.CTL, DeviceCtl.UNQUIESCE);
        return driver.error();
    }

    // --- the port

    @Test
    @Covers.Event({AsyncEventType.PORT_ERROR, AsyncEventType.PORT_ACTIVE, AsyncEventType.GID_CHANGE})
    @Covers.Command("QUERY_PORT")
    void theGuestIsToldOfAPortThatGoesDownAndComesUp() {
        assertThat(state(pair.left, 5)).isEqualTo(PortState.ACTIVE);
        pair.left.device.takePortDown();
        pair.left.device.takePortDown();
        assertThat(pair.left.events()).containsExactly(DOWN);
        assertThat(state(pair.left, 3)).isEqualTo(PortState.DOWN);
        assertThat(pair.left.device.isPortActive()).isFalse();
        pair.left.device.takePortUp();
        pair.left.device.takePortUp();
        assertThat(pair.left.events()).containsExactly(UP, GIDS);
        assertThat(state(pair.left, 5)).isEqualTo(PortState.ACTIVE);
        assertThat(pair.right.events()).isEmpty();
    }

    @Test
    void nothingGetsOutOfAPortThatIsDown() {
        pair.left.device.takePortDown();
        writeLeft(1);
        assertThat(pair.leftCq.poll()).isNull();
        advanceByTimeouts();
        assertCompletion(pair.leftCq, 1, WcStatus.RETRY_EXC_ERR);
        assertThat(pair.leftQp.state()).isEqualTo(QpState.ERR);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void nothingGetsIntoAPortThatIsDown() {
        pair.left.device.takePortDown();
        writeRight(1);
        assertThat(pair.rightCq.poll()).isNull();
        advanceByTimeouts();
        assertCompletion(pair.rightCq, 1, WcStatus.RETRY_EXC_ERR);
        assertThat(pair.leftQp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aShortOutageIsHealedByRetries() {
        pair.left.device.takePortDown();
        writeLeft(1);
        writeRight(2);
        pair.advanceNs(ALL_RETRIES_NS / 3);
        pair.left.device.takePortUp();
        advanceByTimeouts();
        assertCompletion(pair.leftCq, 1, WcStatus.SUCCESS);
        assertCompletion(pair.rightCq, 2, WcStatus.SUCCESS);
        writeLeft(3);
        assertCompletion(pair.leftCq, 3, WcStatus.SUCCESS);
    }

    /** A SEND that waits for a receive when the port goes down. */
    @Test
    void whatWasUnderWayIsLost() {
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        pair.right.device.takePortDown();
        pair.rightQp.receive(2, pair.rightMr, 0, 8);
        advanceByTimeouts();
        assertCompletion(pair.leftCq, 1, WcStatus.RETRY_EXC_ERR);
    }

    @Test
    void aQueuePairConnectedToItselfIsCutOffToo() {
        MockQueuePair self = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 4, 1);
        self.timeout = 10;
        self.retryCount = 2;
        self.connect(self);
        pair.left.device.takePortDown();
        self.write(1, pair.leftMr, 0, pair.leftMr, 0, 8);
        advanceByTimeouts();
        assertCompletion(pair.leftCq, 1, WcStatus.RETRY_EXC_ERR);
    }

    /** As after hot-adding a device on some hosts: the port is down until something brings it up. */
    @Test
    void aPortMayBeDownFromTheStart() {
        try (MockDriver driver = new MockDriver(pair.fabric, 9)) {
            driver.device.takePortDown();
            driver.setUpSharedRegion();
            assertThat(driver.activate()).isZero();
            assertThat(state(driver, 3)).isEqualTo(PortState.DOWN);
            assertThat(driver.events()).isEmpty();
            driver.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
            assertThat(driver.device.isPortActive())
                    .as("the cable is still out")
                    .isFalse();
        }
    }

    // --- quiescing

    @Test
    @Covers.Register("CTL")
    @Covers.Event({AsyncEventType.PORT_ERROR, AsyncEventType.PORT_ACTIVE})
    void aQuiescedDeviceHoldsItsWorkUntilItGoesOn() {
        pair.left.device.quiesce();
        pair.left.device.quiesce();
        assertThat(pair.left.events()).containsExactly(DOWN);
        assertThat(state(pair.left, 3)).isEqualTo(PortState.DOWN);
        pair.leftMr.fill(3);
        writeLeft(1);
        writeLeft(2);
        advanceByTimeouts();
        assertThat(pair.leftCq.poll()).as("its timers stand still").isNull();
        assertThat(pair.leftQp.state()).isEqualTo(QpState.RTS);
        assertThat(unquiesce(pair.left)).isZero();
        assertThat(pair.left.events()).containsExactly(UP);
        assertCompletion(pair.leftCq, 1, WcStatus.SUCCESS);
        assertCompletion(pair.leftCq, 2, WcStatus.SUCCESS);
        assertThat(pair.rightMr.get(99)).isEqualTo(MockRegion.pattern(3, 99));
    }

    @Test
    void peersOfAQuiescedDeviceRunIntoTheirTimeouts() {
        pair.left.device.quiesce();
        pair.leftMr.fill(1);
        pair.rightMr.fill(2);
        writeRight(1);
        advanceByTimeouts();
        assertCompletion(pair.rightCq, 1, WcStatus.RETRY_EXC_ERR);
        assertThat(pair.leftMr.get(50)).as("memory is not touched").isEqualTo(MockRegion.pattern(1, 50));
    }

    @Test
    void peersWaitOutAShortStandstill() {
        pair.left.device.quiesce();
        writeRight(1);
        pair.advanceNs(ALL_RETRIES_NS / 3);
        assertThat(unquiesce(pair.left)).isZero();
        advanceByTimeouts();
        assertCompletion(pair.rightCq, 1, WcStatus.SUCCESS);
    }

    /** What waits for an RNR timer when the device is quiesced is offered again when it goes on. */
    @Test
    void timersGoOnAfterwards() {
        pair.leftQp.send(1, pair.leftMr, 0, 8);
        pair.left.device.quiesce();
        pair.rightQp.receive(2, pair.rightMr, 0, 8);
        pair.advanceNs(1_000_000_000);
        assertThat(pair.leftCq.poll()).isNull();
        assertThat(unquiesce(pair.left)).isZero();
        advanceByTimeouts();
        assertCompletion(pair.leftCq, 1, WcStatus.SUCCESS);
        assertCompletion(pair.rightCq, 2, WcStatus.SUCCESS);
    }

    @Test
    void aQuiescedDeviceExecutesCommands() {
        pair.left.device.quiesce();
        pair.left.createCq(4);
        assertThat(pair.leftQp.toState(QpState.ERR)).isZero();
        assertThat(pair.leftQp.destroy()).isZero();
        assertThat(unquiesce(pair.left)).isZero();
    }

    /** Linux unquiesces whenever the adapter comes up, and raises PORT_ACTIVE itself: nothing to add. */
    @Test
    void aDeviceThatIsNotQuiescedHasNothingToGoOnWith() {
        assertThat(unquiesce(pair.left)).isZero();
        assertThat(pair.left.events()).isEmpty();
        writeLeft(1);
        assertCompletion(pair.leftCq, 1, WcStatus.SUCCESS);
    }

    @Test
    void aQuiescedDeviceWithoutALinkStaysDown() {
        pair.left.device.quiesce();
        pair.left.device.takePortDown();
        assertThat(unquiesce(pair.left)).isZero();
        assertThat(pair.left.device.isPortActive()).isFalse();
        pair.left.device.takePortUp();
        assertThat(pair.left.events()).containsExactly(DOWN, DOWN, UP, GIDS);
        writeLeft(1);
        assertCompletion(pair.leftCq, 1, WcStatus.SUCCESS);
    }

    @Test
    void aResetEndsQuiescing() {
        pair.left.device.quiesce();
        pair.left.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        assertThat(pair.left.device.isPortActive()).isTrue();
    }
}
