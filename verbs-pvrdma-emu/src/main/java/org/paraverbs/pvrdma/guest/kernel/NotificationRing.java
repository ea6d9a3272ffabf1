// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.RingState;

/**
 * A ring by which the device tells the driver something: asynchronous events, or handles of completion queues. The
 * driver consumes, on the thread that runs the device.
 *
 * <p>The number of slots is that of the elements that fit, 1536 or 3072, while the arithmetic is made for powers of two.
 * The driver of Linux does that (pvrdma_main.c), so the device has to, so we do: what comes out is a ring of 512 or 1024.
 */
final class NotificationRing {
    static final int PAGES = 4;

    /** Takes an element of a ring. */
    interface Reader {
        void read(MemorySegment ring, long at);
    }

    private final MemorySegment ring;
    private final int elementSize;
    private final int slots;

    /**
     * A ring in its memory.
     *
     * @param ring {@link #PAGES} pages, the first with the ring's state
     */
    NotificationRing(MemorySegment ring, int elementSize) {
        this.ring = ring;
        this.elementSize = elementSize;
        this.slots = (PAGES - 1) * PageDirectory.PAGE_SIZE / elementSize;
    }

    MemorySegment memory() {
        return ring;
    }

    /** Reads what there is, at most a ring full. */
    void drain(Reader reader) {
        for (int i = 0; i < slots; i++) {
            int tail = RingState.prodTail(ring, RingState.RX_OFFSET);
            int head = RingState.consHead(ring, RingState.RX_OFFSET);
            if (RingState.isCorrupt(tail, head, slots) || RingState.isEmpty(tail, head)) {
                return;
            }
            reader.read(ring, PageDirectory.PAGE_SIZE + (long) RingState.slot(head, slots) * elementSize);
            RingState.publishConsHead(ring, RingState.RX_OFFSET, RingState.next(head, slots));
        }
    }
}
