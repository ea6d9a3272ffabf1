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
import org.paraverbs.verbs.Errno;

/** The commands that create and destroy user contexts, protection domains, memory regions and completion queues. */
final class ResourceCommands {
    private static final int REMOTE_WRITERS = AccessFlags.ACCESS_REMOTE_WRITE | AccessFlags.ACCESS_REMOTE_ATOMIC;
    private static final int KNOWN_ACCESS =
            REMOTE_WRITERS | AccessFlags.ACCESS_LOCAL_WRITE | AccessFlags.ACCESS_REMOTE_READ;

    /** Flags that a device may ignore ({@code IB_ACCESS_OPTIONAL} of the kernel, bits 20 to 29). */
    private static final int OPTIONAL_ACCESS = 0x3ff0_0000;

    private final DeviceCore core;

    ResourceCommands(DeviceCore core) {
        this.core = core;
    }

    // --- user contexts

    void createContext(MemorySegment command, MemorySegment response, long kernelPage) throws RefusedException {
        long pfn = core.configuration.version() < DeviceVersion.PPN64_VERSION
                ? Integer.toUnsignedLong(CreateUc.pfn(command, 0))
                : CreateUc.pfn64(command, 0);
        long page = pfn - kernelPage;
        RefusedException.unless(
                page > 0 && page < core.configuration.maxUar(), "not a page of the user access region", page);
        int handle = free(core.contexts, "user contexts");
        core.contexts.put(handle, new UserContext(handle, (int) page));
        CreateUc.Response.ctxHandle(response, 0, handle);
    }

    void destroyContext(MemorySegment command) throws RefusedException {
        UserContext context = require(core.contexts, DestroyUc.ctxHandle(command, 0), "user context");
        core.contexts.remove(context.handle());
    }

    /** The kernel has no context: handle 0. */
    private void requireContext(int handle) throws RefusedException {
        if (handle != 0) {
            require(core.contexts, handle, "user context");
        }
    }

    // --- protection domains

    void createDomain(MemorySegment command, MemorySegment response) throws RefusedException {
        requireContext(CreatePd.ctxHandle(command, 0));
        int handle = free(core.domains, "protection domains");
        core.domains.put(handle, new ProtectionDomain(handle));
        CreatePd.Response.pdHandle(response, 0, handle);
    }

    void destroyDomain(MemorySegment command) throws RefusedException {
        ProtectionDomain domain = require(core.domains, DestroyPd.pdHandle(command, 0), "protection domain");
        requireUnused(domain.users, "protection domain");
        core.domains.remove(domain.handle);
    }

    // --- memory regions

    void createRegion(MemorySegment command, MemorySegment response) throws RefusedException {
        ProtectionDomain domain = require(core.domains, CreateMr.pdHandle(command, 0), "protection domain");
        int access = CreateMr.accessFlags(command, 0) & ~OPTIONAL_ACCESS;
        RefusedException.unless((access & ~KNOWN_ACCESS) == 0, "access flags", access);
        RefusedException.unless(
                (access & REMOTE_WRITERS) == 0 || (access & AccessFlags.ACCESS_LOCAL_WRITE) != 0,
                "remote writing needs local writing; access flags",
                access);
        int flags = CreateMr.flags(command, 0);
        int handle = free(core.regions, "memory regions");
        MemoryRegion region = switch (flags) {
            case 0 -> listedRegion(command, handle, domain, access);
            case CreateMr.FLAG_DMA -> {
                // a key to all of the guest's memory is not for peers
                RefusedException.unless(
                        (access & ~AccessFlags.ACCESS_LOCAL_WRITE) == 0, "DMA region, access flags", access);
                yield region(handle, domain, 0, -1, access, null);
            }
            default -> throw new RefusedException(Errno.EOPNOTSUPP, "region flags " + flags);
        };
        core.regions.put(handle, region);
        domain.users++;
        CreateMr.Response.mrHandle(response, 0, handle);
        CreateMr.Response.lkey(response, 0, region.key);
        CreateMr.Response.rkey(response, 0, region.key);
    }

    private MemoryRegion listedRegion(MemorySegment command, int handle, ProtectionDomain domain, int access)
            throws RefusedException {
        long start = CreateMr.start(command, 0);
        long length = CreateMr.length(command, 0);
        int chunks = CreateMr.nchunks(command, 0);
        // length first: the page count is only right when start + length does not wrap
        RefusedException.unless(length > 0 && length <= core.configuration.maxMrSize(), "region length", length);
        RefusedException.unless(Long.compareUnsigned(start, -length) <= 0, "region wraps around at its start", start);
        RefusedException.unless(
                chunks > 0 && chunks <= PageDirectory.MAX_PAGES && chunks == PageDirectory.pagesSpanned(start, length),
                "pages of the region",
                chunks);
        int skip = (int) (start & (PageDirectory.PAGE_SIZE - 1));
        GuestPages pages = GuestPages.read(core.memory, CreateMr.pdirDma(command, 0), chunks, skip, length);
        return region(handle, domain, start, length, access, requireMapped(pages));
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
        requireContext(CreateCq.ctxHandle(command, 0));
        int entries = CreateCq.cqe(command, 0);
        RefusedException.unless(
                entries > 0 && entries <= core.configuration.maxCqe() && Integer.bitCount(entries) == 1,
                "entries of the completion queue, which must be a power of two up to the limit",
                entries);
        int chunks = CreateCq.nchunks(command, 0);
        long needed = 1 + PageDirectory.pagesSpanned(0, (long) entries * Cqe.SIZE);
        RefusedException.unless(
                chunks >= needed && chunks <= PageDirectory.MAX_PAGES, "pages of the completion queue", chunks);
        int handle = free(core.completionQueues, "completion queues");
        GuestPages pages = GuestPages.read(
                core.memory, CreateCq.pdirDma(command, 0), (int) needed, 0, needed << PageDirectory.PAGE_SHIFT);
        core.completionQueues.put(handle, new CompletionQueue(handle, entries, requireMapped(pages)));
        CreateCq.Response.cqHandle(response, 0, handle);
        CreateCq.Response.cqe(response, 0, entries);
    }

    void destroyCompletionQueue(MemorySegment command) throws RefusedException {
        CompletionQueue queue = require(core.completionQueues, DestroyCq.cqHandle(command, 0), "completion queue");
        requireUnused(queue.users, "completion queue");
        core.completionQueues.remove(queue.handle);
    }

    // --- shared

    static int free(HandleTable<?> table, String what) throws RefusedException {
        int handle = table.free();
        if (handle < 0) {
            throw new RefusedException(Errno.ENOMEM, "no more " + what + ": there are " + table.size());
        }
        return handle;
    }

    static <T> T require(HandleTable<T> table, int handle, String what) throws RefusedException {
        T object = table.get(handle);
        if (object == null) {
            throw RefusedException.invalid("no " + what + " " + Integer.toUnsignedString(handle));
        }
        return object;
    }

    static GuestPages requireMapped(@Nullable GuestPages pages) throws RefusedException {
        if (pages == null) {
            throw new RefusedException(Errno.EFAULT, "the page directory lists pages that are not mapped");
        }
        return pages;
    }

    private static void requireUnused(int users, String what) throws RefusedException {
        if (users != 0) {
            throw new RefusedException(Errno.EBUSY, "the " + what + " has " + users + " users");
        }
    }
}
