// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.paraverbs.ffm.lib.DataPath;
import org.paraverbs.ffm.struct.IbvRecvWr;
import org.paraverbs.ffm.struct.IbvSge;
import org.paraverbs.verbs.Errno;

/**
 * The requests of a batch in the library's form: an array of {@code ibv_send_wr} or {@code ibv_recv_wr}, and their
 * scatter/gather elements. Who points to whom is written once; a post cuts the list after its last request and mends it
 * afterwards, and is one downcall.
 *
 * <p>Both structs begin alike (wr_id, next, sg_list, num_sge), so the accessors of the shorter one serve both.
 */
final class RequestBatch {

    /** A signal per call is rare; this many in a row are a defect. */
    private static final int INTERRUPTIONS_MAX = 1000;

    private final MemorySegment function;
    private final long queue;
    private final int capacity;
    private final int maxElements;
    private final long requestSize;
    private final long firstRefusedAt;
    private final long elementsAt;

    /** Freed by the collector: a thread that describes a request while the queue is closed does no harm. */
    private final MemorySegment memory;

    private final long address;

    private int errno;

    /**
     * An empty batch.
     *
     * @param function {@code post_send}, {@code post_recv} or {@code post_srq_recv} of the open device
     * @param queue the {@code ibv_qp} or {@code ibv_srq}
     * @param capacity the most requests in a batch
     * @param maxElements the most elements of a request
     * @param requestSize the size of its struct
     */
    RequestBatch(MemorySegment function, long queue, int capacity, int maxElements, long requestSize) {
        this.function = function;
        this.queue = queue;
        this.capacity = capacity;
        this.maxElements = Math.max(1, maxElements);
        this.requestSize = requestSize;
        this.firstRefusedAt = capacity * requestSize;
        this.elementsAt = firstRefusedAt + Long.BYTES;
        this.memory =
                Arena.ofAuto().allocate(elementsAt + (long) capacity * this.maxElements * IbvSge.SIZE, Long.BYTES);
        this.address = memory.address();
        for (int request = 0; request < capacity; request++) {
            IbvRecvWr.next(memory, at(request), request + 1 < capacity ? address + at(request + 1) : 0);
            IbvRecvWr.sgList(memory, at(request), address + elementAt(request, 0));
        }
    }

    /** All requests, for the fields that only one of the structs has. */
    MemorySegment memory() {
        return memory;
    }

    /** Where a request begins in the memory. */
    long at(int request) {
        return request * requestSize;
    }

    private long elementAt(int request, int element) {
        return elementsAt + ((long) request * maxElements + element) * IbvSge.SIZE;
    }

    void element(int request, int element, long elementAddress, long length, int lkey) {
        long at = elementAt(request, element);
        IbvSge.addr(memory, at, elementAddress);
        IbvSge.length(memory, at, (int) length);
        IbvSge.lkey(memory, at, lkey);
    }

    /** The length of the only element of a request, unsigned. */
    int firstElementLength(int request) {
        return IbvSge.length(memory, elementAt(request, 0));
    }

    void describe(int request, long wrId, int elementCount) {
        IbvRecvWr.wrId(memory, at(request), wrId);
        IbvRecvWr.numSge(memory, at(request), elementCount);
    }

    /** Whether the batch was begun on this account: after a reset it was not, and its requests are forgotten. */
    boolean isOf(RequestRing ring) {
        return ring.owns(IbvRecvWr.wrId(memory, 0));
    }

    /**
     * Posts the first requests.
     *
     * @param count how many, from 1
     * @param account the account of their queue
     * @return how many the device took; after fewer, {@link #errno()} says why
     */
    int post(int count, RequestAccount account) {
        long last = at(count - 1);
        IbvRecvWr.next(memory, last, 0);
        account.post(count);
        int taken = 0;
        int interruptions = 0;
        do {
            errno = postFrom(taken);
            taken = errno == 0 ? count : Math.max(taken, firstRefused(taken, count));
        } while (errno == Errno.EINTR.number() && taken < count && ++interruptions < INTERRUPTIONS_MAX);
        account.retract(count - taken);
        IbvRecvWr.next(memory, last, count < capacity ? address + at(count) : 0);
        return taken;
    }

    private int postFrom(int request) {
        memory.set(ValueLayout.JAVA_LONG, firstRefusedAt, 0);
        try {
            return DataPath.post(function, queue, address + at(request), address + firstRefusedAt);
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    /** The number of the request that the library pointed to; if to none of ours, the first of the call: none was taken. */
    private int firstRefused(int from, int count) {
        long distance = memory.get(ValueLayout.JAVA_LONG, firstRefusedAt) - address;
        boolean ours = distance >= at(from) && distance < at(count) && distance % requestSize == 0;
        return ours ? (int) (distance / requestSize) : from;
    }

    int errno() {
        return errno;
    }
}
