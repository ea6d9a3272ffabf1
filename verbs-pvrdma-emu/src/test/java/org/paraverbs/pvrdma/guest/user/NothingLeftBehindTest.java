// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.contract.EmuDevices;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.pvrdma.device.DeviceStatistics.Use;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.WorkCompletion;

/**
 * What is created and destroyed leaves nothing behind, however often that is done: 100,000 times in the long form. No handle,
 * no pinned page and no thread; of memory, less than a quarter of a page for each object on the heap, and half a page
 * outside of it. There the JVM itself comes and goes by many megabytes, so that only the long form finds single pages.
 */
class NothingLeftBehindTest {
    private static final int OBJECTS = EmuDevices.atScale(100_000);
    private static final int PAGE = 4096;
    private static final long NOISE = 128 << 20;

    /** Before the first look: the driver keeps pages for directories, and classes are loaded. */
    private static final int WARM_UP = 200;

    private final OpenGuest guest = new OpenGuest(DeviceConfiguration.defaults());
    private final CompletionQueue completions = guest.context.createCompletionQueue(16);

    @AfterEach
    void close() {
        guest.close();
    }

    /** What is in use at a moment at which nobody else does anything. */
    private record Stock(List<Use> limits, long pinned, long heap, long outside, Set<Thread> threads) {}

    private Stock stock() {
        long heap = liveHeap();
        return new Stock(
                guest.statistics().use(),
                guest.space.mappedBytes(),
                heap,
                residentOutsideTheHeap(),
                new HashSet<>(Thread.getAllStackTraces().keySet()));
    }

    /** The least of a few looks, since a collection may leave some of what is garbage. */
    private static long liveHeap() {
        long least = Long.MAX_VALUE;
        for (int look = 0; look < 3; look++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /**
     * Bytes of this process that are in memory, without the heap, which has just been collected; 0 where the system does not tell.
     * The JVM has no count of what shared arenas hold.
     */
    private static long residentOutsideTheHeap() {
        try {
            String pages = Files.readString(Path.of("/proc/self/statm")).split(" ", 3)[1];
            return Long.parseLong(pages) * PAGE
                    - ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
        } catch (IOException e) {
            return 0;
        }
    }

    private void assertNothingLeft(int objects, Runnable createAndDestroy) {
        for (int i = 0; i < WARM_UP; i++) {
            createAndDestroy.run();
        }
        Stock before = stock();
        for (int i = 0; i < objects; i++) {
            createAndDestroy.run();
        }
        Stock after = stock();
        assertThat(after.limits()).as("limits in use").isEqualTo(before.limits());
        assertThat(after.pinned()).as("bytes pinned for the device").isEqualTo(before.pinned());
        assertThat(after.outside() - before.outside())
                .as("bytes outside the heap, of %d objects", objects)
                .isLessThan(Math.max(objects * (PAGE / 2L), NOISE));
        assertThat(after.heap() - before.heap())
                .as("bytes on the heap, of %d objects", objects)
                .isLessThan(objects * (PAGE / 4L));
        after.threads().removeAll(before.threads());
        assertThat(after.threads()).as("threads").isEmpty();
    }

    @Test
    void protectionDomains() {
        assertNothingLeft(
                OBJECTS, () -> guest.context.allocateProtectionDomain().close());
    }

    /** Of memory of their own, and of the program's. */
    @Test
    void memoryRegions() {
        assertNothingLeft(OBJECTS, () -> {
            guest.domain.allocate(4 * PAGE, Access.LOCAL_WRITE).close();
            guest.domain.register(guest.memory.memory(), Access.LOCAL_WRITE).close();
        });
    }

    /** With and without a channel. */
    @Test
    void completionQueues() {
        CompletionChannel channel = guest.context.createCompletionChannel();
        assertNothingLeft(OBJECTS / 2, () -> {
            guest.context.createCompletionQueue(4).close();
            CompletionQueue woken = guest.context.createCompletionQueue(4, channel, 0);
            woken.requestNotification(false);
            woken.close();
        });
    }

    @Test
    void sharedReceiveQueues() {
        assertNothingLeft(OBJECTS, () -> {
            SharedReceiveQueue shared = guest.domain.createSharedReceiveQueue(4, 1);
            shared.receiveQueue().receive(1).local(guest.memory, 0, 8);
            shared.receiveQueue().post();
            shared.close();
        });
    }

    @Test
    void addressHandles() {
        QueuePair pair = guest.domain.createQueuePair(QueuePairSpec.datagram(completions));
        assertNothingLeft(
                OBJECTS,
                () -> guest.domain
                        .createAddressHandle(pair.routeTo(pair.endpoint()))
                        .close());
    }

    @Test
    void queuePairs() {
        QueuePairSpec spec = QueuePairSpec.reliable(completions).withDepth(4);
        assertNothingLeft(OBJECTS, () -> guest.domain.createQueuePair(spec).close());
    }

    /** Two that are connected and have exchanged something; some of them go with a completion that nobody has polled. */
    @Test
    void connectedQueuePairs() {
        int[] turn = {0};
        assertNothingLeft(OBJECTS / 2, () -> {
            QueuePairSpec spec = QueuePairSpec.reliable(completions).withDepth(4);
            QueuePair here = guest.domain.createQueuePair(spec);
            QueuePair there = guest.domain.createQueuePair(spec);
            var ours = here.endpoint();
            here.connect(there.endpoint());
            there.connect(ours);
            guest.write(here, 1);
            if (turn[0]++ % 2 == 0) {
                WorkCompletion completion = completions.poll();
                assertThat(completion).isNotNull();
                completion.requireSuccess();
            }
            here.close();
            there.close();
            assertThat(completions.poll()).isNull();
        });
    }

    /** Everything that hangs on a domain goes with it; a context of its own, too, every now and then. */
    @Test
    void allAtOnce() {
        assertNothingLeft(Math.max(WARM_UP, OBJECTS / 10), () -> {
            ProtectionDomain domain = guest.context.allocateProtectionDomain();
            domain.allocate(PAGE, Access.LOCAL_WRITE);
            SharedReceiveQueue shared = domain.createSharedReceiveQueue(4, 1);
            domain.createQueuePair(QueuePairSpec.reliable(completions).withSharedReceiveQueue(shared));
            domain.close();
            try (var context = guest.another()) {
                context.allocateProtectionDomain()
                        .createQueuePair(QueuePairSpec.datagram(context.createCompletionQueue(4)));
            }
        });
    }
}
