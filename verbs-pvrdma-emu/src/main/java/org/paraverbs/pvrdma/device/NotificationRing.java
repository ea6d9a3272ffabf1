// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.Cqne;
import org.paraverbs.pvrdma.abi.Eqe;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.RingState;

/**
 * A ring by which the device tells the driver something, with an interrupt: asynchronous events, or handles of completion
 * queues. The device produces.
 *
 * <p>The driver calculates with the number of elements that fit in the pages, which need not be a power of two, but
 * with the masks that are meant for powers of two (pvrdma_main.c). With 3 pages of 1024 handles its indices run from 0 to
 * 2047 and its slots from 0 to 1023: what counts is the lowest bit of the number of elements.
 */
final class NotificationRing {
    private final GuestPages pages;
    private final int elementSize;
    private final int elements;
    private int tail;

    private NotificationRing(GuestPages pages, int elementSize, int elements) {
        this.pages = pages;
        this.elementSize = elementSize;
        this.elements = elements;
    }

    /** The ring of asynchronous events, or null when the guest's pages are no good. */
    static @Nullable NotificationRing ofEvents(GuestMemory memory, long directoryDma, int numPages) {
        return read(memory, directoryDma, numPages, Eqe.SIZE);
    }

    /** The ring of completion queue handles, or null when the guest's pages are no good. */
    static @Nullable NotificationRing ofCompletions(GuestMemory memory, long directoryDma, int numPages) {
        return read(memory, directoryDma, numPages, Cqne.SIZE);
    }

    private static @Nullable NotificationRing read(GuestMemory memory, long directoryDma, int numPages, int size) {
        // a header page and at least one more; one table of pages is far more than any driver uses
        if (numPages < 2 || numPages > PageDirectory.ENTRIES) {
            return null;
        }
        long bytes = (long) numPages << PageDirectory.PAGE_SHIFT;
        GuestPages pages = GuestPages.read(memory, directoryDma, numPages, 0, bytes);
        if (pages == null) {
            return null;
        }
        int fitting = (numPages - 1) * PageDirectory.PAGE_SIZE / size;
        return new NotificationRing(pages, size, Integer.lowestOneBit(fitting));
    }

    /**
     * Puts an event.
     *
     * @return false when the ring is full, corrupt or unmapped, so that the event is not told
     */
    boolean putEvent(int type, int info) {
        GuestPages.Resolved resolved = pages.resolved();
        MemorySegment segment = freeElement(resolved);
        if (segment == null) {
            return false;
        }
        long at = elementWithin(resolved);
        Eqe.type(segment, at, type);
        Eqe.info(segment, at, info);
        publish(resolved);
        return true;
    }

    /**
     * Puts the handle of a completion queue.
     *
     * @return false when the ring is full, corrupt or unmapped
     */
    boolean putCompletionQueue(int handle) {
        GuestPages.Resolved resolved = pages.resolved();
        MemorySegment segment = freeElement(resolved);
        if (segment == null) {
            return false;
        }
        Cqne.info(segment, elementWithin(resolved), handle);
        publish(resolved);
        return true;
    }

    private @Nullable MemorySegment freeElement(GuestPages.Resolved resolved) {
        MemorySegment header = resolved.segment(0);
        if (header == null) {
            return null;
        }
        int head = RingState.consHead(header, RingState.RX_OFFSET);
        if (RingState.isCorrupt(tail, head, elements) || RingState.used(tail, head, elements) >= elements) {
            return null;
        }
        return resolved.segment(resolved.stretch(elementOffset()));
    }

    private long elementWithin(GuestPages.Resolved resolved) {
        long offset = elementOffset();
        return resolved.within(resolved.stretch(offset), offset);
    }

    private long elementOffset() {
        return PageDirectory.PAGE_SIZE + (long) RingState.slot(tail, elements) * elementSize;
    }

    private void publish(GuestPages.Resolved resolved) {
        tail = RingState.next(tail, elements);
        // pairs with the driver's acquire of the tail: the element is visible before the index that covers it
        RingState.publishProdTail(resolved.segment(0), RingState.RX_OFFSET, tail);
    }

    /** The ring with what the driver has not read; see {@link RingText}. */
    @Override
    public String toString() {
        try {
            GuestPages.Resolved resolved = pages.resolved();
            MemorySegment header = resolved.segment(0);
            return "ring of " + elements + " notifications: "
                    + (header == null
                            ? "not mapped"
                            : RingText.entries(
                                    tail,
                                    RingState.consHead(header, RingState.RX_OFFSET),
                                    elements,
                                    slot -> elementText(resolved, slot)));
        } catch (RuntimeException | InternalError e) {
            return "ring of " + elements + " notifications: cannot be read";
        }
    }

    private String elementText(GuestPages.Resolved resolved, int slot) {
        long offset = PageDirectory.PAGE_SIZE + (long) slot * elementSize;
        MemorySegment segment = resolved.segment(resolved.stretch(offset));
        if (segment == null) {
            return "slot " + slot + " is not mapped";
        }
        long at = resolved.within(resolved.stretch(offset), offset);
        return elementSize == Cqne.SIZE
                ? "CQ " + Cqne.info(segment, at)
                : "event " + Eqe.type(segment, at) + " of " + Eqe.info(segment, at);
    }
}
