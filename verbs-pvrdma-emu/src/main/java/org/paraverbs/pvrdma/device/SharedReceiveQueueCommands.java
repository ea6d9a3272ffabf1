// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.CreateSrq;
import org.paraverbs.pvrdma.abi.DestroySrq;
import org.paraverbs.pvrdma.abi.ModifySrq;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QuerySrq;
import org.paraverbs.pvrdma.abi.SrqAttr;
import org.paraverbs.verbs.Errno;

/** The commands about shared receive queues. */
final class SharedReceiveQueueCommands {
    private static final int BASIC = 0;

    private final DeviceCore core;

    SharedReceiveQueueCommands(DeviceCore core) {
        this.core = core;
    }

    void create(MemorySegment command, MemorySegment response) throws RefusedException {
        requireSupport();
        int type = CreateSrq.srqType(command, 0);
        if (type != BASIC) {
            throw new RefusedException(Errno.EOPNOTSUPP, "shared receive queue type " + type + "; there is only 0");
        }
        ProtectionDomain domain =
                ResourceCommands.require(core.domains, CreateSrq.pdHandle(command, 0), "protection domain");
        int maxWr = SrqAttr.maxWr(command, CreateSrq.ATTRS_OFFSET);
        int maxSge = SrqAttr.maxSge(command, CreateSrq.ATTRS_OFFSET);
        core.limits.sharedReceiveQueueEntries.requireWithin(Integer.toUnsignedLong(maxWr));
        core.limits.sharedReceiveQueueElements.requireWithin(Integer.toUnsignedLong(maxSge));
        RefusedException.unless(
                Integer.bitCount(maxWr) == 1,
                "work requests of a shared receive queue, which must be a power of two",
                maxWr);
        RefusedException.unless(maxSge != 0, "elements of a work request in a shared receive queue", maxSge);
        int chunks = CreateSrq.nchunks(command, 0);
        long needed = SharedReceiveQueue.pages(maxWr, maxSge);
        // the provider allocates the ring twice over; what is beyond the first is not looked at
        RefusedException.unless(
                chunks >= needed && chunks <= PageDirectory.MAX_PAGES,
                "pages of the shared receive queue, " + needed + " at least",
                chunks);
        int handle = core.sharedReceiveQueues.free();
        GuestPages pages = ResourceCommands.requireMapped(GuestPages.read(
                core.memory, CreateSrq.pdirDma(command, 0), (int) needed, 0, needed << PageDirectory.PAGE_SHIFT));
        core.sharedReceiveQueues.put(handle, new SharedReceiveQueue(handle, domain, maxWr, maxSge, pages));
        domain.users++;
        CreateSrq.Response.srqn(response, 0, handle);
    }

    /** Only the limit can be modified, as through the Linux driver. */
    void modify(MemorySegment command) throws RefusedException {
        SharedReceiveQueue queue = queue(ModifySrq.srqHandle(command, 0));
        int mask = ModifySrq.attrMask(command, 0);
        if (mask != ModifySrq.LIMIT) {
            throw new RefusedException(
                    Errno.EOPNOTSUPP, "only srq_limit of a shared receive queue can be modified; mask " + mask);
        }
        int limit = SrqAttr.srqLimit(command, ModifySrq.ATTRS_OFFSET);
        RefusedException.unless(limit >= 0 && limit <= queue.maxWr, "srq_limit, 0 to " + queue.maxWr, limit);
        queue.limit = limit;
    }

    void query(MemorySegment command, MemorySegment response) throws RefusedException {
        SharedReceiveQueue queue = queue(QuerySrq.srqHandle(command, 0));
        SrqAttr.maxWr(response, QuerySrq.Response.ATTRS_OFFSET, queue.maxWr);
        SrqAttr.maxSge(response, QuerySrq.Response.ATTRS_OFFSET, queue.maxSge);
        SrqAttr.srqLimit(response, QuerySrq.Response.ATTRS_OFFSET, queue.limit);
    }

    void destroy(MemorySegment command) throws RefusedException {
        SharedReceiveQueue queue = queue(DestroySrq.srqHandle(command, 0));
        ResourceCommands.requireUnused(queue.users, "shared receive queue");
        core.sharedReceiveQueues.remove(queue.handle);
        queue.pd.users--;
    }

    private void requireSupport() throws RefusedException {
        if (core.configuration.limits().maxSrq() == 0) {
            throw new RefusedException(
                    Errno.EOPNOTSUPP, "this device has no shared receive queues: DeviceConfiguration.maxSrq is 0");
        }
    }

    private SharedReceiveQueue queue(int handle) throws RefusedException {
        requireSupport();
        return ResourceCommands.require(core.sharedReceiveQueues, handle, "shared receive queue");
    }
}
