// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.spi.ReceiveQueueBase;

/** The receive queue of a queue pair: writes {@code ibv_recv_wr} and posts them. */
final class NativeReceiveQueue extends ReceiveQueueBase {
    private final NativeQueuePair pair;
    private final RequestBatch batch;

    /** The account of the request being written; the queue pair gets another one by a reset. */
    private RequestRing ring;

    NativeReceiveQueue(NativeQueuePair pair, QueuePairCapacity capacity, RequestBatch batch) {
        super("receive queue of " + pair, capacity);
        this.pair = pair;
        this.batch = batch;
        this.ring = pair.ring(true);
    }

    @Override
    protected int freeSlots() {
        ring = pair.ring(true);
        return ring.free();
    }

    @Override
    protected void writeElement(int request, int element, long address, long length, int lkey) {
        batch.element(request, element, address, length, lkey);
    }

    @Override
    protected void writeRequest(int request, long requestId, int elementCount) {
        batch.describe(request, ring.describe(request, requestId), elementCount);
    }

    @Override
    protected int publish(int count) {
        RequestRing current = pair.ring(true);
        if (!batch.isOf(current) || !pair.takesReceives()) {
            refuse(Errno.EINVAL.number());
            return 0;
        }
        int taken = batch.post(count, current);
        if (taken < count) {
            refuse(batch.errno());
        }
        return taken;
    }

    @Override
    protected String advice(int errno) {
        return pair.postAdvice(errno, true);
    }
}
