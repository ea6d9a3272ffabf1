// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.paraverbs.pvrdma.device.MockQueuePair.ALL_ACCESS;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CommandHeader;
import org.paraverbs.pvrdma.abi.DestroyBind;
import org.paraverbs.pvrdma.abi.DeviceCtl;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.Registers;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.MockCompletionQueue.Completion;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.pvrdma.link.VirtualClock;

/**
 * Two guests that do right and wrong things at random. Whatever they do, every step comes to an end, nobody writes where
 * no region is, and a queue pair made afterwards works. The seed is the test's argument.
 */
@Timeout(120)
class HostileStepsTest {
    private static final int STEPS = 800;
    private static final int CANARY = 0x5a;
    private static final int QKEY = 0x42;

    private static final Set<Integer> STATUSES_SEEN = new TreeSet<>();
    private static int runs;

    private static final class Guest {
        final MockDriver driver;
        final int pd;
        MockCompletionQueue cq;
        final MockRegion mr;
        final MemorySegment canary;
        final MockSharedReceiveQueue srq;
        final List<MockQueuePair> qps = new ArrayList<>();

        Guest(Fabric fabric, int host) {
            driver = MockDriver.booted(fabric, host);
            pd = driver.createUserPd();
            cq = driver.createCq(64);
            // the canary lies on both sides of the region, in the same pages
            MemorySegment pages = driver.arena.allocate(3L * MockMemory.PAGE, MockMemory.PAGE);
            pages.fill((byte) CANARY);
            mr = driver.register(pd, pages.asSlice(1000, 8000), ALL_ACCESS);
            canary = pages;
            srq = driver.createSrq(pd, 16, 2);
        }

        void assertCanaryLives() {
            for (long i = 0; i < canary.byteSize(); i++) {
                if (i < 1000 || i >= 9000) {
                    assertThat(canary.get(ValueLayout.JAVA_BYTE, i))
                            .as("byte %d", i)
                            .isEqualTo((byte) CANARY);
                }
            }
        }
    }

    private final VirtualClock clock = new VirtualClock();
    private final Fabric fabric = new Fabric(clock);
    private final Guest[] guests = {new Guest(fabric, 1), new Guest(fabric, 2)};

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void nothingBreaksTheDevice(long seed) {
        Random random = new Random(seed);
        try {
            for (int i = 0; i < STEPS; i++) {
                step(random, guests[random.nextInt(2)]);
            }
            for (Guest guest : guests) {
                guest.assertCanaryLives();
            }
            assertFreshQueuePairsWork();
            runs++;
        } finally {
            for (Guest guest : guests) {
                guest.driver.close();
            }
        }
    }

    /** The seeds reach what they are there for. */
    @AfterAll
    static void everyKindOfCompletionWasSeen() {
        assumeThat(runs).as("runs of all seeds").isEqualTo(20);
        assertThat(STATUSES_SEEN)
                .contains(
                        WcStatus.SUCCESS,
                        WcStatus.LOC_LEN_ERR,
                        WcStatus.LOC_QP_OP_ERR,
                        WcStatus.LOC_PROT_ERR,
                        WcStatus.WR_FLUSH_ERR,
                        WcStatus.REM_ACCESS_ERR,
                        WcStatus.RETRY_EXC_ERR,
                        WcStatus.RNR_RETRY_EXC_ERR);
    }

    private void step(Random random, Guest guest) {
        switch (random.nextInt(16)) {
            case 0 -> create(guest, random);
            case 1 -> connect(random);
            case 2, 3, 4 -> post(guest, random);
            case 5 -> receive(guest, random);
            case 6 -> corrupt(guest, random);
            case 7 -> modify(guest, random);
            case 8 -> destroy(guest, random);
            case 9 -> poll(guest);
            case 10 -> command(guest, random);
            case 11 -> ring(guest, random);
            case 12 -> advance(random);
            case 13 -> host(guest, random);
            default -> rebind(guest, random);
        }
    }

    private static void create(Guest guest, Random random) {
        if (random.nextInt(4) == 0) {
            guest.cq = guest.driver.createCq(64); // the old one may have overrun
        }
        if (guest.qps.size() < 8) {
            MockQueuePair qp = guest.driver.createQp(
                    random.nextInt(4) == 0 ? QpType.UD : QpType.RC,
                    guest.pd,
                    guest.cq,
                    guest.cq,
                    random.nextInt(4) == 0 ? guest.srq : null,
                    1 << random.nextInt(5),
                    2);
            qp.timeout = random.nextInt(12);
            qp.retryCount = random.nextInt(8);
            qp.rnrRetry = random.nextBoolean() ? 0 : random.nextInt(8);
            qp.minRnrTimer = random.nextInt(32);
            qp.maxReads = random.nextInt(17);
            qp.maxReadsAsTarget = random.nextInt(17);
            qp.sendPsn = 100 + (random.nextInt(8) == 0 ? random.nextInt(3) - 1 : 0);
            guest.qps.add(qp);
        }
    }

    private MockQueuePair any(Guest guest, Random random) {
        return guest.qps.isEmpty() ? null : guest.qps.get(random.nextInt(guest.qps.size()));
    }

    private void connect(Random random) {
        MockQueuePair one = any(guests[random.nextInt(2)], random);
        MockQueuePair two = any(guests[random.nextInt(2)], random);
        if (one == null || two == null) {
            return;
        }
        one.toState(0);
        if (one.type == QpType.UD) {
            one.ready(QKEY, false);
            return;
        }
        one.toInit();
        one.toReadyToReceive(MockDriver.GID_HIGH, two.driver.gidLow, two.qpn);
        one.toReadyToSend();
        if (random.nextBoolean() && one != two && two.type == QpType.RC) {
            two.toState(0);
            two.toInit();
            two.toReadyToReceive(MockDriver.GID_HIGH, one.driver.gidLow, one.qpn);
            two.toReadyToSend();
        }
    }

    /** Mostly right, so that it gets far; one field in eight is anything. */
    private static long sometimes(Random random, long right) {
        return random.nextInt(8) != 0 ? right : random.nextBoolean() ? random.nextLong() : right + random.nextInt(9000);
    }

    private void post(Guest guest, Random random) {
        MockQueuePair qp = any(guest, random);
        if (qp == null || qp.freeSends() <= 0) {
            return;
        }
        MockRegion remote = guests[random.nextInt(2)].mr;
        long[] elements = new long[3 * random.nextInt(3)];
        for (int i = 0; i < elements.length; i += 3) {
            elements[i] = sometimes(random, guest.mr.start() + random.nextInt(4000));
            elements[i + 1] = sometimes(random, random.nextInt(2000));
            elements[i + 2] = sometimes(random, guest.mr.lkey());
        }
        if (qp.type == QpType.UD) {
            postDatagram(qp, random, elements);
            return;
        }
        if (random.nextInt(5) == 0) {
            qp.putAtomic(
                    WrOpcode.ATOMIC_CMP_AND_SWP + random.nextInt(2),
                    random.nextLong(),
                    sometimes(random, remote.start() + random.nextInt(4000)),
                    (int) sometimes(random, remote.rkey()),
                    random.nextLong(),
                    random.nextLong(),
                    guest.mr.start() + random.nextInt(4000),
                    (int) sometimes(random, 8),
                    guest.mr.lkey());
            qp.ring();
            return;
        }
        qp.put(
                (int) sometimes(random, random.nextInt(random.nextInt(4) == 0 ? 12 : 5)),
                random.nextLong(),
                random.nextInt(32),
                sometimes(random, remote.start() + random.nextInt(4000)),
                (int) sometimes(random, remote.rkey()),
                random.nextInt(),
                elements);
        if (random.nextInt(4) != 0) {
            qp.ring();
        }
    }

    private void postDatagram(MockQueuePair qp, Random random, long... elements) {
        Guest other = guests[random.nextInt(2)];
        MockQueuePair to = any(other, random);
        MemorySegment place = qp.nextSend();
        qp.putDatagram(
                (int) sometimes(random, WrOpcode.SEND + random.nextInt(2)),
                random.nextLong(),
                random.nextInt(32),
                random.nextInt(),
                sometimes(random, other.driver.gidLow),
                (int) sometimes(random, to == null ? 1 : to.qpn),
                (int) sometimes(random, QKEY),
                elements);
        if (random.nextInt(8) == 0) {
            place.set(ValueLayout.JAVA_INT, 4L * random.nextInt(20), random.nextInt());
        }
        if (random.nextInt(4) != 0) {
            qp.ring();
        }
    }

    private void receive(Guest guest, Random random) {
        if (random.nextInt(3) == 0 && guest.srq.waiting() < 16) {
            guest.srq.put(
                    random.nextLong(),
                    (int) sometimes(random, 1),
                    sometimes(random, guest.mr.start()),
                    sometimes(random, 8000),
                    sometimes(random, guest.mr.lkey()));
            return;
        }
        MockQueuePair qp = any(guest, random);
        if (qp != null && !qp.sharesReceives) {
            qp.receive(
                    random.nextLong(),
                    sometimes(random, guest.mr.start()),
                    sometimes(random, 8000),
                    sometimes(random, guest.mr.lkey()));
        }
    }

    private void corrupt(Guest guest, Random random) {
        MockQueuePair qp = any(guest, random);
        if (qp == null || random.nextInt(4) != 0) {
            return;
        }
        long index = 4L * random.nextInt(4);
        if (random.nextInt(8) == 0) {
            guest.srq.arm(random.nextInt(17));
            RingState.publishProdTail(guest.srq.header(), RingState.RX_OFFSET, random.nextInt(40));
            return;
        }
        MemorySegment header = random.nextInt(4) == 0 ? guest.cq.header() : qp.header();
        if (header.equals(guest.cq.header()) && index != RingState.RX_OFFSET + RingState.CONS_HEAD_OFFSET) {
            return; // the rest of it is the device's to write
        }
        header.set(ValueLayout.JAVA_INT, index, random.nextBoolean() ? random.nextInt() : random.nextInt(64));
        qp.ring();
    }

    private void modify(Guest guest, Random random) {
        MockQueuePair qp = any(guest, random);
        if (qp != null) {
            qp.toState(random.nextInt(random.nextInt(8) + 1));
        }
    }

    private void destroy(Guest guest, Random random) {
        MockQueuePair qp = any(guest, random);
        if (qp != null) {
            assertThat(qp.destroy()).isZero();
            guest.qps.remove(qp);
        }
    }

    private static void poll(Guest guest) {
        for (int i = 0; i < 64 && guest.cq.waiting() > 0; i++) {
            Completion completion = guest.cq.poll();
            assertThat(completion.status()).isBetween(WcStatus.SUCCESS, WcStatus.GENERAL_ERR);
            assertThat(completion.qp()).isBetween(0, 255);
            STATUSES_SEEN.add(completion.status());
        }
    }

    private static void command(Guest guest, Random random) {
        MemorySegment slot = guest.driver.commandSlot.segments()[0];
        for (int i = 0; i < CommandCode.MAX_COMMAND_SIZE; i += 4) {
            slot.set(ValueLayout.JAVA_INT, i, random.nextInt(3) == 0 ? random.nextInt(600) : random.nextInt(4));
        }
        int code = random.nextInt(24);
        boolean spares = code == CommandCode.DESTROY_PD
                || code == CommandCode.DESTROY_MR
                || code == CommandCode.DESTROY_CQ
                || code == CommandCode.DESTROY_QP
                || code == CommandCode.DESTROY_SRQ
                || code == CommandCode.RESIZE_CQ
                || code == CommandCode.MODIFY_QP;
        CommandHeader.cmd(slot, 0, spares ? 99 : code); // what the other steps hold must stay
        guest.driver.device.writeRegister(Registers.REQUEST, random.nextInt());
    }

    private void ring(Guest guest, Random random) {
        guest.driver.device.writeUar(random.nextInt(3), 4 * random.nextInt(4), random.nextInt());
        MockQueuePair qp = any(guest, random);
        if (qp != null) {
            qp.ring();
        }
        guest.cq.arm();
        guest.driver.notified();
        guest.driver.events();
    }

    private void advance(Random random) {
        clock.advanceTo(clock.nanoTime() + (1L << random.nextInt(34)));
        assertThat(fabric.runDue(10_000)).as("comes to an end").isLessThan(10_000);
    }

    /** What a host does meanwhile. */
    private static void host(Guest guest, Random random) {
        PvrdmaDevice device = guest.driver.device;
        switch (random.nextInt(12)) {
            case 0 -> device.takePortDown();
            case 1 -> device.quiesce();
            case 2 ->
                device.moderate(
                        1 + random.nextInt(2),
                        new InterruptModeration(1 + random.nextInt(4), 1 + random.nextInt(1 << 20)));
            case 3 -> assertThat(device.statistics().doorbells().total()).isNotNegative();
            default -> goOn(guest); // mostly on, so that things get far
        }
    }

    private static void goOn(Guest guest) {
        guest.driver.device.takePortUp();
        guest.driver.device.writeRegister(Registers.CTL, DeviceCtl.UNQUIESCE);
    }

    private static void rebind(Guest guest, Random random) {
        MockDriver driver = guest.driver;
        if (random.nextInt(4) == 0) {
            driver.command(CommandCode.DESTROY_BIND, s -> {
                DestroyBind.index(s, 0, 0);
                DestroyBind.destGidHigh(s, 0, MockDriver.GID_HIGH);
                DestroyBind.destGidLow(s, 0, driver.gidLow);
            });
        }
        driver.bind(0, MockDriver.GID_HIGH, driver.gidLow);
    }

    private void assertFreshQueuePairsWork() {
        MockQueuePair[] fresh = new MockQueuePair[2];
        MockCompletionQueue[] queues = new MockCompletionQueue[2];
        for (Guest guest : guests) {
            goOn(guest);
        }
        for (int i = 0; i < 2; i++) {
            assertThat(guests[i].driver.bind(0, MockDriver.GID_HIGH, guests[i].driver.gidLow))
                    .isZero();
            queues[i] = guests[i].driver.createCq(4);
            fresh[i] = guests[i].driver.createQp(guests[i].pd, queues[i], queues[i], 4, 1);
        }
        fresh[0].connect(fresh[1]);
        fresh[1].connect(fresh[0]);
        guests[0].mr.fill(7);
        fresh[0].write(1, guests[0].mr, 0, guests[1].mr, 0, 5000);
        assertThat(queues[0].poll().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(guests[1].mr.get(4999)).isEqualTo(MockRegion.pattern(7, 4999));
    }
}
