// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.SrqAttr;
import org.paraverbs.pvrdma.guest.kernel.NativeMemory;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.spi.SharedReceiveQueueBase;

/** A shared receive queue: the program produces in its ring, the device consumes (provider qp.c). */
final class PvrdmaSharedReceiveQueue extends SharedReceiveQueueBase {
    private static final int MAX_RING = 1 << 30;

    private final PvrdmaContext context;
    private final PvrdmaProtectionDomain domain;
    private final int handle;
    private final OwnedMemory memory;
    private final Ring ring;

    private PvrdmaSharedReceiveQueue(
            PvrdmaContext context,
            PvrdmaProtectionDomain domain,
            int handle,
            int receives,
            int elements,
            OwnedMemory memory) {
        super(context, "SRQ " + handle + " of " + context.device().name(), receives, elements);
        this.context = context;
        this.domain = domain;
        this.handle = handle;
        this.memory = memory;
        this.ring = new Ring();
    }

    static PvrdmaSharedReceiveQueue create(
            PvrdmaContext context, PvrdmaProtectionDomain domain, int wantedReceives, int wantedElements) {
        requireRoom(context, wantedReceives, wantedElements);
        // Rounded up first, then compared by the driver (provider qp.c, pvrdma_srq.c).
        int receives = wantedReceives > MAX_RING ? MAX_RING : RingState.elements(wantedReceives);
        MemorySegment caps = context.driver().deviceCaps();
        boolean refused = receives > DeviceCaps.maxSrqWr(caps, 0) || wantedElements > DeviceCaps.maxSrqSge(caps, 0);
        // A page of ring states, and the ring twice: so the provider of rdma-core has it. What the driver will refuse
        // is
        // not worth allocating memory for.
        long ringSize = refused ? 0 : NativeMemory.wholePages((long) receives * RqWqe.stride(wantedElements));
        OwnedMemory memory = OwnedMemory.pages(PageDirectory.PAGE_SIZE + 2 * ringSize);
        try {
            int handle = context.driver()
                    .createSharedReceiveQueue(domain.handle(), receives, wantedElements, memory.segment());
            PvrdmaSharedReceiveQueue queue =
                    new PvrdmaSharedReceiveQueue(context, domain, handle, receives, wantedElements, memory);
            context.sharedReceiveQueues().put(handle, queue);
            return queue;
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    int handle() {
        return handle;
    }

    boolean isOf(PvrdmaProtectionDomain other) {
        return domain.equals(other);
    }

    /** Completions of receives that came from here have been taken out of a completion queue. Any thread. */
    void giveBack(int count) {
        ring.giveBack(count);
    }

    @Override
    public ReceiveQueue receiveQueue() {
        return ring;
    }

    @Override
    protected void armLimit(int limit) {
        context.driver().limitSharedReceiveQueue(handle, limit);
    }

    @Override
    protected int armedLimit() {
        MemorySegment attributes = MemorySegment.ofArray(new byte[SrqAttr.SIZE]);
        context.driver().querySharedReceiveQueue(handle, attributes);
        return SrqAttr.srqLimit(attributes, 0);
    }

    @Override
    protected void release() {
        ring.closeGate();
        context.sharedReceiveQueues().remove(handle);
        try {
            context.driver().destroySharedReceiveQueue(handle);
        } finally {
            memory.close();
        }
    }

    /** The ring; the first page has its state. */
    private final class Ring extends ReceiveRing {
        private final Uar uar = context.uar();
        private final int doorbell = Doorbell.SRQ_RECV | handle;

        Ring() {
            super(
                    PvrdmaSharedReceiveQueue.this.toString(),
                    memory.segment(),
                    PageDirectory.PAGE_SIZE,
                    receives(),
                    elements());
        }

        /** There are as many threads as there are completion queues. */
        @Override
        void giveBack(int count) {
            BACK.getAndAdd(this, count);
        }

        /** There is no state in which the provider would not take them. */
        @Override
        int refusal() {
            return 0;
        }

        @Override
        void ringDoorbell() {
            uar.ringSharedReceiveQueue(doorbell);
        }

        @Override
        protected String advice(int errno) {
            return "";
        }
    }
}
