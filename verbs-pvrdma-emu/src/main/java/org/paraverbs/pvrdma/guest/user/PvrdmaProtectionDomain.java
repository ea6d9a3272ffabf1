// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.guest.kernel.RegisteredMemory;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.PageSize;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.spi.MemoryRegionBase;
import org.paraverbs.verbs.spi.ResourceBase;

/** A protection domain. */
final class PvrdmaProtectionDomain extends ResourceBase implements ProtectionDomain {
    private final PvrdmaContext context;
    private final int handle;

    PvrdmaProtectionDomain(PvrdmaContext context, int handle) {
        super(context, "PD " + handle + " of " + context.device().name());
        this.context = context;
        this.handle = handle;
    }

    int handle() {
        return handle;
    }

    @Override
    public MemoryRegion allocate(long byteSize, PageSize pageSize, Access... access) {
        Set<Access> rights = MemoryRegionBase.checkedAccess(access);
        MemoryRegionBase.checkSize(byteSize);
        return create(() -> {
            context.driver().requireRegionSize(byteSize);
            OwnedMemory owned = OwnedMemory.aligned(byteSize, pageSize.bytes());
            try {
                return register(owned.segment(), rights, owned);
            } catch (RuntimeException e) {
                owned.close();
                throw e;
            }
        });
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Access... access) {
        Set<Access> rights = MemoryRegionBase.checkedAccess(access);
        MemoryRegionBase.checkRegistrable(memory, rights);
        return create(() -> register(memory, rights, null));
    }

    private PvrdmaMemoryRegion register(MemorySegment memory, Set<Access> rights, @Nullable OwnedMemory owned) {
        if (rights.contains(Access.MEMORY_WINDOW_BIND)) {
            throw UnsupportedVerbException.of("ibv_reg_mr", this, Feature.MEMORY_WINDOW);
        }
        RegisteredMemory registered =
                context.driver().register(handle, memory.address(), memory, Attributes.accessFlags(rights));
        return new PvrdmaMemoryRegion(context, memory, rights, registered, owned);
    }

    @Override
    public QueuePair createQueuePair(QueuePairSpec spec) {
        PvrdmaCompletionQueue sends = ours(spec.sendCompletions());
        PvrdmaCompletionQueue receives = ours(spec.receiveCompletions());
        context.requireType(spec.type());
        if (spec.sharedReceives() == null) {
            return create(() -> PvrdmaQueuePair.create(context, this, spec, sends, receives, null), sends, receives);
        }
        context.requireFeature(Feature.SHARED_RECEIVE_QUEUE, "ibv_create_qp");
        if (!(spec.sharedReceives() instanceof PvrdmaSharedReceiveQueue shared) || !shared.isOf(this)) {
            throw new IllegalArgumentException(spec.sharedReceives() + " is of another protection domain than " + this
                    + ", where the queue pair" + " is to be created");
        }
        return create(
                () -> PvrdmaQueuePair.create(context, this, spec, sends, receives, shared), sends, receives, shared);
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int receives, int elements) {
        context.requireFeature(Feature.SHARED_RECEIVE_QUEUE, "ibv_create_srq");
        return create(() -> PvrdmaSharedReceiveQueue.create(context, this, receives, elements));
    }

    @Override
    public AddressHandle createAddressHandle(Route route) {
        return create(() -> PvrdmaAddressHandle.create(context, this, route));
    }

    private PvrdmaCompletionQueue ours(CompletionQueue queue) {
        if (!(queue instanceof PvrdmaCompletionQueue ours) || !ours.context().equals(context)) {
            throw new IllegalArgumentException("the completion queue is of another context: " + queue);
        }
        return ours;
    }

    @Override
    protected void release() {
        context.driver().destroyProtectionDomain(handle);
    }
}
