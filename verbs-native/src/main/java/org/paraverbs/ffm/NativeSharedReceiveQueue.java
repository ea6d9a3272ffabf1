// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.SharedReceiveVerbs;
import org.paraverbs.ffm.lib.XrcVerbs;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvRecvWr;
import org.paraverbs.ffm.struct.IbvSrqAttr;
import org.paraverbs.ffm.struct.IbvSrqInitAttr;
import org.paraverbs.ffm.struct.IbvSrqInitAttrEx;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.spi.ReceiveQueueBase;
import org.paraverbs.verbs.spi.SharedReceiveQueueBase;

/** {@code ibv_srq}. */
final class NativeSharedReceiveQueue extends SharedReceiveQueueBase implements RequestOwner {
    private final NativeContext context;
    private final NativeProtectionDomain domain;
    private final @Nullable Extended extended;
    private final long queue;
    private final int slot;
    private final SharedReceiveAccount account;
    private final Receives receiveQueue;

    private NativeSharedReceiveQueue(
            NativeContext context,
            NativeProtectionDomain domain,
            @Nullable Extended extended,
            long queue,
            int slot,
            int receives,
            int elements) {
        super(context, "shared receive queue of " + context.device().name(), receives, elements);
        this.context = context;
        this.domain = domain;
        this.extended = extended;
        this.queue = queue;
        this.slot = slot;
        this.account = new SharedReceiveAccount(
                RequestId.queue(slot, context.requestOwners().nextGeneration(slot), true), receives);
        this.receiveQueue = new Receives(
                toString(),
                elements,
                account,
                new RequestBatch(context.postSharedReceiveFunction(), queue, receives, elements, IbvRecvWr.SIZE));
    }

    /**
     * What a queue of an XRC domain has in addition.
     *
     * @param domain the XRC domain
     * @param completions where its receives complete
     */
    record Extended(NativeXrcDomain domain, NativeCompletionQueue completions) {}

    static NativeSharedReceiveQueue create(
            NativeContext context,
            NativeProtectionDomain domain,
            int receives,
            int elements,
            @Nullable Extended extended) {
        requireRoom(context, receives, elements);
        String object = wanted(context, receives, elements);
        SlotTable<RequestOwner> table = context.requestOwners();
        int slot = table.reserve();
        if (slot < 0) {
            throw new VerbsException("ibv_create_srq", object, Errno.ENOMEM, RequestId.TABLE_FULL);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(IbvSrqInitAttrEx.SIZE, Long.BYTES);
            // Both structs begin alike.
            IbvSrqInitAttr.srqContext(attributes, slot);
            MemorySegment sizes = IbvSrqInitAttr.attr(attributes);
            IbvSrqAttr.maxWr(sizes, receives);
            IbvSrqAttr.maxSge(sizes, elements);
            long queue = NativeCall.nonNull(
                    "ibv_create_srq",
                    object,
                    errno -> context.advice().sharedReceiveQueue(errno, receives, elements),
                    errno -> extended == null
                            ? SharedReceiveVerbs.createSrq(errno, domain.pointer(), attributes)
                            : createExtended(errno, context, domain, extended, attributes));
            try {
                // The device writes back what it gave.
                int given = IbvSrqAttr.maxWr(sizes);
                if (given > RequestRing.CAPACITY_MAX) {
                    throw new VerbsException(
                            "ibv_create_srq",
                            object,
                            Errno.EINVAL,
                            "more than " + RequestRing.CAPACITY_MAX
                                    + " receives are not supported, and the device gave " + given);
                }
                NativeSharedReceiveQueue created = new NativeSharedReceiveQueue(
                        context, domain, extended, queue, slot, given, IbvSrqAttr.maxSge(sizes));
                table.put(slot, created);
                return created;
            } catch (RuntimeException e) {
                SharedReceiveVerbs.destroySrq(queue);
                throw e;
            }
        } catch (RuntimeException e) {
            table.free(slot);
            throw e;
        }
    }

    private static long createExtended(
            MemorySegment errno,
            NativeContext context,
            NativeProtectionDomain domain,
            Extended extended,
            MemorySegment attributes) {
        IbvSrqInitAttrEx.compMask(
                attributes,
                IbvConstants.IBV_SRQ_INIT_ATTR_TYPE
                        | IbvConstants.IBV_SRQ_INIT_ATTR_PD
                        | IbvConstants.IBV_SRQ_INIT_ATTR_XRCD
                        | IbvConstants.IBV_SRQ_INIT_ATTR_CQ);
        IbvSrqInitAttrEx.srqType(attributes, IbvConstants.IBV_SRQT_XRC);
        IbvSrqInitAttrEx.pd(attributes, domain.pointer());
        IbvSrqInitAttrEx.xrcd(attributes, extended.domain().pointer());
        IbvSrqInitAttrEx.cq(attributes, extended.completions().pointer());
        return XrcVerbs.createSrqEx(errno, context.pointer(), attributes);
    }

    /** Where its receives complete if it is of this XRC domain; else null. */
    @SuppressWarnings("ReferenceEquality") // this very domain
    @Nullable
    NativeCompletionQueue completionsIn(NativeXrcDomain asked) {
        return extended != null && extended.domain() == asked ? extended.completions() : null;
    }

    @Override
    public int number() {
        if (extended == null) {
            return super.number();
        }
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment answer = arena.allocate(ValueLayout.JAVA_INT);
                NativeCall.zero(
                        "ibv_get_srq_num",
                        toString(),
                        context.advice()::general,
                        () -> XrcVerbs.getSrqNum(context.pointer(), queue, answer));
                return answer.get(ValueLayout.JAVA_INT, 0);
            }
        });
    }

    /** The {@code ibv_srq}, valid inside {@link #whileOpen} and until dependents are closed. */
    long pointer() {
        return queue;
    }

    /** Whether queue pairs of the protection domain may take receives from it. */
    boolean isOf(NativeProtectionDomain asked) {
        return domain == asked && extended == null;
    }

    /** Always that of receives: an id of another direction is not claimed from it. */
    @Override
    public RequestAccount account(boolean ofReceives) {
        return account;
    }

    /** The id leads here, and the queue pair is looked for: this is for failures only. */
    @Override
    public void noteFailed(WorkCompletion completion) {
        int qpn = completion.qpn();
        context.requestOwners().forEach(owner -> {
            if (owner instanceof NativeQueuePair pair && pair.qpn() == qpn) {
                pair.noteFailed(completion);
            }
        });
    }

    @Override
    public ReceiveQueue receiveQueue() {
        return receiveQueue;
    }

    @Override
    protected void armLimit(int limit) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(IbvSrqAttr.SIZE, Long.BYTES);
            IbvSrqAttr.srqLimit(attributes, limit);
            NativeCall.zero(
                    "ibv_modify_srq",
                    limitOf(limit),
                    context.advice()::general,
                    () -> SharedReceiveVerbs.modifySrq(queue, attributes, IbvConstants.IBV_SRQ_LIMIT));
        }
    }

    @Override
    protected int armedLimit() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(IbvSrqAttr.SIZE, Long.BYTES);
            NativeCall.zero(
                    "ibv_query_srq",
                    toString(),
                    context.advice()::general,
                    () -> SharedReceiveVerbs.querySrq(queue, attributes));
            return IbvSrqAttr.srqLimit(attributes);
        }
    }

    @Override
    protected void release() {
        receiveQueue.closeGate();
        context.requestOwners().remove(slot);
        NativeCall.zero(
                "ibv_destroy_srq", toString(), context.advice()::release, () -> SharedReceiveVerbs.destroySrq(queue));
        context.requestOwners().free(slot);
    }

    /** Writes {@code ibv_recv_wr} and posts them. */
    private final class Receives extends ReceiveQueueBase {
        private final SharedReceiveAccount slots;
        private final RequestBatch batch;

        Receives(String description, int maxElements, SharedReceiveAccount slots, RequestBatch batch) {
            super(description, maxElements);
            this.slots = slots;
            this.batch = batch;
        }

        @Override
        protected int freeSlots() {
            return slots.free();
        }

        @Override
        protected void writeElement(int request, int element, long address, long length, int lkey) {
            batch.element(request, element, address, length, lkey);
        }

        @Override
        protected void writeRequest(int request, long requestId, int elementCount) {
            batch.describe(request, slots.describe(request, requestId), elementCount);
        }

        @Override
        protected int publish(int count) {
            int taken = batch.post(count, slots);
            if (taken < count) {
                refuse(batch.errno());
            }
            return taken;
        }

        @Override
        protected String advice(int errno) {
            return context.advice().general(errno);
        }
    }
}
