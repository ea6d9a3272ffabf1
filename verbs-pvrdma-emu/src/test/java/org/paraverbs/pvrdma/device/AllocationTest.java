// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.WrOpcode;

/** The data path allocates nothing: not one byte in tens of thousands of operations. */
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int OPERATIONS = 50_000;

    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private interface Operation {
        void run(int i);
    }

    private static void assertAllocatesNothing(Operation operation) {
        long allocated = Long.MAX_VALUE;
        // the first turns compile, and compiled code is thrown away a few times before it settles
        for (int turn = 0; turn < 10 && allocated > OPERATIONS / 100; turn++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < OPERATIONS; i++) {
                operation.run(i);
            }
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(allocated / OPERATIONS).as("bytes per operation").isZero();
        assertThat(allocated).as("bytes in %d operations", OPERATIONS).isLessThan(OPERATIONS / 100);
    }

    private void complete(MockCompletionQueue cq) {
        assert cq.waiting() == 1 : cq.waiting();
        cq.skip();
    }

    @Test
    void writes() {
        MockQueuePair qp = pair.leftQp;
        long remote = pair.rightMr.start();
        long local = pair.leftMr.start();
        assertAllocatesNothing(i -> {
            qp.putWrite(i, remote, pair.rightMr.rkey(), local, 8 + (i & 0xfff), pair.leftMr.lkey(), SendFlags.SIGNALED);
            qp.ring();
            complete(pair.leftCq);
        });
    }

    @Test
    void everythingElse() {
        MockQueuePair qp = pair.leftQp;
        int[] opcodes = {WrOpcode.RDMA_READ, WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE_WITH_IMM};
        long[] element = {pair.leftMr.start(), 100, pair.leftMr.lkey()};
        long[] receive = {pair.rightMr.start(), 100, pair.rightMr.lkey()};
        assertAllocatesNothing(i -> {
            int opcode = opcodes[i & 3];
            if (opcode != WrOpcode.RDMA_READ) {
                pair.rightQp.receive(i, receive);
            }
            pair.leftCq.arm();
            qp.put(opcode, i, SendFlags.SIGNALED, pair.rightMr.start() + 1000, pair.rightMr.rkey(), 7, element);
            qp.ring();
            complete(pair.leftCq);
            if (opcode != WrOpcode.RDMA_READ) {
                complete(pair.rightCq);
            }
            if ((i & 0xff) == 0) {
                pair.left.skipNotifications();
            }
        });
    }

    @Test
    void atomics() {
        long aligned = (pair.rightMr.start() + 7) & -8;
        assertAllocatesNothing(i -> {
            pair.leftQp.putAtomic(
                    WrOpcode.ATOMIC_CMP_AND_SWP + (i & 1),
                    i,
                    aligned,
                    pair.rightMr.rkey(),
                    i,
                    i + 1,
                    pair.leftMr.start(),
                    8,
                    pair.leftMr.lkey());
            pair.leftQp.ring();
            complete(pair.leftCq);
        });
    }

    @Test
    void sharedReceives() {
        MockSharedReceiveQueue srq = pair.right.createSrq(pair.rightPd, 16, 1);
        MockQueuePair to = pair.right.createQp(QpType.RC, pair.rightPd, pair.rightCq, pair.rightCq, srq, 16, 1);
        MockQueuePair from = pair.left.createQp(pair.leftPd, pair.leftCq, pair.leftCq, 16, 1);
        from.connect(to);
        to.connect(from);
        long[] element = {pair.leftMr.start(), 100, pair.leftMr.lkey()};
        long[] receive = {pair.rightMr.start(), 100, pair.rightMr.lkey()};
        assertAllocatesNothing(i -> {
            srq.receive(i, receive);
            from.put(WrOpcode.SEND, i, SendFlags.SIGNALED, 0, 0, 0, element).ring();
            complete(pair.leftCq);
            complete(pair.rightCq);
        });
    }

    @Test
    void datagrams() {
        MockQueuePair from = pair.left.createQp(QpType.UD, pair.leftPd, pair.leftCq, pair.leftCq, null, 16, 1);
        MockQueuePair to = pair.right.createQp(QpType.UD, pair.rightPd, pair.rightCq, pair.rightCq, null, 16, 1);
        from.ready(5, false);
        to.ready(5, false);
        long[] element = {pair.leftMr.start(), 100, pair.leftMr.lkey()};
        long[] receive = {pair.rightMr.start(), 200, pair.rightMr.lkey()};
        assertAllocatesNothing(i -> {
            if ((i & 3) != 0) {
                to.receive(i, receive);
            }
            from.putDatagram(WrOpcode.SEND, i, SendFlags.SIGNALED, 0, pair.right.gidLow, to.qpn, 5, element)
                    .ring();
            complete(pair.leftCq);
            if ((i & 3) != 0) {
                complete(pair.rightCq);
            }
        });
    }

    @Test
    void waitingForAReceive() {
        long[] element = {pair.leftMr.start(), 100, pair.leftMr.lkey()};
        long[] receive = {pair.rightMr.start(), 100, pair.rightMr.lkey()};
        assertAllocatesNothing(i -> {
            pair.leftQp.put(WrOpcode.SEND, i, SendFlags.SIGNALED, 0, 0, 0, element);
            pair.leftQp.ring();
            pair.rightQp.receive(i, receive);
            pair.advanceNs(640_000);
            complete(pair.leftCq);
            complete(pair.rightCq);
        });
    }

    @Test
    void moderatedInterrupts() {
        pair.left.device.moderate(InterruptVector.CQ, new InterruptModeration(4, 100_000));
        assertAllocatesNothing(i -> {
            pair.leftCq.arm();
            pair.leftQp.putWrite(
                    i,
                    pair.rightMr.start(),
                    pair.rightMr.rkey(),
                    pair.leftMr.start(),
                    8,
                    pair.leftMr.lkey(),
                    SendFlags.SIGNALED);
            pair.leftQp.ring();
            pair.advanceNs(i & 0xffff);
            complete(pair.leftCq);
            pair.left.skipNotifications();
        });
        assertThat(pair.left.device.statistics().completionNotifications().suppressed())
                .isPositive();
    }

    @Test
    void completionsThatAreHeldBack() {
        try (Pair growing = new Pair(DeviceConfiguration.builder().cqSize(0).build(), false, p -> {})) {
            MockCompletionQueue small = growing.left.createCq(4);
            MockQueuePair qp = growing.left.createQp(growing.leftPd, small, small, 16, 1);
            qp.connect(qp);
            assertAllocatesNothing(i -> {
                qp.putWrite(i, 0, 0, growing.leftMr.start(), 0, growing.leftMr.lkey(), SendFlags.SIGNALED);
                qp.ring();
                if ((i & 15) == 15) {
                    for (int turn = 0; turn < 4; turn++) {
                        while (small.waiting() != 0) {
                            small.skip();
                        }
                        growing.left.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_POLL | small.handle);
                    }
                }
            });
            assertThat(growing.left.device.statistics().heldBack()).isPositive();
        }
    }
}
