// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.Sge;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.spi.ReceiveQueueBase;

/**
 * A ring of receives, of a queue pair or shared by several. Other than in the provider of rdma-core, a slot stays occupied
 * until the completion has been polled, so that a completion queue that holds as many never overflows.
 */
abstract class ReceiveRing extends ReceiveQueueBase {
    /** For {@link #back}. */
    static final VarHandle BACK;

    static {
        try {
            BACK = MethodHandles.lookup().findVarHandle(ReceiveRing.class, "back", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String description;
    private final MemorySegment rings;
    private final long ringOffset;
    private final int entries;
    private final int stride;

    /** The index of the first request of the batch: our own, so that what is read back need not be trusted. */
    private int tail;

    /** Receives posted so far, of which the count runs over after 2^32, which does no harm. */
    private int posted;

    /** Receives whose completions have been taken out of a completion queue, likewise. */
    @SuppressWarnings("unused") // through BACK
    private volatile int back;

    /** That of a queue pair, whose memory has both rings. */
    ReceiveRing(String description, MemorySegment rings, long ringOffset, QueuePairCapacity capacity) {
        super(description, capacity);
        this.description = description;
        this.rings = rings;
        this.ringOffset = ringOffset;
        this.entries = capacity.maxReceives();
        this.stride = RqWqe.stride(capacity.maxReceiveElements());
    }

    /** A shared one. */
    ReceiveRing(String description, MemorySegment rings, long ringOffset, int entries, int elements) {
        super(description, elements);
        this.description = description;
        this.rings = rings;
        this.ringOffset = ringOffset;
        this.entries = entries;
        this.stride = RqWqe.stride(elements);
    }

    /** An error number if no receives may be posted now; else 0. */
    abstract int refusal();

    abstract void ringDoorbell();

    /** Adds to the receives whose completions have been taken, polled or swept. By threads that poll. */
    abstract void giveBack(int count);

    @Override
    protected final int freeSlots() {
        int head = RingState.consHead(rings, RingState.RX_OFFSET);
        return RingState.isCorrupt(tail, head, entries)
                ? 0
                : Math.max(0, entries - Math.max(RingState.used(tail, head, entries), posted - back));
    }

    private long offset(int request) {
        return ringOffset + (long) RingState.slot(tail + request, entries) * stride;
    }

    @Override
    protected final void writeElement(int request, int element, long address, long length, int lkey) {
        long at = offset(request) + RqWqe.SIZE + (long) element * Sge.SIZE;
        Sge.addr(rings, at, address);
        Sge.lengthAndLkey(rings, at, (int) length, lkey);
    }

    @Override
    protected final void writeRequest(int request, long requestId, int elementCount) {
        long at = offset(request);
        RqWqe.wrId(rings, at, requestId);
        RqWqe.numSge(rings, at, elementCount);
    }

    @Override
    protected final int publish(int count) {
        int refusal = refusal();
        if (refusal != 0) {
            refuse(refusal);
            return 0;
        }
        posted += count;
        tail = tail + count & 2 * entries - 1;
        // pairs with the device's acquire of the tail: the receives are visible before the index that covers them
        RingState.publishProdTail(rings, RingState.RX_OFFSET, tail);
        ringDoorbell();
        return count;
    }

    /** Begins anew after a reset of the queue pair, with which the device forgot the ring. */
    final void restart() {
        restart(() -> {
            tail = 0;
            posted = 0;
            back = 0; // what was completed has been swept out
            RingState.publishConsHead(rings, RingState.RX_OFFSET, 0);
            RingState.publishProdTail(rings, RingState.RX_OFFSET, 0);
        });
    }

    /** The ring and the receives in it that the device has not taken. */
    @Override
    public String toString() {
        return RingText.of(description, rings, RingState.RX_OFFSET, entries, this::describe);
    }

    private String describe(int index) {
        long at = ringOffset + (long) RingState.slot(index, entries) * stride;
        return "receive " + RqWqe.wrId(rings, at)
                + RingText.elements(rings, at + RqWqe.SIZE, RqWqe.numSge(rings, at), stride - RqWqe.SIZE);
    }
}
