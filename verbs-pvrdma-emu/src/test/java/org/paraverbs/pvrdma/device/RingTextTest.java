// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.RingState;

/** Rings as a debugger shows them. */
class RingTextTest {
    private static final int QUEUE_ENTRIES = 16;

    private final Arena arena = Arena.ofShared();
    private final MockMemory memory = new MockMemory(arena);

    private GuestPages pages(int count) {
        MockMemory.Pages listed = memory.pages(count);
        GuestPages read =
                GuestPages.read(memory, memory.directory(listed.addresses()), count, 0, (long) count * MockMemory.PAGE);
        assertThat(read).isNotNull();
        return read;
    }

    private static void put(CompletionQueue queue, long wrId) {
        assertThat(queue.put(wrId, 7, 2, 5, 100, 0, 9, 0)).isTrue();
    }

    @Test
    void aCompletionQueueShowsWhatWaits() {
        CompletionQueue queue = new CompletionQueue(3, null, QUEUE_ENTRIES, pages(2), 100);
        assertThat(queue).hasToString("CQ 3 of 16 entries: 0 waiting");
        put(queue, 11);
        put(queue, 12);
        queue.arming.arm(true, 1);
        assertThat(queue)
                .hasToString("CQ 3 of 16 entries: 2 waiting [QP 7 wr_id 11 opcode 2 status 5; QP 7 wr_id 12 opcode 2"
                        + " status 5], armed for solicited");
        for (int i = 0; i < 30; i++) {
            put(queue, i);
        }
        assertThat(queue.toString())
                .contains("16 waiting")
                .contains("and 8 more]")
                .contains("16 held back");
    }

    @Test
    void aWorkRingShowsWhatWasPosted() {
        GuestPages pages = pages(2);
        WorkRing ring = new WorkRing(pages, RingState.TX_OFFSET, MockMemory.PAGE, 4, 128);
        MemorySegment header = pages.resolved().segment(0);
        MemorySegment ringMemory = pages.resolved().segment(0);
        ringMemory.set(ValueLayout.JAVA_LONG, MockMemory.PAGE, 99);
        RingState.publishProdTail(header, RingState.TX_OFFSET, 1);
        assertThat(ring).hasToString("ring of 4 work requests: 0 under way, 1 waiting [wr_id 99]");
        assertThat(ring.look(pages.resolved())).isTrue();
        ring.fetch();
        assertThat(ring).hasToString("ring of 4 work requests: 1 under way, 0 waiting");
    }

    @Test
    void corruptIndicesAndMemoryThatIsGoneAreShownAsSuch() {
        GuestPages pages = pages(2);
        CompletionQueue queue = new CompletionQueue(3, null, QUEUE_ENTRIES, pages, 0);
        WorkRing ring = new WorkRing(pages, RingState.TX_OFFSET, MockMemory.PAGE, 4, 128);
        MemorySegment header = pages.resolved().segment(0);
        RingState.publishConsHead(header, RingState.RX_OFFSET, -1);
        RingState.publishProdTail(header, RingState.TX_OFFSET, 1 << 30);
        assertThat(queue.toString()).contains("corrupt indices 0 and 4294967295");
        assertThat(ring.toString()).contains("corrupt indices 1073741824 and 0");
        RingState.publishConsHead(header, RingState.RX_OFFSET, 2);
        assertThat(queue.toString()).contains("corrupt indices");
        arena.close();
        assertThat(queue.toString()).contains("cannot be read");
        assertThat(ring.toString()).contains("cannot be read");
        memory.unmapAll();
        assertThat(queue.toString()).contains("not mapped");
        assertThat(ring.toString()).contains("not mapped");
    }

    @Test
    void notificationRingsShowWhatTheDriverHasNotRead() {
        MockMemory.Pages listed = memory.pages(4);
        long directory = memory.directory(listed.addresses());
        NotificationRing events = NotificationRing.ofEvents(memory, directory, 4);
        assertThat(events).isNotNull();
        assertThat(events.putEvent(9, 1)).isTrue();
        assertThat(events).hasToString("ring of 512 notifications: 1 waiting [event 9 of 1]");
        MockMemory.Pages others = memory.pages(4);
        NotificationRing completions = NotificationRing.ofCompletions(memory, memory.directory(others.addresses()), 4);
        assertThat(completions).isNotNull();
        assertThat(completions.putCompletionQueue(5)).isTrue();
        assertThat(completions).hasToString("ring of 1024 notifications: 1 waiting [CQ 5]");
    }
}
