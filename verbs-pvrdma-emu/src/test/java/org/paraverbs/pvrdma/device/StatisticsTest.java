// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.device.DeviceStatistics.Commands;
import org.paraverbs.pvrdma.device.DeviceStatistics.Doorbells;
import org.paraverbs.pvrdma.device.DeviceStatistics.Interrupts;

/** What a device counts. */
class StatisticsTest {
    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private DeviceStatistics statistics() {
        return pair.left.device.statistics();
    }

    private void ring(int offset, int value) {
        pair.left.device.writeUar(0, offset, value);
    }

    @Test
    void doorbellsAreCountedByKind() {
        Doorbells before = statistics().doorbells();
        assertThat(before.total()).isZero();
        for (int i = 0; i < 3; i++) {
            pair.leftQp.write(i, pair.leftMr, 0, pair.rightMr, 0, 8);
        }
        pair.leftQp.receive(1, pair.leftMr, 0, 8);
        pair.leftQp.receive(2, pair.leftMr, 0, 8);
        pair.leftCq.arm();
        pair.leftCq.armSolicited();
        pair.leftCq.armSolicited();
        for (int i = 0; i < 5; i++) {
            ring(Doorbell.CQ_OFFSET, Doorbell.CQ_POLL | pair.leftCq.handle);
        }
        ring(Doorbell.QP_OFFSET, pair.leftQp.handle);
        ring(64, -1);
        Doorbells doorbells = statistics().doorbells();
        assertThat(doorbells.sends()).isEqualTo(3);
        assertThat(doorbells.receives()).isEqualTo(2);
        assertThat(doorbells.arms()).isEqualTo(1);
        assertThat(doorbells.solicitedArms()).isEqualTo(2);
        assertThat(doorbells.emptyPolls()).isEqualTo(5);
        assertThat(doorbells.ignored()).isEqualTo(2);
        assertThat(doorbells.total()).isEqualTo(15);
    }

    /** Threads that ring at the same time: none is lost. */
    @Test
    void doorbellsOfManyThreadsAreAllCounted() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        for (int i = 0; i < 20; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    return;
                }
                for (int n = 0; n < 50_000; n++) {
                    ring(Doorbell.CQ_OFFSET, Doorbell.CQ_POLL | pair.leftCq.handle);
                }
            }));
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(statistics().doorbells().emptyPolls()).isEqualTo(1_000_000);
    }

    @Test
    void completionsAndInterruptsAreCounted() {
        for (int i = 0; i < 10; i++) {
            if (i % 5 == 0) {
                pair.leftCq.arm();
            }
            pair.leftQp.write(i, pair.leftMr, 0, pair.rightMr, 0, 8);
        }
        pair.leftQp.write(10, pair.leftMr, 0, pair.rightMr, Pair.REGION, 8);
        DeviceStatistics statistics = statistics();
        assertThat(statistics.completions()).isEqualTo(11);
        assertThat(statistics.failedCompletions()).isEqualTo(1);
        assertThat(statistics.completionNotifications()).isEqualTo(new Interrupts(2, 0, 0));
        assertThat(statistics.completionsPerInterrupt()).isEqualTo(5.5);
        assertThat(pair.right.device.statistics().asynchronousEvents().raised()).isEqualTo(1);
        assertThat(pair.right.device.statistics().events()).isEqualTo(1);
        assertThat(pair.right.device.statistics().completionsPerInterrupt()).isZero();
    }

    @Test
    void commandsAndRefusalsAreCounted() {
        DeviceStatistics before = statistics();
        assertThat(before.commands())
                .containsEntry("CREATE_QP", new Commands(1, 0))
                .containsEntry("MODIFY_QP", new Commands(3, 0))
                .doesNotContainKey("DESTROY_QP");
        assertThat(before.lastRefusal()).isNull();
        assertThat(before.refusals()).isZero();
        long sent =
                before.commands().values().stream().mapToLong(Commands::sent).sum();
        assertThat(before.responses().raised()).as("all but CREATE_BIND").isEqualTo(sent - 1);
        assertThat(pair.leftQp.toState(QpState.INIT)).as("RTS -> INIT").isNotZero();
        pair.left.command(CommandCode.DESTROY_PD, s -> {});
        CommandHeader.cmd(pair.left.commandSlot.segments()[0], 0, 77);
        pair.left.device.writeRegister(Registers.REQUEST, 0);
        pair.left.device.writeRegister(Registers.CTL, 9);
        DeviceStatistics statistics = statistics();
        assertThat(statistics.commands())
                .containsEntry("MODIFY_QP", new Commands(4, 1))
                .containsEntry("DESTROY_PD", new Commands(1, 1))
                .containsEntry("unknown", new Commands(1, 1));
        assertThat(statistics.refusedControls()).isEqualTo(1);
        assertThat(statistics.refusals()).isEqualTo(4);
        assertThat(statistics.lastRefusal()).isEqualTo("CTL: EINVAL: no such control value: 9");
    }

    @Test
    void whatIsInUseIsTold() {
        DeviceStatistics statistics = statistics();
        assertThat(statistics.use("max_qp").used()).isEqualTo(1);
        assertThat(statistics.use("max_cq").used()).isEqualTo(1);
        assertThat(statistics.use("max_cq").max()).isEqualTo(1024);
        assertThat(statistics.use("max_pd").used()).isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> statistics.use("max_qq"))
                .withMessageContaining("max_qp");
        pair.left.device.close();
        assertThat(pair.left.device.statistics().use("max_qp").used()).isZero();
    }
}
