// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.Cqe;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.verbs.Errno;

/** A completion queue: the device produces, the guest consumes. Everything here belongs to the ticket's holder. */
final class CompletionQueue {
    private static final int FLAGS_MASK = 0xff;
    private static final int BYTE_MASK = 0xff;
    private static final int NETWORK_SHIFT = 8;
    private static final int SL_SHIFT = 16;

    final int handle;
    final Arming arming = new Arming();

    /** Whose it is; null for the kernel's. */
    final @Nullable UserContext context;

    /** The page of the user access region that it is rung by. */
    final int uarPage;

    /** Queue pair ends that complete here; the queue cannot go before them. */
    int users;

    private final GuestPages pages;
    private final HeldBack heldBack;
    private int entries;
    private int tail;
    private int headSeen;
    private boolean failed;

    /**
     * An empty queue.
     *
     * @param mostHeldBack how many completions it holds back when its ring is full; 0 for one that overruns
     */
    CompletionQueue(int handle, @Nullable UserContext context, int entries, GuestPages pages, int mostHeldBack) {
        this.handle = handle;
        this.context = context;
        this.uarPage = UserContext.pageOf(context);
        this.entries = entries;
        this.pages = pages;
        this.heldBack = new HeldBack(mostHeldBack);
    }

    /** Pages of its ring, header included. */
    int pages() {
        return (int) (pages.length() >>> PageDirectory.PAGE_SHIFT);
    }

    /** Flags of a completion that also says how a datagram came. */
    static int flags(int wcFlags, int networkType, int serviceLevel) {
        return wcFlags | networkType << NETWORK_SHIFT | serviceLevel << SL_SHIFT;
    }

    /** Whether it overran or its ring was corrupt: nothing is put in it any more. */
    boolean isFailed() {
        return failed;
    }

    void fail() {
        failed = true;
        heldBack.clear();
    }

    /** How many completions wait for room in the ring. */
    int heldBack() {
        return heldBack.count();
    }

    /** Whether completions wait for room in the ring. Any thread. */
    boolean isHolding() {
        return !heldBack.isEmpty();
    }

    /**
     * Writes a completion, in the ring or, when that is full and the queue grows, behind those that wait for room.
     *
     * @param flags those of {@link org.paraverbs.pvrdma.abi.WcFlags}, or what {@link #flags} gave
     * @return false when there is no room, or the ring is corrupt or unmapped
     */
    boolean put(
            long wrId,
            int queuePair,
            int opcode,
            int status,
            long byteLength,
            int immediate,
            int sourceQpn,
            int flags) {
        GuestPages.Resolved resolved = pages.resolved();
        MemorySegment header = resolved.segment(0);
        if (header == null) {
            return false;
        }
        if (isHolding() && !publishHeld(header, resolved)) {
            return false;
        }
        int room = isHolding() ? 0 : room(header);
        if (room < 0) {
            return false;
        }
        MemorySegment segment;
        long at;
        if (room > 0) {
            long offset = entryOffset(RingState.slot(tail, entries));
            int stretch = resolved.stretch(offset);
            segment = resolved.segment(stretch);
            at = resolved.within(stretch, offset);
        } else if (heldBack.isFull()) {
            return false;
        } else {
            at = heldBack.freeOffset();
            segment = heldBack.memory();
        }
        if (segment == null) {
            return false;
        }
        Cqe.write(
                segment,
                at,
                wrId,
                queuePair,
                opcode,
                status,
                (int) byteLength,
                immediate,
                sourceQpn,
                flags & FLAGS_MASK,
                flags >>> NETWORK_SHIFT & BYTE_MASK,
                flags >>> SL_SHIFT);
        if (room > 0) {
            publish(header);
        } else {
            heldBack.add();
        }
        return true;
    }

    /** Free entries, as far as it is known; -1 when the guest's index is none. */
    private int room(MemorySegment header) {
        if (RingState.used(tail, headSeen, entries) >= entries) {
            int head = RingState.consHead(header, RingState.RX_OFFSET);
            if (RingState.isCorrupt(tail, head, entries) || RingState.used(tail, head, entries) > entries) {
                return -1;
            }
            headSeen = head;
        }
        return entries - RingState.used(tail, headSeen, entries);
    }

    private void publish(MemorySegment header) {
        tail = RingState.next(tail, entries);
        // pairs with the guest's acquire of the tail: the completion is visible before the index that covers it
        RingState.publishProdTail(header, RingState.RX_OFFSET, tail);
    }

    /**
     * Moves completions that wait into the ring.
     *
     * @return false when the ring is corrupt or unmapped
     */
    private boolean publishHeld(MemorySegment header, GuestPages.Resolved resolved) {
        int room = room(header);
        for (; room > 0 && !heldBack.isEmpty(); room = room(header)) { // at most what waits
            long offset = entryOffset(RingState.slot(tail, entries));
            int stretch = resolved.stretch(offset);
            MemorySegment segment = resolved.segment(stretch);
            if (segment == null) {
                return false;
            }
            MemorySegment.copy(
                    heldBack.memory(), heldBack.offset(0), segment, resolved.within(stretch, offset), Cqe.SIZE);
            heldBack.removeFirst();
            publish(header);
        }
        return room >= 0;
    }

    /**
     * Moves completions that wait into the ring, as far as there is room.
     *
     * @return false when the ring is corrupt or unmapped
     */
    boolean publishHeld() {
        GuestPages.Resolved resolved = pages.resolved();
        MemorySegment header = resolved.segment(0);
        return header != null && publishHeld(header, resolved);
    }

    /** Drops what waits of a queue pair that is reset or destroyed. */
    void forget(int queuePair) {
        if (isHolding()) {
            heldBack.forget(queuePair);
        }
    }

    /**
     * Changes the number of entries, within the pages, while the guest does not touch the ring. What it has not consumed is
     * moved to the front; the indices start over.
     */
    void resize(int newEntries) throws RefusedException {
        GuestPages.Resolved resolved = pages.resolved();
        MemorySegment header = resolved.segment(0);
        int head = header == null ? -1 : RingState.consHead(header, RingState.RX_OFFSET);
        if (header == null || failed || RingState.isCorrupt(tail, head, entries)) {
            throw RefusedException.invalid("the completion queue has overrun, or its ring is corrupt or unmapped");
        }
        int waiting = RingState.used(tail, head, entries);
        RefusedException.unless(
                waiting <= newEntries && waiting <= entries,
                "it holds more completions than " + newEntries + " entries take; completions",
                waiting);
        MemorySegment moved = MemorySegment.ofArray(new byte[waiting * Cqe.SIZE]);
        for (int i = 0; i < waiting; i++) {
            long offset = entryOffset(RingState.slot(head + i, entries));
            copyEntry(requireEntry(resolved, offset), resolved, offset, moved, (long) i * Cqe.SIZE, false);
        }
        for (int i = 0; i < waiting; i++) {
            long offset = entryOffset(i);
            copyEntry(requireEntry(resolved, offset), resolved, offset, moved, (long) i * Cqe.SIZE, true);
        }
        entries = newEntries;
        tail = waiting;
        headSeen = 0;
        RingState.publishConsHead(header, RingState.RX_OFFSET, 0);
        RingState.publishProdTail(header, RingState.RX_OFFSET, waiting);
    }

    private static long entryOffset(int slot) {
        return PageDirectory.PAGE_SIZE + (long) slot * Cqe.SIZE;
    }

    private static MemorySegment requireEntry(GuestPages.Resolved resolved, long offset) throws RefusedException {
        MemorySegment segment = resolved.segment(resolved.stretch(offset));
        if (segment == null) {
            throw new RefusedException(Errno.EFAULT, "the ring of the completion queue is not mapped any more");
        }
        return segment;
    }

    /** Copies an entry out of the ring or back; one never crosses a page. */
    private static void copyEntry(
            MemorySegment segment,
            GuestPages.Resolved resolved,
            long offset,
            MemorySegment heap,
            long at,
            boolean back) {
        long within = resolved.within(resolved.stretch(offset), offset);
        MemorySegment.copy(
                back ? heap : segment, back ? at : within, back ? segment : heap, back ? within : at, Cqe.SIZE);
    }

    /** The queue with what the guest has not consumed; see {@link RingText}. */
    @Override
    public String toString() {
        return "CQ " + handle + " of " + entries + " entries: " + waitingText()
                + (isHolding() ? ", " + heldBack() + " held back" : "") + arming + (failed ? ", failed" : "");
    }

    private String waitingText() {
        try {
            GuestPages.Resolved resolved = pages.resolved();
            MemorySegment header = resolved.segment(0);
            if (header == null) {
                return "not mapped";
            }
            int head = RingState.consHead(header, RingState.RX_OFFSET);
            return RingText.entries(tail, head, entries, slot -> entryText(resolved, slot));
        } catch (RuntimeException | InternalError e) {
            return "cannot be read";
        }
    }

    private static String entryText(GuestPages.Resolved resolved, int slot) {
        long offset = entryOffset(slot);
        MemorySegment segment = resolved.segment(resolved.stretch(offset));
        if (segment == null) {
            return "slot " + slot + " is not mapped";
        }
        long at = resolved.within(resolved.stretch(offset), offset);
        return "QP " + Cqe.qp(segment, at) + " wr_id " + Cqe.wrId(segment, at) + " opcode " + Cqe.opcode(segment, at)
                + " status " + Cqe.status(segment, at);
    }
}
