// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateSrq;
import org.paraverbs.pvrdma.abi.DestroySrq;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.ModifySrq;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QuerySrq;
import org.paraverbs.pvrdma.abi.SrqAttr;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shared receive queues of a device (pvrdma_srq.c). */
final class SharedReceiveQueues {
    private static final Logger LOG = LoggerFactory.getLogger(SharedReceiveQueues.class);

    private static final int BASIC = 0;

    private final Parts parts;
    private final Limit limit;
    private final HandlerCount handlers;

    /** By handle; read by interrupt handlers. */
    private final AtomicReferenceArray<@Nullable KernelSharedReceiveQueue> queues;

    SharedReceiveQueues(Parts parts, HandlerCount handlers) {
        int max = DeviceCaps.maxSrq(parts.caps(), 0);
        this.parts = parts;
        this.limit = new Limit("max_srq", "shared receive queues", max, "maxSrq");
        this.handlers = handlers;
        this.queues = new AtomicReferenceArray<>(max);
    }

    int create(KernelDomain domain, int receives, int elements, MemorySegment ring) {
        Call call =
                Call.of("ibv_create_srq", () -> receives + " receives of " + elements + " elements on " + parts.name());
        requireWithin(call, "max_srq_wr", receives, DeviceCaps.maxSrqWr(parts.caps(), 0), "maxSrqWr");
        requireWithin(call, "max_srq_sge", elements, DeviceCaps.maxSrqSge(parts.caps(), 0), "maxSrqSge");
        if (PinnedMemory.pages(ring) > PageDirectory.MAX_PAGES) {
            throw call.failure(Errno.EINVAL, "its ring takes more pages than the driver's page directory lists");
        }
        limit.take(call);
        try {
            domain.users().take(call);
            try {
                PinnedMemory pinned = parts.pin(ring);
                try {
                    return create(call, domain, receives, elements, pinned);
                } catch (RuntimeException e) {
                    pinned.close();
                    throw e;
                }
            } catch (RuntimeException e) {
                domain.users().give();
                throw e;
            }
        } catch (RuntimeException e) {
            limit.give();
            throw e;
        }
    }

    private static void requireWithin(Call call, String name, int value, int max, String option) {
        // unsigned, as the driver compares
        if (Integer.compareUnsigned(value, max) > 0) {
            throw call.failure(
                    Errno.EINVAL,
                    name + " of this device is " + max + ", and " + value
                            + " are needed after rounding up: ask for less, or raise DeviceConfiguration." + option);
        }
    }

    private int create(Call call, KernelDomain domain, int receives, int elements, PinnedMemory pinned) {
        int handle = parts.commands()
                .ask(
                        call,
                        CommandCode.CREATE_SRQ,
                        command -> {
                            CreateSrq.srqType(command, 0, BASIC);
                            CreateSrq.nchunks(command, 0, pinned.pageCount());
                            CreateSrq.pdHandle(command, 0, domain.handle());
                            SrqAttr.maxWr(command, CreateSrq.ATTRS_OFFSET, receives);
                            SrqAttr.maxSge(command, CreateSrq.ATTRS_OFFSET, elements);
                            CreateSrq.pdirDma(command, 0, pinned.directoryDma());
                        },
                        response -> CreateSrq.Response.srqn(response, 0));
        KernelSharedReceiveQueue queue =
                new KernelSharedReceiveQueue(handle, domain, pinned, new Users("shared receive queue"));
        if (handle < 0 || handle >= queues.length() || !queues.compareAndSet(handle, null, queue)) {
            throw call.failure(Errno.EFAULT, "the device answered with handle " + handle + ": a fault of the device");
        }
        return handle;
    }

    private @Nullable KernelSharedReceiveQueue find(int handle) {
        return handle >= 0 && handle < queues.length() ? queues.get(handle) : null;
    }

    KernelSharedReceiveQueue require(Call call, int handle) {
        KernelSharedReceiveQueue queue = find(handle);
        if (queue == null) {
            throw call.failure(Errno.EINVAL, "there is no shared receive queue " + handle);
        }
        return queue;
    }

    /** For interrupt handlers: the queue that a handle from the device leads to. */
    @Nullable
    KernelSharedReceiveQueue ofDevice(int handle) {
        return queues.length() == 0 ? null : queues.get(Integer.remainderUnsigned(handle, queues.length()));
    }

    private Call call(String verb, int handle) {
        return Call.of(verb, () -> "SRQ " + handle + " of " + parts.name());
    }

    /** The driver has nothing else to modify; a refusal by the device is EINVAL, unlike that of other verbs. */
    void setLimit(int handle, int receives) {
        Call call = call("ibv_modify_srq", handle);
        require(call, handle);
        try {
            parts.commands().tell(call, CommandCode.MODIFY_SRQ, command -> {
                ModifySrq.srqHandle(command, 0, handle);
                ModifySrq.attrMask(command, 0, ModifySrq.LIMIT);
                SrqAttr.srqLimit(command, ModifySrq.ATTRS_OFFSET, receives);
            });
        } catch (VerbsException e) {
            throw refused(call, "the device does not take a limit of " + receives + " receives", e);
        }
    }

    void query(int handle, MemorySegment attributes) {
        Call call = call("ibv_query_srq", handle);
        require(call, handle);
        try {
            parts.commands()
                    .ask(
                            call,
                            CommandCode.QUERY_SRQ,
                            command -> QuerySrq.srqHandle(command, 0, handle),
                            response -> attributes.copyFrom(
                                    response.asSlice(QuerySrq.Response.ATTRS_OFFSET, SrqAttr.SIZE)));
        } catch (VerbsException e) {
            throw refused(call, "the device does not answer", e);
        }
    }

    private static VerbsException refused(Call call, String what, VerbsException refusal) {
        VerbsException explained = call.failure(Errno.EINVAL, what + ": " + refusal.getMessage());
        explained.initCause(refusal);
        return explained;
    }

    void destroy(int handle) {
        Call call = call("ibv_destroy_srq", handle);
        KernelSharedReceiveQueue queue = require(call, handle);
        queue.users().retire(call);
        try {
            parts.commands().tell(call, CommandCode.DESTROY_SRQ, command -> DestroySrq.srqHandle(command, 0, handle));
        } catch (VerbsException e) {
            // as in Linux: its memory is unmapped whether or not the device has understood
            LOG.warn("Going on after: {}", e.getMessage());
        }
        queues.set(handle, null);
        handlers.awaitEnd();
        queue.memory().close();
        queue.domain().users().give();
        limit.give();
    }

    void destroyAllOf(KernelContext context) {
        for (int handle = 0; handle < queues.length(); handle++) {
            KernelSharedReceiveQueue queue = queues.get(handle);
            if (queue != null && queue.domain().context().equals(context)) {
                destroy(handle);
            }
        }
    }
}
