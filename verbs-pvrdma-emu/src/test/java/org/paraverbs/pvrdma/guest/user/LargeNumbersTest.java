// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/** Very many objects, very large ones, and those that are too large for any machine. */
class LargeNumbersTest {
    private static final int QUEUE_PAIRS = 16_384;

    /** Every so many of them are connected and used, which takes longer than to create them. */
    private static final int STRIDE = 31;

    private static final int ENTRIES = 1 << 20;
    private static final int DEPTH = 4096;

    /** All at once, each with a number of its own, and those that are tried work. */
    @Test
    void sixteenThousandQueuePairs() {
        try (OpenGuest guest =
                new OpenGuest(DeviceConfiguration.builder().maxQp(QUEUE_PAIRS).build())) {
            CompletionQueue queue = guest.context.createCompletionQueue(16);
            List<QueuePair> pairs = new ArrayList<>();
            Set<Integer> numbers = new HashSet<>();
            for (int i = 0; i < QUEUE_PAIRS; i++) {
                QueuePair pair = guest.domain.createQueuePair(
                        QueuePairSpec.reliable(queue).withDepth(1));
                pairs.add(pair);
                numbers.add(pair.qpn());
            }
            assertThat(numbers).hasSize(QUEUE_PAIRS);
            assertThat(guest.statistics().use("max_qp").used()).isEqualTo(QUEUE_PAIRS);
            assertThatThrownBy(() -> guest.loop(queue, 1))
                    .hasMessageContaining("max_qp is 16384, and 16384 are in use");
            for (int i = QUEUE_PAIRS - 1; i >= 0; i -= STRIDE) {
                QueuePair pair = pairs.get(i);
                pair.connect(pair.endpoint());
                guest.write(pair, pair.qpn());
                WorkCompletion completion = queue.poll();
                assertThat(completion).isNotNull();
                completion.requireSuccess();
                assertThat(completion.qpn()).isEqualTo(pair.qpn());
                assertThat(completion.id()).isEqualTo(pair.qpn());
            }
            pairs.forEach(QueuePair::close);
            assertThat(guest.statistics().use("max_qp").used()).isZero();
            guest.loop(queue, 1).close();
        }
    }

    /** A completion names a queue pair with 16 bits, of which the provider has 65,535 in a table. */
    @Test
    void noMoreQueuePairsThanACompletionCanName() {
        try (OpenGuest guest =
                new OpenGuest(DeviceConfiguration.builder().maxQp(0xffff).build())) {
            assertThat(guest.context.attributes().maxQueuePairs()).isEqualTo(0xffff);
        }
        assertThatThrownBy(() -> DeviceConfiguration.builder().maxQp(0x10000).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxQp");
    }

    /** A ring of 64 MiB, filled to the last place from somewhere in its middle on, read out in order, and overrun by one. */
    @Test
    void aMillionCompletions() throws InterruptedException {
        DeviceConfiguration configuration =
                DeviceConfiguration.builder().maxCqe(ENTRIES).build();
        try (OpenGuest guest = new OpenGuest(configuration)) {
            assertThatThrownBy(() -> guest.context.createCompletionQueue(ENTRIES + 1))
                    .hasMessageContaining("1 to 1048576 entries");
            CompletionQueue queue = guest.context.createCompletionQueue(ENTRIES);
            assertThat(queue.entries()).isEqualTo(ENTRIES);
            QueuePair pair = guest.loop(queue, DEPTH);
            complete(guest, pair, 0, 777);
            assertInOrder(queue, 0, 777);
            complete(guest, pair, 777, ENTRIES);
            assertInOrder(queue, 777, ENTRIES);
            assertThat(queue.poll()).isNull();
            complete(guest, pair, 0, ENTRIES);
            complete(guest, pair, ENTRIES, 1);
            AsyncEvent event = guest.context.awaitAsyncEvent(Duration.ofMinutes(1));
            assertThat(event).isNotNull();
            assertThat(event.type()).isEqualTo(AsyncEventType.COMPLETION_QUEUE_ERROR);
            assertInOrder(queue, 0, ENTRIES);
            assertThatThrownBy(queue::poll).hasMessageContaining("overflowed");
        }
    }

    private static void complete(OpenGuest guest, QueuePair pair, int firstId, int count) {
        for (int done = 0; done < count; ) {
            int batch = Math.min(DEPTH, count - done);
            for (int i = 0; i < batch; i++) {
                pair.sendQueue()
                        .write(firstId + done + i, guest.memory.remote(), 8)
                        .local(guest.memory, 0, 8)
                        .signaled();
            }
            pair.sendQueue().post();
            done += batch;
        }
    }

    private static void assertInOrder(CompletionQueue queue, int firstId, int count) {
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = queue.poll();
            if (completion == null || completion.id() != firstId + i || completion.rawStatus() != 0) {
                throw new AssertionError("completion " + (firstId + i) + " should have come, not " + completion);
            }
        }
    }

    /** Refused before any memory is asked for. */
    @ParameterizedTest
    @ValueSource(
            longs = {(1L << 30) + 1, 1L << 31, (1L << 31) + 1, 1L << 40, 1L << 62, Long.MAX_VALUE - 4095, Long.MAX_VALUE
            })
    void regionsThatAreTooLargeForAnyMachine(long byteSize) {
        DeviceConfiguration boundless = DeviceConfiguration.builder()
                .maxMrSize(Long.MAX_VALUE)
                .guestMemory(Long.MAX_VALUE)
                .build();
        for (DeviceConfiguration configuration : List.of(boundless, DeviceConfiguration.defaults())) {
            try (OpenGuest guest = new OpenGuest(configuration)) {
                long pinned = guest.space.mappedBytes();
                assertThatThrownBy(() -> guest.domain.allocate(byteSize, Access.LOCAL_WRITE))
                        .isInstanceOfSatisfying(
                                VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EINVAL))
                        .hasMessageContaining("in parts");
                assertThat(guest.space.mappedBytes()).isEqualTo(pinned);
                assertThat(guest.statistics().use("max_mr").used()).isOne();
            }
        }
    }
}
