// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.Sge;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.spi.ReceiveQueueBase;

/** The receive ring. */
final class PvrdmaReceiveQueue extends ReceiveQueueBase {
    private final PvrdmaQueuePair pair;
    private final MemorySegment rings;
    private final long ringOffset;
    private final int entries;
    private final int stride;
    private final Uar uar;
    private final int doorbell;

    /** The index of the first request of the batch: our own, so that what is read back need not be trusted. */
    private int tail;

    PvrdmaReceiveQueue(PvrdmaQueuePair pair, MemorySegment rings, long ringOffset, QueuePairCapacity capacity) {
        super("receive queue of " + pair, capacity);
        this.pair = pair;
        this.rings = rings;
        this.ringOffset = ringOffset;
        this.entries = capacity.maxReceives();
        this.stride = RqWqe.stride(capacity.maxReceiveElements());
        this.uar = pair.uar();
        this.doorbell = Doorbell.QP_RECV | pair.handle();
    }

    @Override
    protected int freeSlots() {
        int head = RingState.consHead(rings, RingState.RX_OFFSET);
        return RingState.isCorrupt(tail, head, entries)
                ? 0
                : Math.max(0, entries - RingState.used(tail, head, entries));
    }

    private long offset(int request) {
        return ringOffset + (long) RingState.slot(tail + request, entries) * stride;
    }

    @Override
    protected void writeElement(int request, int element, long address, long length, int lkey) {
        long at = offset(request) + RqWqe.SIZE + (long) element * Sge.SIZE;
        Sge.addr(rings, at, address);
        Sge.lengthAndLkey(rings, at, (int) length, lkey);
    }

    @Override
    protected void writeRequest(int request, long requestId, int elementCount) {
        long at = offset(request);
        RqWqe.wrId(rings, at, requestId);
        RqWqe.numSge(rings, at, elementCount);
    }

    @Override
    protected int publish(int count) {
        if (!pair.takesReceives()) {
            refuse(Errno.EINVAL.number());
            return 0;
        }
        tail = tail + count & 2 * entries - 1;
        // pairs with the device's acquire of the tail: the receives are visible before the index that covers them
        RingState.publishProdTail(rings, RingState.RX_OFFSET, tail);
        uar.ringQueuePair(doorbell);
        return count;
    }

    @Override
    protected String advice(int errno) {
        return pair.postAdvice(errno, "receives may be posted from INIT on, go to Init first");
    }

    /** Begins anew after a reset of the queue pair, with which the device forgot the ring. */
    void restart() {
        restart(() -> {
            tail = 0;
            RingState.publishConsHead(rings, RingState.RX_OFFSET, 0);
            RingState.publishProdTail(rings, RingState.RX_OFFSET, 0);
        });
    }
}
