// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.ReceiveWorkRequest;

/**
 * The receive queue of all providers: checks descriptions and keeps the rules of a batch; a provider writes the requests
 * in its own form. It is its own flyweight.
 */
public abstract class ReceiveQueueBase extends WorkQueueBase implements ReceiveQueue, ReceiveWorkRequest {

    private long id;

    /**
     * The receive queue of a new queue pair.
     *
     * @param description what it is, for messages, as {@code receive queue of QP 0x11 of emu0}
     * @param capacity the sizes that the device gave
     */
    protected ReceiveQueueBase(String description, QueuePairCapacity capacity) {
        super("ibv_post_recv", description, capacity.maxReceiveElements(), "QueuePairSpec.withElements");
    }

    /**
     * The queue of a new shared receive queue.
     *
     * @param description what it is, for messages, as {@code SRQ 3 of emu0}
     * @param maxElements the most elements of a receive that the device gave
     */
    protected ReceiveQueueBase(String description, int maxElements) {
        super("ibv_post_srq_recv", description, maxElements, "ProtectionDomain.createSharedReceiveQueue");
    }

    /**
     * Writes the rest of a receive, whose elements have been written before.
     *
     * @param request the number of the request within the batch, from 0
     * @param requestId comes back in the completion
     * @param elementCount the number of scatter/gather elements
     */
    protected abstract void writeRequest(int request, long requestId, int elementCount);

    @Override
    final void finish(int request, int elementCount) {
        writeRequest(request, id, elementCount);
    }

    @Override
    public final ReceiveWorkRequest receive(long requestId) {
        begin();
        id = requestId;
        return this;
    }

    @Override
    public final ReceiveWorkRequest local(MemoryRegion region, long offset, long length) {
        addElement(region, offset, length);
        return this;
    }
}
