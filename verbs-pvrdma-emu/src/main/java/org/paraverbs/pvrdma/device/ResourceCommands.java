// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.Cqe;
import org.paraverbs.pvrdma.abi.CreateCq;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.CreatePd;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.pvrdma.abi.DestroyCq;
import org.paraverbs.pvrdma.abi.DestroyMr;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.DestroyUc;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.ResizeCq;
import org.paraverbs.verbs.Errno;

/** The commands that create and destroy user contexts, protection domains, memory regions and completion queues. */
final class ResourceCommands {
    private static final int REMOTE_WRITERS = AccessFlags.ACCESS_REMOTE_WRITE | AccessFlags.ACCESS_REMOTE_ATOMIC;
    private static final int KNOWN_ACCESS =
            REMOTE_WRITERS | AccessFlags.ACCESS_LOCAL_WRITE | AccessFlags.ACCESS_REMOTE_READ;

    /** Flags that a device may ignore ({@code IB_ACCESS_OPTIONAL} of the kernel, bits 20 to 29). */
    static final int OPTIONAL_ACCESS = 0x3ff0_0000;

    private final DeviceCore core;

    ResourceCommands(DeviceCore core) {
        this.core = core;
    }

    // --- user contexts

    void createContext(MemorySegment command, MemorySegment response, long kernelPage) throws RefusedException {
        long pfn = core.version() < DeviceVersion.PPN64_VERSION
                ? Integer.toUnsignedLong(CreateUc.pfn(command, 0))
                : CreateUc.pfn64(command, 0);
        long page = pfn - kernelPage;
        RefusedException.unless(
                page > 0,
                "not a page of the user access region for programs, which follow the kernel's, page frame " + kernelPage
                        + "; page frame",
                pfn);
        core.limits.uarPage.requireWithin(page);
        for (int handle = 0; handle < core.contexts.limit(); handle++) {
            UserContext other = core.contexts.get(handle);
            if (other != null && other.page == page) {
                throw new RefusedException(
                        Errno.EBUSY,
                        "page " + page + " of the user access region belongs to user context " + other.handle);
            }
        }
        int handle = core.contexts.free();
        core.contexts.put(handle, new UserContext(handle, (int) page));
        CreateUc.Response.ctxHandle(response, 0, handle);
    }

    void destroyContext(MemorySegment command) throws RefusedException {
        UserContext context = require(core.contexts, DestroyUc.ctxHandle(command, 0), "user context");
        requireUnused(context.users, "user context");
        core.contexts.remove(context.handle);
    }

    /** The context of a handle; the kernel has none, which is handle 0. */
    private @Nullable UserContext context(int handle) throws RefusedException {
        return handle == 0 ? null : require(core.contexts, handle, "user context");
    }

    private static void use(@Nullable UserContext context, int more) {
        if (context != null) {
            context.users += more;
        }
    }

    // --- protection domains

    void createDomain(MemorySegment command, MemorySegment response) throws RefusedException {
        UserContext context = context(CreatePd.ctxHandle(command, 0));
        int handle = core.domains.free();
        core.domains.put(handle, new ProtectionDomain(handle, context));
        use(context, 1);
        CreatePd.Response.pdHandle(response, 0, handle);
    }

    void destroyDomain(MemorySegment command) throws RefusedException {
        ProtectionDomain domain = require(core.domains, DestroyPd.pdHandle(command, 0), "protection domain");
        requireUnused(domain.users, "protection domain");
        core.domains.remove(domain.handle);
        use(domain.context, -1);
    }

    // --- memory regions

    void createRegion(MemorySegment command, MemorySegment response) throws RefusedException {
        ProtectionDomain domain = require(core.domains, CreateMr.pdHandle(command, 0), "protection domain");
        // that windows may be bound to it means nothing where there are none; programs ask for it before they ask for a
        // window
        int access = CreateMr.accessFlags(command, 0) & ~(OPTIONAL_ACCESS | AccessFlags.ACCESS_MW_BIND);
        RefusedException.unless((access & ~KNOWN_ACCESS) == 0, "access flags", access);
        RefusedException.unless(
                (access & REMOTE_WRITERS) == 0 || (access & AccessFlags.ACCESS_LOCAL_WRITE) != 0,
                "remote writing needs local writing; access flags",
                access);
        int flags = CreateMr.flags(command, 0);
        int handle = core.regions.free();
        MemoryRegion region = switch (flags) {
            case 0 -> listedRegion(command, handle, domain, access);
            case CreateMr.FLAG_DMA -> {
                // a key to all of the guest's memory is not for peers
                RefusedException.unless(
                        (access & ~AccessFlags.ACCESS_LOCAL_WRITE) == 0,
                        "a region of all memory takes local writing only; access flags",
                        access);
                if (domain.context != null) {
                    throw new RefusedException(
                            Errno.EPERM,
                            "a region of all memory is for the kernel; protection domain " + domain.handle
                                    + " belongs to user context " + domain.context.handle);
                }
                yield region(handle, domain, 0, -1, access, null);
            }
            case CreateMr.FLAG_FRMR -> emptyRegion(command, handle, domain);
            default -> throw new RefusedException(Errno.EOPNOTSUPP, "region flags " + flags);
        };
        core.limits.registeredBytes.take(region.charged);
        int use = core.regions.nextUse(handle);
        core.regions.put(handle, region);
        domain.users++;
        CreateMr.Response.mrHandle(response, 0, handle);
        int key = MemoryRegion.key(handle, use);
        CreateMr.Response.lkey(response, 0, key);
        CreateMr.Response.rkey(response, 0, key);
    }

    /** Whether these are access flags that a region may have. */
    static boolean isAccess(int flags) {
        return (flags & ~KNOWN_ACCESS) == 0
                && ((flags & REMOTE_WRITERS) == 0 || (flags & AccessFlags.ACCESS_LOCAL_WRITE) != 0);
    }

    private MemoryRegion emptyRegion(MemorySegment command, int handle, ProtectionDomain domain)
            throws RefusedException {
        if (!core.configuration.fastRegistration()) {
            throw new RefusedException(
                    Errno.EOPNOTSUPP, "this device has no fast registration: DeviceConfiguration.fastRegistration");
        }
        if (!domain.isKernel()) {
            throw new RefusedException(
                    Errno.EPERM,
                    "fast registration is for the kernel; protection domain " + domain.handle + " is a program's");
        }
        int pages = CreateMr.nchunks(command, 0);
        RefusedException.unless(
                pages >= 1 && pages <= CreateMr.MAX_FAST_REG_PAGES,
                "pages of a region for fast registration, 1 to " + CreateMr.MAX_FAST_REG_PAGES,
                pages);
        return MemoryRegion.empty(handle, domain, core.memory, pages);
    }

    private MemoryRegion listedRegion(MemorySegment command, int handle, ProtectionDomain domain, int access)
            throws RefusedException {
        long start = CreateMr.start(command, 0);
        long length = CreateMr.length(command, 0);
        int chunks = CreateMr.nchunks(command, 0);
        // length first: the page count is only right when start + length does not wrap
        RefusedException.unless(length != 0, "region length", length);
        core.limits.regionSize.requireWithin(length);
        RefusedException.unless(Long.compareUnsigned(start, -length) <= 0, "region wraps around at its start", start);
        RefusedException.unless(
                chunks > 0 && chunks <= PageDirectory.MAX_PAGES && chunks == PageDirectory.pagesSpanned(start, length),
                "pages of a region, which must be those that start and length touch, at most " + PageDirectory.MAX_PAGES
                        + "; pages",
                chunks);
        core.limits.registeredBytes.requireLeft(length);
        int skip = (int) (start & (PageDirectory.PAGE_SIZE - 1));
        GuestPages pages = GuestPages.read(core.memory, CreateMr.pdirDma(command, 0), chunks, skip, length);
        MemoryRegion region = region(handle, domain, start, length, access, requireMapped(pages));
        region.charged = length;
        return region;
    }

    private MemoryRegion region(
            int handle, ProtectionDomain domain, long start, long length, int access, @Nullable GuestPages pages) {
        return new MemoryRegion(
                handle, core.regions.nextUse(handle), domain, start, length, access, pages, core.memory);
    }

    void destroyRegion(MemorySegment command) throws RefusedException {
        core.destroy(require(core.regions, DestroyMr.mrHandle(command, 0), "memory region"));
    }

    // --- completion queues

    void createCompletionQueue(MemorySegment command, MemorySegment response) throws RefusedException {
        UserContext context = context(CreateCq.ctxHandle(command, 0));
        int entries = CreateCq.cqe(command, 0);
        int chunks = CreateCq.nchunks(command, 0);
        requireEntries(entries);
        int needed = pagesFor(entries);
        int most = pagesFor(core.configuration.limits().maxCqe());
        // more than is needed, for a RESIZE_CQ; but a page that is listed costs the host memory, and a guest may list
        // one again and again
        RefusedException.unless(
                chunks >= needed && chunks <= Math.min(most, PageDirectory.MAX_PAGES),
                entries + " entries take " + needed + " pages with the header, and the largest queue " + most
                        + "; pages of the completion queue",
                chunks);
        int handle = core.completionQueues.free();
        GuestPages pages = GuestPages.read(
                core.memory, CreateCq.pdirDma(command, 0), chunks, 0, (long) chunks << PageDirectory.PAGE_SHIFT);
        core.completionQueues.put(
                handle,
                new CompletionQueue(
                        handle,
                        context,
                        entries,
                        requireMapped(pages),
                        core.configuration.host().cqGrows()
                                ? core.configuration.host().maxHeldBack()
                                : 0));
        use(context, 1);
        CreateCq.Response.cqHandle(response, 0, handle);
        CreateCq.Response.cqe(response, 0, entries);
    }

    private void requireEntries(int entries) throws RefusedException {
        RefusedException.unless(
                Integer.bitCount(entries) == 1 && entries > 0,
                "entries of a completion queue, which must be a power of two",
                entries);
        core.limits.completionQueueEntries.requireWithin(entries);
    }

    private static int pagesFor(int entries) {
        return 1 + (int) PageDirectory.pagesSpanned(0, (long) entries * Cqe.SIZE);
    }

    /**
     * RESIZE_CQ, which Linux never sends. The request carries a handle and a number of entries and no memory, so the ring stays
     * in the pages that CREATE_CQ listed: it can shrink, and grow as far as they go. The response carries the number
     * of entries, so it is the hand-over: the guest does not touch the ring from command to response, and then the ring starts over
     * with both indices as the device has set them. Completions that the guest has not consumed are carried over, oldest first;
     * when they do not fit, nothing is changed ({@code man ibv_resize_cq}).
     */
    void resizeCompletionQueue(MemorySegment command, MemorySegment response) throws RefusedException {
        CompletionQueue queue = require(core.completionQueues, ResizeCq.cqHandle(command, 0), "completion queue");
        int entries = ResizeCq.cqe(command, 0);
        requireEntries(entries);
        RefusedException.unless(
                pagesFor(entries) <= queue.pages(),
                "the completion queue was created with " + queue.pages() + " pages, which hold fewer entries than",
                entries);
        queue.resize(entries);
        ResizeCq.Response.cqe(response, 0, entries);
    }

    void destroyCompletionQueue(MemorySegment command) throws RefusedException {
        CompletionQueue queue = require(core.completionQueues, DestroyCq.cqHandle(command, 0), "completion queue");
        requireUnused(queue.users, "completion queue");
        core.completionQueues.remove(queue.handle);
        use(queue.context, -1);
    }

    // --- shared

    static <T> T require(HandleTable<T> table, int handle, String what) throws RefusedException {
        T object = table.get(handle);
        if (object == null) {
            throw RefusedException.invalid("there is no " + what + " " + Integer.toUnsignedString(handle));
        }
        return object;
    }

    static GuestPages requireMapped(@Nullable GuestPages pages) throws RefusedException {
        if (pages == null) {
            throw new RefusedException(Errno.EFAULT, "the page directory lists pages that are not mapped");
        }
        return pages;
    }

    static void requireUnused(int users, String what) throws RefusedException {
        if (users != 0) {
            throw new RefusedException(Errno.EBUSY, "the " + what + " has " + users + " users");
        }
    }
}
