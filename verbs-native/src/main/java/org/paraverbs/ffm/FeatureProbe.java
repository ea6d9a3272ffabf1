// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.DeviceVerbs;
import org.paraverbs.ffm.lib.ExtendedCompletionVerbs;
import org.paraverbs.ffm.lib.MemoryVerbs;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.PageMemory;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.ffm.lib.XrcVerbs;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvDeviceAttrEx;
import org.paraverbs.ffm.struct.IbvQpCap;
import org.paraverbs.ffm.struct.IbvQpInitAttr;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.VerbsException;

/**
 * What a device can do and no attribute of it tells: it is tried, once, with objects of the smallest size that are destroyed
 * at once. The list of operations that a provider implements is private to libibverbs, and a driver may refuse what its
 * provider offers (vmw_pvrdma, irdma and others have no UC).
 */
final class FeatureProbe {
    private static final String PROBE = "to find out what the device can do";

    private static final int NO_DESCRIPTOR = -1;

    private final long context;

    /** What is known by now; guarded by this. */
    private final Map<Feature, Boolean> known = new EnumMap<>(Feature.class);

    FeatureProbe(long context) {
        this.context = context;
    }

    /**
     * Whether the device carries out a verb; while the context is open.
     *
     * @param feature one of those that {@link #attempt} knows
     */
    synchronized boolean supports(Feature feature) {
        Boolean answer = known.get(feature);
        if (answer == null) {
            answer = attempt(feature);
            if (answer == null) {
                return false; // nothing left to try it with: ask again when there is
            }
            known.put(feature, answer);
        }
        return answer;
    }

    private @Nullable Boolean attempt(Feature feature) {
        try {
            switch (feature) {
                case UNRELIABLE_CONNECTION -> createQueuePair(IbvConstants.IBV_QPT_UC);
                case UNRELIABLE_DATAGRAM -> createQueuePair(IbvConstants.IBV_QPT_UD);
                case RESIZE_COMPLETION_QUEUE -> resize();
                case REREGISTRATION -> reregister();
                case XRC -> {
                    return XrcVerbs.present(context) && opensXrcDomain();
                }
                case EXTENDED_ATTRIBUTES -> {
                    return DeviceVerbs.hasQueryDeviceEx(context);
                }
                case COMPLETION_TIMESTAMP -> {
                    return ExtendedCompletionVerbs.present(context)
                            && DeviceVerbs.hasQueryDeviceEx(context)
                            && hasTimestamps();
                }
                case DMA_BUF -> {
                    return registersDmaBuf();
                }
                default -> throw new IllegalArgumentException(feature + " is told by the attributes");
            }
            return true;
        } catch (VerbsException e) {
            return isDefinite(e.code()) ? false : null;
        }
    }

    /** Whether an error says that the device cannot do it, not that it cannot do it now. */
    static boolean isDefinite(Errno errno) {
        return switch (errno) {
            case ENOMEM, EINTR, EAGAIN, EBUSY, EMFILE, ETIMEDOUT -> false;
            default -> true;
        };
    }

    /** Takes a right from a region of one page. */
    private void reregister() {
        long pd = allocatePd();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = PageMemory.allocate(PageMemory.BASE_PAGE, PageMemory.BASE_PAGE, arena);
            long region = NativeCall.nonNull(
                    "ibv_reg_mr",
                    PROBE,
                    errno -> "",
                    errno -> MemoryVerbs.registerMemory(
                            errno,
                            pd,
                            memory.address(),
                            memory.byteSize(),
                            memory.address(),
                            IbvConstants.IBV_ACCESS_LOCAL_WRITE));
            NativeCall.Answer answer = NativeCall.once(errno ->
                    MemoryVerbs.reregisterMemory(errno, region, IbvConstants.IBV_REREG_MR_CHANGE_ACCESS, 0, 0, 0, 0));
            // Whatever became of it, it is to be deregistered.
            NativeCall.zero("ibv_dereg_mr", PROBE, errno -> "", () -> MemoryVerbs.deregisterMemory(region));
            if (answer.code() != 0) {
                throw new VerbsException("ibv_rereg_mr", PROBE, answer.errno(), "");
            }
        } finally {
            deallocatePd(pd);
        }
    }

    /**
     * Asks for a dma-buf by a descriptor that there is not: only who would have taken one says so. The library before
     * rdma-core 34, a provider or a kernel without it, and a driver that checks otherwise first, answer with something else.
     */
    private boolean registersDmaBuf() {
        if (!MemoryVerbs.hasDmaBuf()) {
            return false;
        }
        long pd = allocatePd();
        try {
            long region = NativeCall.nonNull(
                    "ibv_reg_dmabuf_mr",
                    PROBE,
                    errno -> "",
                    errno -> MemoryVerbs.registerDmaBuf(
                            errno, pd, 0, PageMemory.BASE_PAGE, 0, NO_DESCRIPTOR, IbvConstants.IBV_ACCESS_LOCAL_WRITE));
            NativeCall.zero("ibv_dereg_mr", PROBE, errno -> "", () -> MemoryVerbs.deregisterMemory(region));
            return true;
        } catch (VerbsException e) {
            if (e.code() == Errno.EBADF) {
                return true;
            }
            throw e;
        } finally {
            deallocatePd(pd);
        }
    }

    private boolean hasTimestamps() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(IbvDeviceAttrEx.SIZE, Long.BYTES);
            NativeCall.zero(
                    "ibv_query_device_ex", PROBE, errno -> "", () -> DeviceVerbs.queryDeviceEx(context, answer));
            return IbvDeviceAttrEx.completionTimestampMask(answer) != 0;
        }
    }

    private boolean opensXrcDomain() {
        try (Arena arena = Arena.ofConfined()) {
            long domain = NativeXrcDomain.open(arena, context, NO_DESCRIPTOR, PROBE, null);
            NativeCall.zero("ibv_close_xrcd", PROBE, errno -> "", () -> XrcVerbs.closeXrcd(context, domain));
            return true;
        }
    }

    private long allocatePd() {
        return NativeCall.nonNull(
                "ibv_alloc_pd", PROBE, errno -> "", errno -> ResourceVerbs.allocatePd(errno, context));
    }

    private static void deallocatePd(long pd) {
        NativeCall.zero("ibv_dealloc_pd", PROBE, errno -> "", () -> ResourceVerbs.deallocatePd(pd));
    }

    private void createQueuePair(int type) {
        long pd = allocatePd();
        try (Arena arena = Arena.ofConfined()) {
            long queue = createCompletionQueue();
            try {
                MemorySegment attributes = arena.allocate(IbvQpInitAttr.SIZE, Long.BYTES);
                IbvQpInitAttr.sendCq(attributes, queue);
                IbvQpInitAttr.recvCq(attributes, queue);
                IbvQpInitAttr.qpType(attributes, type);
                MemorySegment sizes = IbvQpInitAttr.cap(attributes);
                IbvQpCap.maxSendWr(sizes, 1);
                IbvQpCap.maxRecvWr(sizes, 1);
                IbvQpCap.maxSendSge(sizes, 1);
                IbvQpCap.maxRecvSge(sizes, 1);
                long pair = NativeCall.nonNull(
                        "ibv_create_qp", PROBE, errno -> "", errno -> ResourceVerbs.createQp(errno, pd, attributes));
                NativeCall.zero("ibv_destroy_qp", PROBE, errno -> "", () -> ResourceVerbs.destroyQp(pair));
            } finally {
                NativeCall.zero("ibv_destroy_cq", PROBE, errno -> "", () -> ResourceVerbs.destroyCq(queue));
            }
        } finally {
            deallocatePd(pd);
        }
    }

    private void resize() {
        long queue = createCompletionQueue();
        try {
            NativeCall.zero("ibv_resize_cq", PROBE, errno -> "", () -> ResourceVerbs.resizeCq(queue, 2));
        } finally {
            NativeCall.zero("ibv_destroy_cq", PROBE, errno -> "", () -> ResourceVerbs.destroyCq(queue));
        }
    }

    private long createCompletionQueue() {
        return NativeCall.nonNull(
                "ibv_create_cq", PROBE, errno -> "", errno -> ResourceVerbs.createCq(errno, context, 1, 0, 0, 0));
    }
}
