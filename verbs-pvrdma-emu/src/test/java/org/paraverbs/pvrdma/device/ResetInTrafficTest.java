// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.ControlPathFixture.EFAULT;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.WcStatus;

/** A driver that resets the device, and probes it again, while work is under way on both sides. */
@Timeout(120)
class ResetInTrafficTest {
    private static final int QKEY = 5;

    private final Pair pair =
            new Pair(DeviceConfiguration.builder().cqSize(0).build(), false, p -> p.rightQp.timeout = 1);

    @AfterEach
    void close() {
        pair.close();
    }

    private static void reset(MockDriver driver) {
        driver.device.writeRegister(Registers.CTL, DeviceCtl.RESET);
        assertThat(driver.error()).isZero();
    }

    /** As a driver that is loaded again: rings are zeroed, and everything is as after power-on. */
    private static void probe(MockDriver driver) {
        driver.asyncRing.segments()[0].fill((byte) 0);
        driver.completionRing.segments()[0].fill((byte) 0);
        driver.setUpSharedRegion();
        assertThat(driver.activate()).isZero();
        assertThat(driver.bind(0, MockDriver.GID_HIGH, driver.gidLow)).isZero();
    }

    private static int tail(MockCompletionQueue queue) {
        return RingState.prodTail(queue.header(), RingState.RX_OFFSET);
    }

    @Test
    void nothingOfWhatWasUnderWayIsLeft() {
        MockDriver left = pair.left;
        // sends that wait for receives, completions that wait for room, receives of all kinds, a datagram queue pair
        for (int i = 0; i < 3; i++) {
            pair.leftQp.send(i, pair.leftMr, 0, 8);
        }
        pair.leftQp.receive(9, pair.leftMr, 0, 8);
        MockCompletionQueue small = left.createCq(4);
        MockQueuePair self = left.createQp(pair.leftPd, small, small, 16, 1);
        self.connect(self);
        MockSharedReceiveQueue srq = left.createSrq(pair.leftPd, 8, 1);
        srq.receive(1, pair.leftMr, 0, 8);
        MockQueuePair datagrams = left.createQp(QpType.UD, pair.leftPd, small, small, srq, 8, 1);
        datagrams.ready(QKEY, false);
        for (int i = 0; i < 10; i++) {
            self.write(i, pair.leftMr, 0, pair.leftMr, 100, 8);
        }
        assertThat(left.device.statistics().heldBack()).isEqualTo(6);
        // an interrupt that moderation holds back, one that is masked, a notification that waits for room
        left.device.moderate(InterruptVector.CQ, new InterruptModeration(100, 1000));
        pair.leftCq.arm();
        left.device.writeRegister(Registers.IMR, 1 << InterruptVector.ASYNC);
        left.device.takePortDown();
        left.device.takePortUp();
        RingState.publishConsHead(left.completionRing.segments()[0], RingState.RX_OFFSET, 1024);
        small.arm();
        self.write(11, pair.leftMr, 0, pair.leftMr, 100, 8);

        int[] interrupts = left.interrupts.clone();
        int[] tails = {tail(pair.leftCq), tail(small)};
        reset(left);
        assertThat(left.device.statistics().use())
                .allSatisfy(use -> assertThat(use.used()).as(use.limit()).isZero());
        for (int page : new int[] {0, left.userPage()}) {
            for (int handle = 0; handle < 8; handle++) {
                left.device.writeUar(page, Doorbell.QP_OFFSET, Doorbell.QP_SEND | handle);
                left.device.writeUar(page, Doorbell.QP_OFFSET, Doorbell.QP_RECV | handle);
                left.device.writeUar(page, Doorbell.CQ_OFFSET, Doorbell.CQ_ARM | handle);
                left.device.writeUar(page, Doorbell.CQ_OFFSET, Doorbell.CQ_POLL | handle);
            }
        }
        for (int i = 0; i < 20; i++) {
            pair.advanceNs(1L << 32);
        }
        assertThat(left.interrupts).isEqualTo(interrupts);
        assertThat(new int[] {tail(pair.leftCq), tail(small)}).isEqualTo(tails);
        assertThat(left.device.deadlineNs()).isEqualTo(Long.MAX_VALUE);

        probe(left); // which unmasks everything
        pair.advanceNs(1L << 32);
        assertThat(left.interrupts(InterruptVector.ASYNC)).isEqualTo(interrupts[InterruptVector.ASYNC]);
        assertThat(left.interrupts(InterruptVector.CQ)).isEqualTo(interrupts[InterruptVector.CQ]);
        assertThat(left.events()).isEmpty();
        assertThat(left.notified()).isEmpty();
        assertWorks(left);
    }

    /** The key of a region before the reset, and the number of a queue pair, are nobody's afterwards. */
    @Test
    void thePeerFindsNobody() {
        pair.rightQp.write(1, pair.rightMr, 0, pair.leftMr, 0, 8);
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.SUCCESS);
        reset(pair.left);
        probe(pair.left);
        pair.leftMr.set(0, 77);
        pair.rightQp.write(2, pair.rightMr, 0, pair.leftMr, 0, 8);
        for (int i = 0; i < 20; i++) {
            pair.advanceNs(10_000);
        }
        assertThat(pair.rightCq.poll().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
        assertThat(pair.leftMr.get(0)).isEqualTo((byte) 77);
        assertThat(pair.rightQp.state()).isEqualTo(QpState.ERR);
        assertThat(pair.right.events()).doesNotContain(MockDriver.event(EventType.QP_FATAL, pair.rightQp.handle));
        assertWorks(pair.left);
    }

    /** Half an address from before a reset makes no address with another half from after it. */
    @Test
    void halfAnAddressDoesNotOutliveIt() {
        MockDriver left = pair.left;
        reset(left);
        long other = left.memory.pages(1).first();
        MemorySegment region = left.memory.resolve(other, MockMemory.PAGE);
        assertThat(region).isNotNull();
        region.copyFrom(left.sharedRegion.segments()[0]);
        left.device.writeRegister(Registers.DSRLOW, (int) other);
        left.device.writeRegister(Registers.DSRHIGH, (int) (other >>> 32));
        assertThat(left.error()).isZero();
        reset(left);
        left.memory.unmap(left.sharedRegion.first()); // which has the low half 0
        left.device.writeRegister(Registers.DSRHIGH, (int) (other >>> 32));
        assertThat(left.error()).isEqualTo(EFAULT);
        left.device.writeRegister(Registers.DSRLOW, (int) other);
        left.device.writeRegister(Registers.DSRHIGH, (int) (other >>> 32));
        assertThat(left.error()).isZero();
    }

    /** Another thread sends all the time. */
    @Test
    void againAndAgain() {
        MockQueuePair sender = pair.left.createQp(QpType.UD, pair.leftPd, pair.leftCq, pair.leftCq, null, 16, 1);
        sender.ready(QKEY, false);
        MockQueuePair first = pair.right.createQp(QpType.UD, pair.rightPd, pair.rightCq, pair.rightCq, null, 16, 1);
        first.ready(QKEY, false);
        CompletableFuture<Void> traffic = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 5000; i++) {
                if (sender.freeSends() == 0) {
                    pair.advanceNs(1_000_000);
                }
                if (sender.freeSends() > 0) {
                    sender.datagram(i, first, QKEY, pair.leftMr, 0, 64);
                }
                while (pair.leftCq.poll() != null) {}
            }
        });
        for (int i = 0; i < 60; i++) {
            reset(pair.right);
            probe(pair.right);
            int pd = pair.right.createPd();
            MockCompletionQueue queue = pair.right.createCq(16);
            MockQueuePair receiver = pair.right.createQp(QpType.UD, pd, queue, queue, null, 16, 1);
            MockRegion region = pair.right.createMr(pd, 4096, 0, ALL_ACCESS);
            receiver.ready(QKEY, false);
            for (int n = 0; n < 8; n++) {
                receiver.receive(n, region, 0, 200);
            }
        }
        traffic.join();
        assertWorks(pair.right);
        assertWorks(pair.left);
    }

    private static void assertWorks(MockDriver driver) {
        int pd = driver.createPd();
        MockCompletionQueue queue = driver.createCq(16);
        MockRegion region = driver.createMr(pd, 4096, 0, ALL_ACCESS);
        MockQueuePair qp = driver.createQp(pd, queue, queue, 16, 1);
        qp.connect(qp);
        qp.write(42, region, 0, region, 100, 8);
        assertThat(queue.poll().wrId()).isEqualTo(42);
    }
}
