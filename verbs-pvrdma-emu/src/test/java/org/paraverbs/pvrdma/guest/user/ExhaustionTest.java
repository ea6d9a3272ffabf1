// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.contract.EmuDevices;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.pvrdma.device.DeviceStatistics;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/**
 * Every limit of a device is reached and released again and again: a thousand times in the long form. What is had at the
 * limit is always the same, and so is what is pinned when all has been given back.
 */
class ExhaustionTest {
    private static final int ROUNDS = EmuDevices.atScale(1000);
    private static final String REGISTERED = "registered memory (70 % of the guest's)";

    /** Which of the objects goes first: another order in each round, the same in each run. */
    private final Random order = new Random(20_261_201);

    private OpenGuest guest = new OpenGuest();

    @AfterEach
    void close() {
        guest.close();
    }

    private void boot(UnaryOperator<DeviceConfiguration.Builder> limits) {
        guest.close();
        guest = new OpenGuest(limits.apply(DeviceConfiguration.builder()).build());
    }

    private long used(String limit) {
        return guest.statistics().use().stream()
                .filter(use -> use.limit().equals(limit))
                .mapToLong(DeviceStatistics.Use::used)
                .findFirst()
                .orElse(0); // the driver alone counts
    }

    private static void assertRefused(Supplier<? extends AutoCloseable> create, String limit) {
        assertThatThrownBy(create::get).isInstanceOf(VerbsException.class).hasMessageContaining(limit);
    }

    /** The same until the limit, one beyond it, one back and one more, and all back in any order. */
    private void exhaust(String limit, int objects, long each, Supplier<? extends AutoCloseable> create) {
        long before = used(limit);
        long pinned = -1;
        for (int round = 0; round < ROUNDS; round++) {
            List<AutoCloseable> held = new ArrayList<>();
            for (int i = 0; i < objects; i++) {
                held.add(create.get());
            }
            assertRefused(create, limit);
            assertThat(used(limit)).as("%s in round %d", limit, round).isEqualTo(before + objects * each);
            close(held.remove(order.nextInt(objects)));
            held.add(create.get());
            assertRefused(create, limit);
            Collections.shuffle(held, order);
            held.forEach(ExhaustionTest::close);
            assertThat(used(limit)).as("%s after round %d", limit, round).isEqualTo(before);
            if (pinned < 0) {
                pinned = guest.space.mappedBytes(); // the driver keeps pages for directories once it has them
            }
            assertThat(guest.space.mappedBytes())
                    .as("bytes pinned after round %d", round)
                    .isEqualTo(pinned);
        }
    }

    private static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    // --- how many there are; a guest has a protection domain and a region of its own

    @Test
    void protectionDomains() {
        boot(limits -> limits.maxPd(6));
        exhaust("max_pd", 5, 1, () -> guest.context.allocateProtectionDomain());
    }

    @Test
    void memoryRegions() {
        boot(limits -> limits.maxMr(9));
        exhaust("max_mr", 8, 1, () -> guest.domain.allocate(5000, Access.LOCAL_WRITE));
    }

    @Test
    void registeredMemory() {
        boot(limits -> limits.guestMemory(1 << 20)); // of 734,003 bytes 4,096 are the guest's own
        exhaust(REGISTERED, 7, 100_000, () -> guest.domain.allocate(100_000, Access.LOCAL_WRITE));
    }

    @Test
    void completionQueues() {
        boot(limits -> limits.maxCq(7));
        exhaust("max_cq", 7, 1, () -> guest.context.createCompletionQueue(16));
    }

    @Test
    void queuePairs() {
        boot(limits -> limits.maxQp(6));
        CompletionQueue queue = guest.context.createCompletionQueue(16);
        exhaust("max_qp", 6, 1, () -> guest.loop(queue, 4));
    }

    /** Here the device counts, and the driver has to give back what it had taken for the one too many. */
    @Test
    void queuePairsThatOthersHold() {
        boot(limits -> limits.maxQp(9).qpElsewhere(4));
        CompletionQueue queue = guest.context.createCompletionQueue(16);
        exhaust("max_qp", 5, 1, () -> guest.loop(queue, 4));
    }

    @Test
    void sharedReceiveQueues() {
        boot(limits -> limits.maxSrq(5));
        exhaust("max_srq", 5, 1, () -> guest.domain.createSharedReceiveQueue(8, 2));
    }

    @Test
    void addressHandles() {
        boot(limits -> limits.maxAh(6));
        QueuePair pair = guest.domain.createQueuePair(QueuePairSpec.datagram(guest.context.createCompletionQueue(16)));
        exhaust("max_ah", 6, 0, () -> guest.domain.createAddressHandle(pair.routeTo(pair.endpoint())));
    }

    /** Each with objects of its own, which go with it. */
    @Test
    void contexts() {
        boot(limits -> limits.maxUar(8)); // the kernel has one page, the guest's own context another
        exhaust("max_uar", 6, 1, () -> {
            var context = guest.another();
            var domain = context.allocateProtectionDomain();
            domain.allocate(4096, Access.LOCAL_WRITE);
            domain.createQueuePair(QueuePairSpec.reliable(context.createCompletionQueue(4)));
            return context;
        });
        for (String limit : List.of("max_cq", "max_qp")) {
            assertThat(used(limit)).as(limit).isZero();
        }
        assertThat(used("max_pd")).isOne();
        assertThat(used("max_mr")).isOne();
    }

    // --- how large one is

    @Test
    void theLargestRegion() {
        boot(limits -> limits.maxMrSize(100_001));
        for (int round = 0; round < ROUNDS; round++) {
            guest.domain.allocate(100_001).close();
            assertRefused(() -> guest.domain.allocate(100_002), "max_mr_size");
            assertThat(used(REGISTERED)).isEqualTo(4096);
        }
    }

    @Test
    void theLargestSharedReceiveQueue() {
        boot(limits -> limits.maxSrqWr(64).maxSrqSge(3));
        for (int round = 0; round < ROUNDS; round++) {
            guest.domain.createSharedReceiveQueue(64, 3).close();
            assertRefused(() -> guest.domain.createSharedReceiveQueue(65, 3), "max_srq_wr");
            assertRefused(() -> guest.domain.createSharedReceiveQueue(64, 4), "max_srq_sge");
            assertThat(used("max_srq")).isZero();
        }
    }

    /** The largest queue pair with its send queue filled to the last place and drained; one request more has no room. */
    @Test
    void theLargestQueuePair() {
        boot(limits -> limits.maxQpWr(64).maxSge(5).maxCqe(64));
        CompletionQueue queue = guest.context.createCompletionQueue(64);
        QueuePairSpec largest = QueuePairSpec.reliable(queue).withDepth(64).withElements(5, 5);
        long pinned = -1;
        for (int round = 0; round < ROUNDS; round++) {
            try (QueuePair pair = guest.domain.createQueuePair(largest)) {
                pair.connect(pair.endpoint());
                for (int id = 0; id < 65; id++) {
                    pair.sendQueue()
                            .write(id, guest.memory.remote(), 8)
                            .local(guest.memory, 0, 8)
                            .signaled();
                }
                assertThat(pair.sendQueue().tryPost()).isEqualTo(64);
                for (int id = 0; id < 64; id++) {
                    WorkCompletion completion = queue.poll();
                    assertThat(completion).isNotNull();
                    assertThat(completion.id()).isEqualTo(id);
                    completion.requireSuccess();
                }
                assertThat(queue.poll()).isNull();
            }
            assertRefused(() -> guest.domain.createQueuePair(largest.withDepth(65)), "max_qp_wr");
            assertRefused(() -> guest.domain.createQueuePair(largest.withElements(6, 1)), "max_sge");
            assertRefused(() -> guest.context.createCompletionQueue(65), "max_cqe");
            assertThat(used("max_qp")).isZero();
            pinned = pinned < 0 ? guest.space.mappedBytes() : pinned;
            assertThat(guest.space.mappedBytes()).isEqualTo(pinned);
        }
    }
}
