// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.paraverbs.ffm.struct.IbvSendWr;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.spi.SendOperation;
import org.paraverbs.verbs.spi.SendQueueBase;

/** The send queue of a queue pair: writes {@code ibv_send_wr} and posts them. */
final class NativeSendQueue extends SendQueueBase {
    private final NativeQueuePair pair;
    private final RequestBatch batch;
    private final MemorySegment requests;
    private final MemorySegment inlineData;
    private final int maxInlineSize;

    /** The account of the request being written; the queue pair gets another one by a reset. */
    private RequestRing ring;

    NativeSendQueue(
            NativeContext context,
            NativeQueuePair pair,
            QueuePairCapacity capacity,
            boolean signalAll,
            RequestBatch batch) {
        super(context, "send queue of " + pair, pair.type(), capacity, signalAll);
        this.pair = pair;
        this.batch = batch;
        this.requests = batch.memory();
        this.maxInlineSize = capacity.maxInlineSize();
        this.inlineData = Arena.ofAuto().allocate((long) capacity.maxSends() * maxInlineSize);
        this.ring = pair.ring(false);
    }

    @Override
    protected int freeSlots() {
        ring = pair.ring(false);
        return ring.free();
    }

    @Override
    protected void writeElement(int request, int element, long address, long length, int lkey) {
        batch.element(request, element, address, length, lkey);
    }

    @Override
    protected void writeInline(int request, MemorySegment data, long offset, long length) {
        long at = (long) request * maxInlineSize;
        MemorySegment.copy(data, offset, inlineData, at, length);
        batch.element(request, 0, inlineData.address() + at, length, 0);
    }

    @Override
    protected void writeRequest(int request, SendOperation operation, long requestId, int elementCount, int sendFlags) {
        long at = batch.at(request);
        int flags = sendFlags;
        int elements = elementCount;
        if ((flags & INLINE) != 0) {
            // An element of no bytes means 2 GiB to some devices.
            elements = batch.firstElementLength(request) == 0 ? 0 : 1;
            flags = elements == 0 ? flags & ~INLINE : flags;
        }
        batch.describe(request, ring.describe(request, requestId), elements);
        IbvSendWr.opcode(requests, at, operation.code());
        IbvSendWr.sendFlags(requests, at, flags);
        IbvSendWr.immData(requests, at, immediate());
        IbvSendWr.rdmaRemoteAddr(requests, at, remoteAddress());
        IbvSendWr.rdmaRkey(requests, at, rkey());
    }

    @Override
    protected int publish(int count) {
        RequestRing current = pair.ring(false);
        if (!batch.isOf(current) || !pair.takesSends()) {
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
        return pair.postAdvice(errno, false);
    }
}
