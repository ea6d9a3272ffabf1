// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.pvrdma.link.Fabric;

/** Several threads on the same devices: nothing is lost, nothing hangs, memory that was given back is not touched. */
@Timeout(120)
class ThreadsTest {
    /** Large enough that a copy is caught in the middle. */
    private static final int SIZE = 256 * 1024;

    private final Fabric fabric = new Fabric();
    private final MockDriver left = MockDriver.booted(fabric, 1);
    private final MockDriver right = MockDriver.booted(fabric, 2);
    private final int leftPd = left.createPd();
    private final int rightPd = right.createPd();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        left.close();
        right.close();
    }

    private record End(MockQueuePair qp, MockCompletionQueue cq, MockRegion mr) {}

    private End end(MockDriver driver, int pd) {
        MockCompletionQueue cq = driver.createCq(64);
        return new End(driver.createQp(pd, cq, cq, 16, 1), cq, driver.createMr(pd, 4096, 0, ALL_ACCESS));
    }

    private void run(List<Callable<?>> tasks) throws Exception {
        List<Future<?>> futures = new ArrayList<>();
        for (Callable<?> task : tasks) {
            futures.add(threads.submit(task));
        }
        for (Future<?> future : futures) {
            future.get();
        }
    }

    private static Completion await(MockCompletionQueue cq) {
        Completion completion = cq.poll();
        while (completion == null) {
            Thread.onSpinWait();
            completion = cq.poll();
        }
        return completion;
    }

    /** Each thread posts and polls on its own queue pairs; the devices are shared. */
    @Test
    void manyPairsOfThreadsShareTwoDevices() throws Exception {
        List<Callable<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            End here = end(left, leftPd);
            End there = end(right, rightPd);
            here.qp.connect(there.qp);
            there.qp.connect(here.qp);
            tasks.add(() -> writeMany(here, there.mr));
            tasks.add(() -> writeMany(there, here.mr));
        }
        run(tasks);
        assertThat(left.events()).isEmpty();
        assertThat(right.events()).isEmpty();
    }

    private static Void writeMany(End from, MockRegion to) {
        for (int i = 0; i < 20_000; i++) {
            from.qp.write(i, from.mr, 0, to, 64, 8 + i % 100);
            Completion completion = await(from.cq);
            assertThat(completion.wrId()).isEqualTo(i);
            assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
        }
        return null;
    }

    /** A WRITE whose last byte is polled for, as latency tests do: the bytes before it are there. */
    @Test
    void theLastByteOfAWriteComesLast() throws Exception {
        End here = end(left, leftPd);
        End there = end(right, rightPd);
        here.qp.connect(there.qp);
        there.qp.connect(here.qp);
        int length = 100;
        int generations = 20_000;
        MemorySegment target = there.mr.pages().segments()[0];
        VarHandle bytes = ValueLayout.JAVA_BYTE.varHandle();
        AtomicInteger seen = new AtomicInteger();
        Future<?> reader = threads.submit(() -> {
            for (int generation = 1; generation <= generations; generation++) {
                byte expected = (byte) generation;
                while ((byte) bytes.getAcquire(target, (long) length - 1) != expected) {
                    Thread.onSpinWait();
                }
                for (int i = 0; i < length - 1; i++) {
                    assertThat(target.get(ValueLayout.JAVA_BYTE, i))
                            .as("byte %d", i)
                            .isEqualTo(expected);
                }
                seen.set(generation);
            }
        });
        for (int generation = 1; generation <= generations; generation++) {
            for (int i = 0; i < length; i++) {
                here.mr.set(i, generation);
            }
            here.qp.write(generation, here.mr, 0, there.mr, 0, length);
            assertThat(await(here.cq).status()).isEqualTo(WcStatus.SUCCESS);
            while (seen.get() != generation && !reader.isDone()) {
                Thread.onSpinWait();
            }
        }
        reader.get();
    }

    /** Arm, poll again, sleep: no wake-up is missed, whoever runs the device. */
    @Test
    void noNotificationIsMissed() throws Exception {
        sendToASleeper(20_000, i -> {});
    }

    /** The same while interrupts are moderated this way and that. */
    @Test
    void noNotificationIsMissedWithModeration() throws Exception {
        sendToASleeper(4_000, i -> {
            if (i % 100 == 0) {
                right.device.moderate(
                        InterruptVector.CQ,
                        i % 700 == 0 ? InterruptModeration.OFF : new InterruptModeration(2 + i % 3, 30_000));
            }
        });
        assertThat(right.device.statistics().completionNotifications().suppressed())
                .isPositive();
    }

    private void sendToASleeper(int messages, IntConsumer beforeEach) throws Exception {
        End here = end(left, leftPd);
        End there = end(right, rightPd);
        here.qp.connect(there.qp);
        there.qp.connect(here.qp);
        CountDownLatch done = new CountDownLatch(messages);
        for (int i = 0; i < 8; i++) {
            there.qp.receive(i, there.mr, 0, 64);
        }
        Future<?> sleeper = threads.submit(() -> {
            int received = 0;
            while (received < messages) {
                int interrupts = right.interrupts(InterruptVector.CQ);
                there.cq.arm();
                int found = 0;
                while (there.cq.poll() != null) {
                    found++;
                    there.qp.receive(received + found, there.mr, 0, 64);
                }
                received += found;
                for (int i = 0; i < found; i++) {
                    done.countDown();
                }
                if (found == 0) {
                    while (right.interrupts(InterruptVector.CQ) == interrupts) {
                        Thread.onSpinWait(); // sleeps until the interrupt: a missed one hangs here
                    }
                }
            }
        });
        for (int i = 0; i < messages; i++) {
            beforeEach.accept(i);
            here.qp.send(i, here.mr, 0, 8);
            assertThat(await(here.cq).status()).isEqualTo(WcStatus.SUCCESS);
            right.notified();
        }
        sleeper.get();
        assertThat(done.getCount()).isZero();
    }

    /** A consumer that is slower than the queue is long: it tells of room by finding the queue empty, and gets everything. */
    @Test
    void aQueueThatGrowsGivesEverythingInOrder() throws Exception {
        DeviceConfiguration growing = DeviceConfiguration.builder().cqSize(0).build();
        try (MockDriver driver = MockDriver.booted(fabric, 3, growing)) {
            int pd = driver.createPd();
            MockCompletionQueue cq = driver.createCq(4);
            MockQueuePair qp = driver.createQp(pd, cq, cq, 16, 1);
            MockRegion mr = driver.createMr(pd, 64, 0, ALL_ACCESS);
            qp.connect(qp);
            int writes = 50_000;
            Future<?> consumer = threads.submit(() -> {
                for (int i = 0; i < writes; i++) {
                    Completion completion = cq.poll();
                    while (completion == null) {
                        driver.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_POLL | cq.handle);
                        completion = cq.poll();
                    }
                    assertThat(completion.wrId()).isEqualTo(i);
                }
            });
            for (int i = 0; i < writes; i++) {
                while (qp.freeSends() == 0) {
                    Thread.onSpinWait();
                }
                qp.write(i, mr, 0, mr, 0, 8);
            }
            consumer.get();
            assertThat(driver.events()).isEmpty();
        }
    }

    /** A region is deregistered and its memory is used for something else while peers write to it. */
    @Test
    void memoryIsNotTouchedAfterItsRegionWasDestroyed() throws Exception {
        End here = end(left, leftPd);
        MockRegion source = left.register(leftPd, left.arena.allocate(SIZE, 8), ALL_ACCESS);
        for (int round = 0; round < 100; round++) {
            End there = end(right, rightPd);
            here.qp.connect(there.qp);
            there.qp.connect(here.qp);
            MemorySegment memory = right.arena.allocate(SIZE, 8);
            MockRegion target = right.register(rightPd, memory, ALL_ACCESS);
            CountDownLatch started = new CountDownLatch(1);
            Future<?> writer = threads.submit(() -> {
                while (true) {
                    here.qp.write(1, source, 0, target, 0, SIZE);
                    started.countDown();
                    if (await(here.cq).status() != WcStatus.SUCCESS) {
                        return;
                    }
                }
            });
            started.await();
            assertThat(right.destroyMr(target.handle())).isZero();
            memory.fill((byte) 99); // ours again
            writer.get();
            assertHolds(memory, (byte) 99);
            assertThat(there.qp.destroy()).isZero();
            assertThat(here.qp.toState(0)).isZero();
            while (here.cq.poll() != null) {}
        }
    }

    private static void assertHolds(MemorySegment memory, byte expected) {
        for (long i = 0; i < memory.byteSize(); i += 1024) {
            assertThat(memory.get(ValueLayout.JAVA_BYTE, i)).as("byte %d", i).isEqualTo(expected);
        }
    }

    /** A region is deregistered, and its memory gets other content, while the peer's owner copies from it. */
    @Test
    void memoryIsNotReadAfterItsRegionWasDestroyed() throws Exception {
        End there = end(right, rightPd);
        MemorySegment copy = right.arena.allocate(SIZE, 8);
        MockRegion target = right.register(rightPd, copy, ALL_ACCESS);
        for (int round = 0; round < 100; round++) {
            End here = end(left, leftPd);
            here.qp.connect(there.qp);
            there.qp.connect(here.qp);
            MemorySegment memory = left.arena.allocate(SIZE, 8).fill((byte) 1);
            copy.fill((byte) 1);
            MockRegion source = left.register(leftPd, memory, ALL_ACCESS);
            CountDownLatch started = new CountDownLatch(1);
            Future<?> writer = threads.submit(() -> {
                while (true) {
                    here.qp.write(1, source, 0, target, 0, SIZE);
                    started.countDown();
                    if (await(here.cq).status() != WcStatus.SUCCESS) {
                        return;
                    }
                }
            });
            started.await();
            assertThat(left.destroyMr(source.handle())).isZero();
            memory.fill((byte) 99);
            writer.get();
            assertHolds(copy, (byte) 1);
            assertThat(here.qp.destroy()).isZero();
            assertThat(there.qp.toState(0)).isZero();
        }
    }

    /** The requester's memory belongs to the program again when its queue pair is destroyed. */
    @Test
    void memoryIsNotReadAfterItsQueuePairWasDestroyed() throws Exception {
        End there = end(right, rightPd);
        for (int round = 0; round < 300; round++) {
            End here = end(left, leftPd);
            here.qp.connect(there.qp);
            there.qp.connect(here.qp);
            there.mr.fill(0);
            int size = 4096;
            for (int i = 0; i < size; i++) {
                here.mr.set(i, 1);
                there.mr.set(i, 1);
            }
            Future<?> writer = threads.submit(() -> {
                for (int i = 0; i < 16; i++) {
                    here.qp.put(0, i, 0, there.mr.start(), there.mr.rkey(), 0, here.mr.start(), size, here.mr.lkey());
                }
                here.qp.ring();
            });
            assertThat(here.qp.destroy()).isZero();
            for (int i = 0; i < size; i++) {
                here.mr.set(i, 2);
            }
            writer.get();
            for (int i = 0; i < size; i += 64) {
                assertThat(there.mr.get(i)).as("byte %d", i).isEqualTo((byte) 1);
            }
            assertThat(there.qp.toState(0)).isZero();
        }
    }

    /** Everything at once: traffic, doorbells of all kinds, and queue pairs that come and go on both devices. */
    @Test
    void queuePairsComeAndGoUnderTraffic() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        End steady = end(left, leftPd);
        End partner = end(right, rightPd);
        steady.qp.connect(partner.qp);
        partner.qp.connect(steady.qp);
        List<Callable<?>> tasks = new ArrayList<>();
        tasks.add(() -> {
            writeMany(steady, partner.mr);
            stop.set(true);
            return null;
        });
        tasks.add(() -> {
            for (int i = 0; !stop.get(); i++) {
                right.device.writeUar(0, i % 3 * 4, i * 0x9e3779b9);
                left.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_ARM | i % 8);
                left.device.doWork(fabric.clock().nanoTime());
            }
            return null;
        });
        for (MockDriver driver : new MockDriver[] {left, right}) {
            tasks.add(() -> {
                int pd = driver == left ? leftPd : rightPd;
                MockCompletionQueue cq = driver.createCq(64);
                MockRegion mr = driver.createMr(pd, 4096, 0, ALL_ACCESS);
                for (int i = 0; i < 1000; i++) {
                    MockQueuePair qp = driver.createQp(pd, cq, cq, 16, 1);
                    qp.connect(qp);
                    qp.write(1, mr, 0, mr, 0, 8);
                    qp.send(2, mr, 0, 8);
                    assertThat(qp.destroy()).isZero();
                    while (cq.poll() != null) {}
                }
                return null;
            });
        }
        run(tasks);
    }

    /** Arenas are closed while both devices copy to and from them. */
    @Test
    @SuppressWarnings("MustBeClosedChecker") // closed at a moment of its own
    void arenasCloseUnderTraffic() throws Exception {
        End here = end(left, leftPd);
        for (int round = 0; round < 100; round++) {
            End there = end(right, rightPd);
            here.qp.connect(there.qp);
            there.qp.connect(here.qp);
            Arena arena = Arena.ofShared();
            MockRegion target = right.register(rightPd, arena.allocate(1 << 20, 8), ALL_ACCESS);
            MockRegion source = left.register(leftPd, arena.allocate(1 << 20, 8), ALL_ACCESS);
            CountDownLatch started = new CountDownLatch(1);
            Future<Integer> writer = threads.submit(() -> {
                for (int i = 0; ; i++) {
                    here.qp.write(i, source, 0, target, 0, 1 << 20);
                    started.countDown();
                    int status = await(here.cq).status();
                    if (status != WcStatus.SUCCESS) {
                        return status;
                    }
                }
            });
            started.await();
            arena.close();
            assertThat(writer.get()).isIn(WcStatus.LOC_PROT_ERR, WcStatus.REM_ACCESS_ERR);
            assertThat(here.qp.toState(0)).isZero();
            assertThat(there.qp.destroy()).isZero();
            assertThat(left.destroyMr(source.handle())).isZero();
            while (here.cq.poll() != null) {}
        }
    }
}
