// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.paraverbs.ffm.struct.IbvSendWr;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.spi.AddressHandleBase;
import org.paraverbs.verbs.spi.MemoryRegionBase;
import org.paraverbs.verbs.spi.MemoryWindowBase;
import org.paraverbs.verbs.spi.SendOperation;
import org.paraverbs.verbs.spi.SendQueueBase;

/** The send queue of a queue pair: writes {@code ibv_send_wr} and posts them. */
final class NativeSendQueue extends SendQueueBase {
    private final NativeProtectionDomain domain;
    private final NativeQueuePair pair;
    private final RequestBatch batch;
    private final MemorySegment requests;
    private final MemorySegment inlineData;
    private final int maxInlineSize;

    /** The account of the request being written; the queue pair gets another one by a reset. */
    private RequestRing ring;

    /** What the requests of the batch point to: the library looks into it when they are posted. */
    private final NamedResources named;

    NativeSendQueue(
            NativeContext context,
            NativeProtectionDomain domain,
            NativeQueuePair pair,
            QueuePairCapacity asked,
            QueuePairCapacity capacity,
            boolean signalAll,
            RequestBatch batch) {
        super(context, "send queue of " + pair, pair.type(), asked, capacity, signalAll);
        this.domain = domain;
        this.pair = pair;
        this.batch = batch;
        this.requests = batch.memory();
        this.maxInlineSize = capacity.maxInlineSize();
        this.inlineData = Arena.ofAuto().allocate((long) capacity.maxSends() * maxInlineSize);
        this.ring = pair.ring(false);
        this.named =
                new NamedResources(pair, requests, batch, capacity.maxSends(), context.supports(Feature.MEMORY_WINDOW));
    }

    @Override
    protected boolean accepts(AddressHandleBase handle) {
        return handle instanceof NativeAddressHandle ours && ours.isOf(domain);
    }

    @Override
    protected boolean accepts(MemoryWindowBase bound, MemoryRegionBase region) {
        return bound instanceof NativeMemoryWindow window
                && window.isOf(domain)
                && region instanceof NativeMemoryRegion ours
                && ours.isOf(domain);
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
        IbvSendWr.qpTypeXrcRemoteSrqn(requests, at, destinationSharedReceiveQueue());
        switch (operation) {
            case SEND, SEND_WITH_IMMEDIATE -> {
                if (destination() instanceof NativeAddressHandle handle) {
                    named.destination(request, handle);
                    IbvSendWr.udAh(requests, at, handle.pointer());
                    IbvSendWr.udRemoteQpn(requests, at, destinationQpn());
                    IbvSendWr.udRemoteQkey(requests, at, destinationQkey());
                }
            }
            case WRITE, WRITE_WITH_IMMEDIATE, READ -> {
                IbvSendWr.rdmaRemoteAddr(requests, at, remoteAddress());
                IbvSendWr.rdmaRkey(requests, at, rkey());
            }
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> {
                IbvSendWr.atomicRemoteAddr(requests, at, remoteAddress());
                IbvSendWr.atomicCompareAdd(requests, at, compareOrAdd());
                IbvSendWr.atomicSwap(requests, at, swap());
                IbvSendWr.atomicRkey(requests, at, rkey());
            }
            case LOCAL_INVALIDATE, SEND_WITH_INVALIDATE -> IbvSendWr.invalidateRkey(requests, at, rkey());
            case BIND_MEMORY_WINDOW -> writeBind(request, at);
        }
    }

    private void writeBind(int request, long at) {
        if (window() instanceof NativeMemoryWindow window && windowRegion() instanceof NativeMemoryRegion region) {
            named.binding(request, window, region);
            IbvSendWr.bindMwMw(requests, at, window.pointer());
            IbvSendWr.bindMwRkey(requests, at, windowKey());
            IbvSendWr.bindMwBindInfoMr(requests, at, region.pointer());
            IbvSendWr.bindMwBindInfoAddr(requests, at, remoteAddress());
            IbvSendWr.bindMwBindInfoLength(requests, at, windowLength());
            IbvSendWr.bindMwBindInfoMwAccessFlags(requests, at, AccessFlags.remote(windowAccess()));
        }
    }

    @Override
    protected int publish(int count) {
        RequestRing current = pair.ring(false);
        if (!batch.isOf(current) || !pair.takesSends()) {
            refuse(Errno.EINVAL.number());
            return 0;
        }
        int usable = named.usable(count);
        int taken = usable == 0 ? 0 : batch.post(usable, current);
        named.posted(taken);
        if (taken < usable) {
            refuse(batch.errno());
        } else if (usable < count) {
            refuse(Errno.EINVAL.number());
        }
        return taken;
    }

    @Override
    protected String advice(int errno) {
        String fault = named.fault();
        if (!fault.isEmpty()) {
            return fault;
        }
        return pair.postAdvice(errno, false);
    }
}
