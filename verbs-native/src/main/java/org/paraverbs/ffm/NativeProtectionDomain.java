// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.MemoryVerbs;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.PageMemory;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.MemoryWindow;
import org.paraverbs.verbs.PageSize;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.spi.MemoryRegionBase;
import org.paraverbs.verbs.spi.ResourceBase;

/** {@code ibv_pd}. */
final class NativeProtectionDomain extends ResourceBase implements ProtectionDomain {
    private final NativeContext context;
    private final long pd;

    NativeProtectionDomain(NativeContext context, long pd) {
        super(context, "protection domain of " + context.device().name());
        this.context = context;
        this.pd = pd;
    }

    @Override
    @SuppressWarnings("MustBeClosedChecker") // the region closes the arena
    public MemoryRegion allocate(long byteSize, PageSize pageSize, Access... access) {
        MemoryRegionBase.checkSize(byteSize);
        Set<Access> rights = MemoryRegionBase.checkedAccess(access);
        return create(() -> {
            Arena arena = Arena.ofShared();
            try {
                MemorySegment memory = PageMemory.allocate(byteSize, pageSize.bytes(), arena);
                return register(memory, memory.address(), rights, arena);
            } catch (RuntimeException e) {
                arena.close();
                throw e;
            }
        });
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Access... access) {
        Set<Access> rights = MemoryRegionBase.checkedAccess(access);
        MemoryRegionBase.checkRegistrable(memory, rights);
        return create(() -> register(memory, memory.address(), rights, null));
    }

    @Override
    public MemoryRegion registerAt(long address, MemorySegment memory, Access... access) {
        context.requireSupported(Feature.REGISTER_AT_ADDRESS, "ibv_reg_mr_iova");
        Set<Access> rights = MemoryRegionBase.checkedAccess(access);
        MemoryRegionBase.checkRegistrable(memory, rights);
        if (((address ^ memory.address()) & (PageMemory.BASE_PAGE - 1)) != 0) {
            throw new VerbsException(
                    "ibv_reg_mr_iova",
                    memory.byteSize() + " bytes at address 0x" + Long.toHexString(address),
                    Errno.EINVAL,
                    "the address must have the same place within a page as the memory, 0x"
                            + Long.toHexString(memory.address()));
        }
        return create(() -> register(memory, address, rights, null));
    }

    private NativeMemoryRegion register(MemorySegment memory, long address, Set<Access> rights, @Nullable Arena owned) {
        if (rights.contains(Access.MEMORY_WINDOW_BIND)) {
            context.requireSupported(Feature.MEMORY_WINDOW, "ibv_reg_mr");
        }
        long region = NativeCall.nonNull(
                address == memory.address() ? "ibv_reg_mr" : "ibv_reg_mr_iova",
                memory.byteSize() + " bytes, " + rights,
                errno -> context.advice().registration(errno, memory.byteSize(), rights),
                errno -> MemoryVerbs.registerMemory(
                        errno, pd, memory.address(), memory.byteSize(), address, AccessFlags.of(rights)));
        return new NativeMemoryRegion(context, this, memory, address, memory.byteSize(), rights, region, owned);
    }

    @Override
    public MemoryRegion registerDmaBuf(int descriptor, long offset, long byteSize, long address, Access... access) {
        context.requireSupported(Feature.DMA_BUF, "ibv_reg_dmabuf_mr");
        Set<Access> rights = MemoryRegionBase.checkedAccess(access);
        MemoryRegionBase.checkSize(byteSize);
        String object = byteSize + " bytes at offset " + offset + " of descriptor " + descriptor + ", " + rights;
        String wrong = "";
        if (((address ^ offset) & (PageMemory.BASE_PAGE - 1)) != 0) {
            wrong = "the address, 0x" + Long.toHexString(address)
                    + ", must have the same place within a page as the offset";
        } else if (rights.contains(Access.MEMORY_WINDOW_BIND)) {
            wrong = "windows cannot be bound to a dma-buf";
        }
        if (!wrong.isEmpty()) {
            throw new VerbsException("ibv_reg_dmabuf_mr", object, Errno.EINVAL, wrong);
        }
        return create(() -> {
            long region = NativeCall.nonNull(
                    "ibv_reg_dmabuf_mr",
                    object,
                    errno -> context.advice().dmaBuf(errno, byteSize, rights),
                    errno -> MemoryVerbs.registerDmaBuf(
                            errno, pd, offset, byteSize, address, descriptor, AccessFlags.of(rights)));
            return new NativeMemoryRegion(context, this, null, address, byteSize, rights, region, null);
        });
    }

    @Override
    public QueuePair createQueuePair(QueuePairSpec spec) {
        context.requireSupported(spec.type().feature(), "ibv_create_qp");
        if (spec.type() == QueuePairType.XRC_RECEIVE) {
            throw new IllegalArgumentException(
                    "XRC_RECV queue pairs are of an XRC domain, and have neither queues nor completions:"
                            + " XrcDomain.createReceivingQueuePair");
        }
        NativeCompletionQueue sends = ours(spec.sendCompletions());
        NativeCompletionQueue receives = ours(spec.receiveCompletions());
        NativeSharedReceiveQueue shared = ours(spec.sharedReceives());
        return shared == null
                ? create(() -> QueuePairCreation.create(context, this, spec, sends, receives, null), sends, receives)
                : create(
                        () -> QueuePairCreation.create(context, this, spec, sends, receives, shared),
                        sends,
                        receives,
                        shared);
    }

    private @Nullable NativeSharedReceiveQueue ours(@Nullable SharedReceiveQueue queue) {
        if (queue == null) {
            return null;
        }
        if (queue instanceof NativeSharedReceiveQueue ours && ours.isOf(this)) {
            return ours;
        }
        throw new IllegalArgumentException(
                queue + " is of another protection domain than this one, the " + this + ", or of an XRC domain");
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int receives, int elements) {
        context.requireSupported(Feature.SHARED_RECEIVE_QUEUE, "ibv_create_srq");
        return create(() -> NativeSharedReceiveQueue.create(context, this, receives, elements, null));
    }

    @Override
    public MemoryWindow allocateMemoryWindow() {
        context.requireSupported(Feature.MEMORY_WINDOW, "ibv_alloc_mw");
        return create(() -> NativeMemoryWindow.allocate(context, this));
    }

    @Override
    public AddressHandle createAddressHandle(Route route) {
        context.requireSupported(Feature.UNRELIABLE_DATAGRAM, "ibv_create_ah");
        return create(() -> NativeAddressHandle.create(context, this, route));
    }

    /** The {@code ibv_pd}, valid inside {@link #whileOpen} and until dependents are closed. */
    long pointer() {
        return pd;
    }

    NativeContext context() {
        return context;
    }

    private NativeCompletionQueue ours(CompletionQueue queue) {
        if (queue instanceof NativeCompletionQueue ours && ours.context() == context) {
            return ours;
        }
        throw new IllegalArgumentException(queue + " is of another context than this one, the " + context);
    }

    @Override
    protected void release() {
        NativeCall.zero("ibv_dealloc_pd", toString(), context.advice()::release, () -> ResourceVerbs.deallocatePd(pd));
    }
}
