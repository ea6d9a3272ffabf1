// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateMr;
import org.paraverbs.pvrdma.abi.DestroyMr;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.device.ForeignMemory;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The memory regions of a device (pvrdma_mr.c). */
final class MemoryRegions {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryRegions.class);

    private static final int REMOTE_WRITERS = AccessFlags.ACCESS_REMOTE_WRITE | AccessFlags.ACCESS_REMOTE_ATOMIC;

    private final Parts parts;
    private final Map<Integer, KernelRegion> regions = new ConcurrentHashMap<>();

    MemoryRegions(Parts parts) {
        this.parts = parts;
    }

    RegisteredMemory register(KernelDomain domain, long start, MemorySegment memory, int accessFlags) {
        return register(
                domain, start, memory.byteSize(), PinnedMemory.pages(memory), () -> parts.pin(memory), accessFlags);
    }

    RegisteredMemory register(KernelDomain domain, long start, ForeignMemory memory, int accessFlags) {
        long length = memory.byteSize();
        long pages = PageDirectory.pagesSpanned(start, Math.max(1, length));
        return register(domain, start, length, pages, () -> parts.pin(memory, start), accessFlags);
    }

    private RegisteredMemory register(
            KernelDomain domain, long start, long length, long pages, Supplier<PinnedMemory> pin, int accessFlags) {
        Call call = new Call("ibv_reg_mr", () -> length + " bytes on " + parts.name(), this::likelyCause);
        check(call, length, pages, accessFlags);
        domain.users().take(call);
        try {
            PinnedMemory pinned = pin.get();
            try {
                RegisteredMemory created = parts.commands()
                        .ask(
                                call,
                                CommandCode.CREATE_MR,
                                command -> {
                                    CreateMr.start(command, 0, start);
                                    CreateMr.length(command, 0, length);
                                    CreateMr.pdHandle(command, 0, domain.handle());
                                    CreateMr.accessFlags(command, 0, accessFlags);
                                    CreateMr.nchunks(command, 0, pinned.pageCount());
                                    CreateMr.pdirDma(command, 0, pinned.directoryDma());
                                },
                                response -> new RegisteredMemory(
                                        CreateMr.Response.mrHandle(response, 0),
                                        CreateMr.Response.lkey(response, 0),
                                        CreateMr.Response.rkey(response, 0)));
                regions.put(created.handle(), new KernelRegion(created.handle(), domain, pinned));
                return created;
            } catch (RuntimeException e) {
                pinned.close();
                throw e;
            }
        } catch (RuntimeException e) {
            domain.users().give();
            throw e;
        }
    }

    private void check(Call call, long length, long pages, int accessFlags) {
        if ((accessFlags & REMOTE_WRITERS) != 0 && (accessFlags & AccessFlags.ACCESS_LOCAL_WRITE) == 0) {
            throw call.failure(Errno.EINVAL, "a remote right to write needs LOCAL_WRITE as well");
        }
        requireSize(call, length, pages);
    }

    /** EINVAL if memory that begins at a page and is so long cannot be registered. */
    void requireSize(long length) {
        requireSize(
                Call.of("ibv_reg_mr", () -> length + " bytes on " + parts.name()),
                length,
                PageDirectory.pagesSpanned(0, Math.max(1, length)));
    }

    private void requireSize(Call call, long length, long pages) {
        long maxSize = DeviceCaps.maxMrSize(parts.caps(), 0);
        if (length == 0 || Long.compareUnsigned(length, maxSize) > 0) {
            throw call.failure(
                    Errno.EINVAL,
                    "a memory region has 1 to " + Long.toUnsignedString(maxSize)
                            + " bytes on this device (max_mr_size): register larger memory in parts, or raise"
                            + " DeviceConfiguration.maxMrSize");
        }
        if (pages > PageDirectory.MAX_PAGES) {
            throw call.failure(
                    Errno.EINVAL,
                    "the memory touches " + pages + " pages of 4 KiB, and the driver's page directory lists at most "
                            + PageDirectory.MAX_PAGES + ", which is 1 GiB, whatever max_mr_size says: register it in"
                            + " parts");
        }
    }

    private String likelyCause() {
        int max = DeviceCaps.maxMr(parts.caps(), 0);
        return regions.size() >= max ? "all of its " + max + " memory regions (max_mr) are in use" : "";
    }

    void deregister(int handle) {
        KernelRegion region = regions.remove(handle);
        if (region == null) {
            throw new VerbsException(
                    "ibv_dereg_mr", "MR " + handle + " of " + parts.name(), Errno.EINVAL, "there is no such region");
        }
        destroy(region);
    }

    private void destroy(KernelRegion region) {
        Call call = Call.of("ibv_dereg_mr", () -> "MR " + region.handle() + " of " + parts.name());
        try {
            parts.commands()
                    .tell(call, CommandCode.DESTROY_MR, command -> DestroyMr.mrHandle(command, 0, region.handle()));
        } catch (VerbsException e) {
            // as in Linux: the memory is unmapped whether or not the device has understood
            LOG.warn("Going on after: {}", e.getMessage());
        }
        region.memory().close();
        region.domain().users().give();
    }

    void destroyAllOf(KernelContext context) {
        for (KernelRegion region : List.copyOf(regions.values())) {
            if (region.domain().context().equals(context) && regions.remove(region.handle(), region)) {
                destroy(region);
            }
        }
    }
}
