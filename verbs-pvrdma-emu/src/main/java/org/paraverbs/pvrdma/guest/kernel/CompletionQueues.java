// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.DestroyCq;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.ResizeCq;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The completion queues of a device (pvrdma_cq.c). */
final class CompletionQueues {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionQueues.class);

    private final Parts parts;
    private final Limit limit;
    private final HandlerCount handlers;

    /** By handle; read by interrupt handlers. */
    private final AtomicReferenceArray<@Nullable KernelCompletionQueue> queues;

    CompletionQueues(Parts parts, HandlerCount handlers) {
        int max = DeviceCaps.maxCq(parts.caps(), 0);
        this.parts = parts;
        this.limit = new Limit("max_cq", "completion queues", max, "maxCq");
        this.handlers = handlers;
        this.queues = new AtomicReferenceArray<>(max);
    }

    /** The number of entries that a queue gets, or EINVAL. */
    int round(int entries) {
        return round(Call.of("ibv_create_cq", () -> entries + " entries on " + parts.name()), entries);
    }

    /**
     * Resizes a queue within its ring, while its program does not touch that.
     *
     * @return the number of entries
     */
    int resize(int handle, int entries) {
        Call call =
                Call.of("ibv_resize_cq", () -> "CQ " + handle + " of " + parts.name() + " to " + entries + " entries");
        KernelCompletionQueue queue = require(call, handle);
        int rounded = round(call, entries);
        int room = queue.room();
        if (rounded > room) {
            throw call.failure(
                    Errno.EINVAL,
                    "RESIZE_CQ carries no memory, so a completion queue grows within the pages that it was created with,"
                            + " here to " + room + " entries: create a larger one");
        }
        int given = parts.commands()
                .ask(
                        call,
                        CommandCode.RESIZE_CQ,
                        command -> {
                            ResizeCq.cqHandle(command, 0, handle);
                            ResizeCq.cqe(command, 0, rounded);
                        },
                        response -> ResizeCq.Response.cqe(response, 0));
        if (given != rounded) {
            throw call.failure(Errno.EFAULT, "the device answered with " + given + " entries: a fault of the device");
        }
        return given;
    }

    private int round(Call call, int entries) {
        // Rounded up first, then compared (pvrdma_cq.c).
        int rounded = entries < 1 || entries > 1 << 30 ? 0 : RingState.elements(entries);
        int max = DeviceCaps.maxCqe(parts.caps(), 0);
        if (rounded < 1 || rounded > max) {
            throw call.failure(
                    Errno.EINVAL,
                    "a completion queue has 1 to " + max + " entries on this device (max_cqe), after rounding up to a"
                            + " power of two: ask for others, or raise DeviceConfiguration.maxCqe");
        }
        return rounded;
    }

    CreatedCompletionQueue create(
            KernelContext context, int entries, MemorySegment ring, int vector, @Nullable Runnable onCompletion) {
        Call call = Call.of("ibv_create_cq", () -> entries + " entries on " + parts.name());
        if (vector != 0) {
            throw call.failure(
                    Errno.EINVAL, "there is no completion vector " + vector + ": this device has one, number 0");
        }
        int rounded = round(call, entries);
        if (PinnedMemory.pages(ring) > PageDirectory.MAX_PAGES) {
            throw call.failure(Errno.EINVAL, "its ring takes more pages than the driver's page directory lists");
        }
        limit.take(call);
        try {
            PinnedMemory pinned = parts.pin(ring);
            try {
                return create(call, context, rounded, pinned, onCompletion);
            } catch (RuntimeException e) {
                pinned.close();
                throw e;
            }
        } catch (RuntimeException e) {
            limit.give();
            throw e;
        }
    }

    private CreatedCompletionQueue create(
            Call call, KernelContext context, int entries, PinnedMemory pinned, @Nullable Runnable onCompletion) {
        CreatedCompletionQueue created = parts.commands()
                .ask(
                        call,
                        CommandCode.CREATE_CQ,
                        command -> {
                            CreateCq.ctxHandle(command, 0, context.handle());
                            CreateCq.cqe(command, 0, entries);
                            CreateCq.nchunks(command, 0, pinned.pageCount());
                            CreateCq.pdirDma(command, 0, pinned.directoryDma());
                        },
                        response -> new CreatedCompletionQueue(
                                CreateCq.Response.cqHandle(response, 0), CreateCq.Response.cqe(response, 0)));
        KernelCompletionQueue queue = new KernelCompletionQueue(
                created.handle(), context, pinned, new Users("completion queue"), onCompletion);
        // The provider sized the ring for what it asked, so another number would lead it astray.
        if (created.handle() < 0
                || created.handle() >= queues.length()
                || created.entries() != entries
                || !queues.compareAndSet(created.handle(), null, queue)) {
            throw call.failure(
                    Errno.EFAULT,
                    "the device answered with handle " + created.handle() + " and " + created.entries()
                            + " entries: a fault of the device");
        }
        return created;
    }

    /** The queue of a handle, or null; for any thread. */
    @Nullable
    KernelCompletionQueue find(int handle) {
        return handle >= 0 && handle < queues.length() ? queues.get(handle) : null;
    }

    KernelCompletionQueue require(Call call, int handle) {
        KernelCompletionQueue queue = find(handle);
        if (queue == null) {
            throw call.failure(Errno.EINVAL, "there is no completion queue " + handle);
        }
        return queue;
    }

    /** For interrupt handlers: the queue that a handle from the device leads to. */
    @Nullable
    KernelCompletionQueue ofDevice(int handle) {
        return queues.get(Integer.remainderUnsigned(handle, queues.length()));
    }

    void destroy(int handle) {
        Call call = Call.of("ibv_destroy_cq", () -> "CQ " + handle + " of " + parts.name());
        KernelCompletionQueue queue = require(call, handle);
        queue.users().retire(call);
        try {
            parts.commands().tell(call, CommandCode.DESTROY_CQ, command -> DestroyCq.cqHandle(command, 0, handle));
        } catch (VerbsException e) {
            // as in Linux: its memory is unmapped whether or not the device has understood
            LOG.warn("Going on after: {}", e.getMessage());
        }
        queues.set(handle, null);
        handlers.awaitEnd();
        queue.memory().close();
        limit.give();
    }

    void destroyAllOf(KernelContext context) {
        for (int handle = 0; handle < queues.length(); handle++) {
            KernelCompletionQueue queue = queues.get(handle);
            if (queue != null && queue.context().equals(context)) {
                destroy(handle);
            }
        }
    }
}
