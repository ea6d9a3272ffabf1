// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.pvrdma.abi.DestroyCq;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.pvrdma.link.VirtualClock;

/**
 * Each page of the user access region rings for what its context has, and page 0 for what the kernel has: a program's handles are its
 * own, but numbers that another program can guess.
 */
class ForeignDoorbellTest {
    private static final int OTHERS_PAGE = 3;

    private final MockDriver driver = MockDriver.booted(new Fabric(new VirtualClock()), 1);
    private final MockCompletionQueue cq = driver.createCq(16);
    private final int pd = driver.createUserPd();
    private final MockRegion mr = driver.createMr(pd, 4096, 0, ALL_ACCESS);
    private MockQueuePair qp;

    @BeforeEach
    void connect() {
        qp = driver.createQp(pd, cq, cq, 8, 1);
        qp.connect(qp);
        assertThat(driver.createContext(OTHERS_PAGE)).isZero();
    }

    @AfterEach
    void close() {
        driver.close();
    }

    private void ringSend(int page) {
        driver.device.writeUar(page, Doorbell.QP_OFFSET, Doorbell.QP_SEND | qp.handle);
    }

    private DeviceStatistics.Doorbells doorbells() {
        return driver.device.statistics().doorbells();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, OTHERS_PAGE, OTHERS_PAGE + 1, 511 + 512, -1, Integer.MIN_VALUE})
    void aSendQueueIsRungByItsContextAlone(int page) {
        qp.put(WrOpcode.RDMA_WRITE, 1, SendFlags.SIGNALED, mr.start(), mr.rkey(), 0, mr.start(), 8, mr.lkey());
        ringSend(page);
        assertThat(cq.poll()).as("rung by page %d", page).isNull();
        assertThat(doorbells().sends()).isZero();
        assertThat(doorbells().ignored()).isEqualTo(1);
        ringSend(driver.userPage());
        assertThat(cq.poll().wrId()).isEqualTo(1);
        assertThat(doorbells().sends()).isEqualTo(1);
    }

    @Test
    void aReceiveQueueIsRungByItsContextAlone() {
        assertThat(qp.toState(QpState.ERR)).isZero();
        qp.receive(7, mr, 0, 8);
        assertThat(cq.poll().wrId()).as("flushed at the doorbell").isEqualTo(7);
        for (int page : new int[] {0, OTHERS_PAGE}) {
            driver.device.writeUar(page, Doorbell.QP_OFFSET, Doorbell.QP_RECV | qp.handle);
        }
        assertThat(doorbells().receives()).isEqualTo(1);
        assertThat(doorbells().ignored()).isEqualTo(2);
    }

    /** A program that armed another's queue would make the other's thread wake up for nothing. */
    @Test
    void aCompletionQueueIsArmedByItsContextAlone() {
        int context = CreateUc.Response.ctxHandle(driver.response(), 0);
        MockMemory.Pages ring = driver.memory.pages(2);
        int handle = CreateCq.Response.cqHandle(
                driver.succeed(CommandCode.CREATE_CQ, s -> {
                    CreateCq.pdirDma(s, 0, driver.memory.directory(ring.addresses()));
                    CreateCq.cqe(s, 0, 16);
                    CreateCq.nchunks(s, 0, 2);
                    CreateCq.ctxHandle(s, 0, context);
                }),
                0);
        MockCompletionQueue others = new MockCompletionQueue(driver, handle, 16, ring);
        MockQueuePair on = driver.createQp(pd, others, others, 8, 1);
        on.connect(on);
        for (int bits : new int[] {Doorbell.CQ_ARM, Doorbell.CQ_ARM_SOL, Doorbell.CQ_POLL}) {
            driver.device.writeUar(0, Doorbell.CQ_OFFSET, bits | handle);
            driver.device.writeUar(driver.userPage(), Doorbell.CQ_OFFSET, bits | handle);
        }
        assertThat(doorbells().ignored()).isEqualTo(6);
        on.write(1, mr, 0, mr, 100, 8);
        assertThat(driver.interrupts(InterruptVector.CQ)).isZero();
        driver.device.writeUar(OTHERS_PAGE, Doorbell.CQ_OFFSET, Doorbell.CQ_ARM | handle);
        on.write(2, mr, 0, mr, 100, 8);
        assertThat(driver.interrupts(InterruptVector.CQ)).isEqualTo(1);
        assertThat(driver.notified()).containsExactly(handle);
    }

    @Test
    void aSharedReceiveQueueIsRungByItsContextAlone() {
        MockSharedReceiveQueue srq = driver.createSrq(pd, 8, 1);
        srq.receive(1, mr, 0, 8);
        driver.device.writeUar(0, Doorbell.SRQ_OFFSET, Doorbell.SRQ_RECV | srq.handle);
        assertThat(doorbells().sharedReceives()).isEqualTo(1);
        assertThat(doorbells().ignored()).isEqualTo(1);
    }

    @Test
    void whatIsDestroyedIsRungByNobody() {
        MockCompletionQueue dead = driver.createCq(4);
        assertThat(driver.command(CommandCode.DESTROY_CQ, s -> DestroyCq.cqHandle(s, 0, dead.handle)))
                .isZero();
        dead.arm();
        assertThat(qp.destroy()).isZero();
        ringSend(driver.userPage());
        qp.receive(1, mr, 0, 8);
        assertThat(doorbells().ignored()).isEqualTo(3);
        assertThat(cq.poll()).isNull();
    }
}
