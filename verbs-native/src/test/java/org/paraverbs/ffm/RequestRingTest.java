// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RequestRingTest {

    @Property
    void anIdIsTakenApartAsItWasPutTogether(
            @ForAll @IntRange(max = RequestId.SLOT_COUNT - 1) int slot,
            @ForAll @IntRange(max = RequestId.GENERATION_MASK) int generation,
            @ForAll boolean receive,
            @ForAll @IntRange(max = RequestId.POSITION_MASK) int position) {
        long queue = RequestId.queue(slot, generation, receive);
        long id = queue | position;
        assertThat(RequestId.slot(id)).isEqualTo(slot);
        assertThat(RequestId.isReceive(id)).isEqualTo(receive);
        assertThat(RequestId.position(id)).isEqualTo(position);
        assertThat(RequestId.queueOf(id)).isEqualTo(queue);
    }

    @Test
    void queuesDifferBySlotGenerationAndDirection() {
        long queue = RequestId.queue(1, 1, false);
        assertThat(List.of(RequestId.queue(2, 1, false), RequestId.queue(1, 2, false), RequestId.queue(1, 1, true)))
                .doesNotContain(queue);
    }

    /** Against a plain queue: what is posted comes back in order, and a completion frees all before it. */
    @Property
    void accountAgreesWithAPlainQueue(
            @ForAll @IntRange(min = 1, max = 70) int capacity, @ForAll("steps") List<Integer> steps) {
        RequestRing ring = new RequestRing(RequestId.queue(3, 7, false), capacity);
        Deque<long[]> outstanding = new ArrayDeque<>();
        long nextUserId = 1_000;
        for (int step : steps) {
            if (step >= 0) {
                int count = Math.min(step, ring.free());
                for (int request = 0; request < count; request++) {
                    outstanding.add(new long[] {ring.describe(request, nextUserId), nextUserId});
                    nextUserId++;
                }
                ring.post(count);
            } else {
                complete(ring, outstanding, -step);
            }
            assertThat(ring.free()).isEqualTo(capacity - outstanding.size());
        }
    }

    /** Completes the request at a place of the queue, as one that was the first signaled one. */
    private static void complete(RequestRing ring, Deque<long[]> outstanding, int place) {
        if (outstanding.isEmpty()) {
            return;
        }
        long[] completed = outstanding.removeFirst();
        for (int i = 1; i < place && !outstanding.isEmpty(); i++) {
            completed = outstanding.removeFirst();
        }
        assertThat(ring.isOutstanding(completed[0])).isTrue();
        assertThat(ring.complete(completed[0])).isEqualTo(completed[1]);
        assertThat(ring.isOutstanding(completed[0])).isFalse();
    }

    @Provide
    Arbitrary<List<Integer>> steps() {
        return Arbitraries.integers()
                .between(-10, 20)
                .filter(step -> step != 0)
                .list()
                .ofMaxSize(200);
    }

    @Test
    void positionsWrapAround() {
        RequestRing ring = new RequestRing(RequestId.queue(0, 1, true), 3);
        for (int i = 0; i < RequestId.POSITION_MASK + 10; i++) {
            long id = ring.describe(0, i);
            ring.post(1);
            if (!ring.isOutstanding(id) || ring.complete(id) != i || ring.free() != 3) {
                throw new AssertionError("at request " + i);
            }
        }
    }

    @Test
    void refusedRequestsAreNeitherOutstandingNorTakeSlots() {
        RequestRing ring = new RequestRing(RequestId.queue(0, 1, false), 4);
        long first = ring.describe(0, 10);
        long second = ring.describe(1, 11);
        ring.post(2);
        ring.retract(1);
        assertThat(ring.free()).isEqualTo(3);
        assertThat(ring.isOutstanding(first)).isTrue();
        assertThat(ring.isOutstanding(second)).isFalse();

        long again = ring.describe(0, 12);
        ring.post(1);
        assertThat(again).isEqualTo(second);
        assertThat(ring.complete(again)).isEqualTo(12);
        assertThat(ring.free()).isEqualTo(4);
    }

    @Test
    void completionsOfAnEarlierLifeAreStrangers() {
        RequestRing before = new RequestRing(RequestId.queue(5, 1, false), 4);
        RequestRing after = new RequestRing(RequestId.queue(5, 2, false), 4);
        long stale = before.describe(0, 1);
        after.describe(0, 2);
        after.post(1);
        assertThat(after.isOutstanding(stale)).isFalse();
        assertThat(after.owns(stale)).isFalse();
    }

    @Test
    void aDeviceThatCompletesTwiceOrTooMuchIsNotBelieved() {
        RequestRing ring = new RequestRing(RequestId.queue(5, 1, false), 4);
        long first = ring.describe(0, 1);
        long neverPosted = ring.describe(1, 2);
        ring.post(1);
        assertThat(ring.isOutstanding(neverPosted)).isFalse();
        ring.complete(first);
        assertThat(ring.isOutstanding(first)).isFalse();
    }

    @Test
    void aQueueOfNoRequestsIsFull() {
        assertThat(new RequestRing(RequestId.queue(0, 0, true), 0).free()).isZero();
    }
}
