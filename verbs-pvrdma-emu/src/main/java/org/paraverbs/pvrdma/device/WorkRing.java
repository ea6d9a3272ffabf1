// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;

/**
 * A ring of work requests: the guest produces, the device consumes. The device goes by its own consumer index and never
 * by what memory says; a place is given back when its work request is complete, so the guest never has more under way
 * than the ring holds.
 */
final class WorkRing {
    private final GuestPages pages;
    private final long indexOffset;
    private final long ringOffset;
    private final int elements;
    private final int stride;

    private int released;
    private int fetched;
    private int tail;
    private boolean broken;

    /**
     * A ring.
     *
     * @param indexOffset where the pair of indices lies
     * @param ringOffset where the first work request lies
     * @param elements work requests, a power of two
     * @param stride bytes from one to the next
     */
    WorkRing(GuestPages pages, long indexOffset, long ringOffset, int elements, int stride) {
        this.pages = pages;
        this.indexOffset = indexOffset;
        this.ringOffset = ringOffset;
        this.elements = elements;
        this.stride = stride;
    }

    /** The ring's memory, for the calls that follow. */
    GuestPages.Resolved resolved() {
        return pages.resolved();
    }

    /**
     * Reads the guest's index.
     *
     * @return whether the ring is sound; if not, it is never looked at again
     */
    boolean look(GuestPages.Resolved resolved) {
        MemorySegment header = resolved.segment(0);
        if (broken || header == null) {
            broken = true;
            return false;
        }
        int now = RingState.prodTail(header, indexOffset);
        // A tail behind what was fetched already is as wrong as one that claims more than the ring holds.
        if (RingState.isCorrupt(now, released, elements)
                || RingState.used(now, released, elements) > elements
                || RingState.used(now, released, elements) < RingState.used(fetched, released, elements)) {
            broken = true;
            return false;
        }
        tail = now;
        return true;
    }

    /** Whether everything that {@link #look} saw was fetched. */
    boolean isEmpty() {
        return RingState.isEmpty(tail, fetched);
    }

    /** Work requests that {@link #look} saw and that were not fetched. */
    int waiting() {
        return RingState.used(tail, fetched, elements);
    }

    /** Whether the ring made no sense or was gone when it was looked at. */
    boolean isBroken() {
        return broken;
    }

    /** The segment of the next work request; null when it was unmapped. */
    @Nullable
    MemorySegment segment(GuestPages.Resolved resolved) {
        return resolved.segment(resolved.stretch(offset()));
    }

    /** Where in {@link #segment} it begins. A work request does not cross a page. */
    long within(GuestPages.Resolved resolved) {
        long offset = offset();
        return resolved.within(resolved.stretch(offset), offset);
    }

    private long offset() {
        return ringOffset + (long) RingState.slot(fetched, elements) * stride;
    }

    /** Goes on to the next work request. */
    void fetch() {
        fetched = RingState.next(fetched, elements);
    }

    /** Gives the oldest place back to the guest. */
    void release(GuestPages.Resolved resolved) {
        released = RingState.next(released, elements);
        MemorySegment header = resolved.segment(0);
        if (header != null && !broken) {
            // pairs with the guest's acquire of the head: the work request was read before its place is reused
            RingState.publishConsHead(header, indexOffset, released);
        }
    }

    /** Starts over, as the guest does with its side when a queue pair is reset. */
    void reset() {
        released = 0;
        fetched = 0;
        tail = 0;
        broken = false;
    }

    void breakDown() {
        broken = true;
    }

    /** The ring with what the device has not fetched; see {@link RingText}. */
    @Override
    public String toString() {
        return "ring of " + elements + " work requests: " + RingState.used(fetched, released, elements) + " under way, "
                + waitingText() + (broken ? ", broken" : "");
    }

    private String waitingText() {
        try {
            GuestPages.Resolved resolved = pages.resolved();
            MemorySegment header = resolved.segment(0);
            if (header == null) {
                return "not mapped";
            }
            int posted = RingState.prodTail(header, indexOffset);
            return RingText.entries(posted, fetched, elements, slot -> requestText(resolved, slot));
        } catch (RuntimeException | InternalError e) {
            return "cannot be read";
        }
    }

    /** Send and receive work requests both begin with the identifier. */
    private String requestText(GuestPages.Resolved resolved, int slot) {
        long offset = ringOffset + (long) slot * stride;
        MemorySegment segment = resolved.segment(resolved.stretch(offset));
        if (segment == null) {
            return "slot " + slot + " is not mapped";
        }
        return "wr_id " + RqWqe.wrId(segment, resolved.within(resolved.stretch(offset), offset));
    }
}
