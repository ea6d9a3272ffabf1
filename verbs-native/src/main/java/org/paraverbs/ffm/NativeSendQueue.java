// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.struct.IbvSendWr;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.spi.AddressHandleBase;
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

    /**
     * Where the datagrams of the batch go, by the number of the request; empty on other queue pairs. The library looks into
     * their {@code ibv_ah} when they are posted, so none that was closed since may be among them.
     */
    private final @Nullable AddressHandleBase[] destinations;

    /** The one because of which the last post was cut short. */
    private @Nullable AddressHandleBase closedDestination;

    NativeSendQueue(
            NativeContext context,
            NativeProtectionDomain domain,
            NativeQueuePair pair,
            QueuePairCapacity capacity,
            boolean signalAll,
            RequestBatch batch) {
        super(context, "send queue of " + pair, pair.type(), capacity, signalAll);
        this.domain = domain;
        this.pair = pair;
        this.batch = batch;
        this.requests = batch.memory();
        this.maxInlineSize = capacity.maxInlineSize();
        this.inlineData = Arena.ofAuto().allocate((long) capacity.maxSends() * maxInlineSize);
        this.ring = pair.ring(false);
        this.destinations =
                new AddressHandleBase[pair.type() == QueuePairType.UNRELIABLE_DATAGRAM ? capacity.maxSends() : 0];
    }

    @Override
    protected boolean accepts(AddressHandleBase handle) {
        return handle instanceof NativeAddressHandle ours && ours.isOf(domain);
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
        if (destination() instanceof NativeAddressHandle handle) {
            destinations[request] = handle;
            IbvSendWr.udAh(requests, at, handle.pointer());
            IbvSendWr.udRemoteQpn(requests, at, destinationQpn());
            IbvSendWr.udRemoteQkey(requests, at, destinationQkey());
        } else if (operation.isAtomic()) {
            IbvSendWr.atomicRemoteAddr(requests, at, remoteAddress());
            IbvSendWr.atomicCompareAdd(requests, at, compareOrAdd());
            IbvSendWr.atomicSwap(requests, at, swap());
            IbvSendWr.atomicRkey(requests, at, rkey());
        } else {
            IbvSendWr.rdmaRemoteAddr(requests, at, remoteAddress());
            IbvSendWr.rdmaRkey(requests, at, rkey());
        }
    }

    @Override
    protected int publish(int count) {
        RequestRing current = pair.ring(false);
        if (!batch.isOf(current) || !pair.takesSends()) {
            refuse(Errno.EINVAL.number());
            return 0;
        }
        int usable = usable(count);
        int taken = usable == 0 ? 0 : batch.post(usable, current);
        if (taken < usable) {
            refuse(batch.errno());
        } else if (usable < count) {
            refuse(Errno.EINVAL.number());
        }
        return taken;
    }

    /**
     * How many of the first requests name nothing that has been closed since they were described. Inside the gate, which
     * {@link NativeAddressHandle#release} waits for after it was marked.
     */
    private int usable(int count) {
        int limit = Math.min(count, destinations.length);
        for (int request = 0; request < limit; request++) {
            AddressHandleBase destination = destinations[request];
            if (destination == null || !destination.isOpen()) {
                closedDestination = destination;
                return request;
            }
        }
        return count;
    }

    @Override
    protected String advice(int errno) {
        AddressHandleBase closed = closedDestination;
        if (closed != null) {
            closedDestination = null;
            return "the " + closed + " has been closed since the request was described";
        }
        return pair.postAdvice(errno, false);
    }
}
