// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.paraverbs.pvrdma.front.uverbs.Protocol.INT;
import static org.paraverbs.pvrdma.front.uverbs.Protocol.LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.SrqAttr;
import org.paraverbs.pvrdma.guest.kernel.CreatedCompletionQueue;
import org.paraverbs.pvrdma.guest.kernel.CreatedQueuePair;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.pvrdma.guest.kernel.QueuePairRequest;
import org.paraverbs.pvrdma.guest.kernel.RegisteredMemory;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/**
 * Carries out the commands that libibverbs writes, as the kernel's uverbs_cmd.c does: finds the objects, which have to be the
 * client's own, and asks the driver. The agent's. A command is bytes that any program may have written.
 */
final class Commands {
    /** Rings of one object at most, by what a page directory lists. */
    private static final long MAX_RING_BYTES = (long) PageDirectory.MAX_PAGES * PageDirectory.PAGE_SIZE;

    private final PvrdmaDriver driver;
    private final AgentSide agent;

    /** What commands need of who runs them. */
    interface AgentSide {
        ClientContext open(Client client);

        /** The action for completions of a queue to be, which {@link #created} names. */
        CompletionNotice notice();

        void created(RingObject completionQueue);

        /** Tells of everything that has happened to the object, so that it can be forgotten. */
        void settle();

        void destroyed(RingObject completionQueue);
    }

    Commands(PvrdmaDriver driver, AgentSide agent) {
        this.driver = driver;
        this.agent = agent;
    }

    /** A command, and what becomes of it. */
    static final class Call {
        final Client client;

        /** The command without its header. */
        final MemorySegment in;

        final int number;

        /** Bytes of the response that the program wants at most. */
        final int room;

        final long ringOffset;
        final long firstBytes;
        final long secondBytes;

        /** The response, first the core's part, then the driver's. */
        final MemorySegment out = MemorySegment.ofArray(new byte[512]);

        int length;
        long completionsTold;
        long eventsTold;

        /** Whether the events told are to be followed by a fence. */
        boolean fenced;

        /** A command as the program has written it, of at least a header. */
        Call(Client client, MemorySegment written, long ringOffset, long firstBytes, long secondBytes) {
            this.client = client;
            this.in = written.asSlice(Uverbs.HEADER_SIZE);
            this.number = Uverbs.command(written);
            this.room = Uverbs.room(written);
            this.ringOffset = ringOffset;
            this.firstBytes = firstBytes;
            this.secondBytes = secondBytes;
        }

        int int32(long at) {
            return in.get(INT, at);
        }

        long int64(long at) {
            return in.get(LONG, at);
        }

        int int8(long at) {
            return in.get(ValueLayout.JAVA_BYTE, at) & 0xff;
        }

        int int16(long at) {
            return in.get(ValueLayout.JAVA_SHORT_UNALIGNED, at) & 0xffff;
        }

        void answer(int... words) {
            for (int word : words) {
                out.set(INT, length, word);
                length += Integer.BYTES;
            }
        }

        ClientContext context() {
            ClientContext context = client.context();
            if (context == null) {
                throw failure(Errno.EINVAL, "the first command of an open device is GET_CONTEXT");
            }
            return context;
        }

        VerbsException failure(Errno errno, String advice) {
            return new VerbsException("uverbs command " + number, client.toString(), errno, advice);
        }

        /** The core's part at least, and what the driver reads. */
        void requireSize(int bytes) {
            if (in.byteSize() < bytes) {
                throw failure(Errno.EINVAL, "the command has " + in.byteSize() + " bytes, not " + bytes);
            }
        }

        RingObject require(Map<Integer, RingObject> objects, int handle, String what) {
            RingObject object = objects.get(handle);
            if (object == null) {
                throw failure(Errno.EINVAL, "the client has no " + what + " " + handle);
            }
            return object;
        }

        /** The rings that the client has put in the shared file. */
        Rings rings() {
            long bytes = firstBytes + secondBytes;
            if (firstBytes < 1 || secondBytes < 0 || firstBytes > MAX_RING_BYTES || bytes > MAX_RING_BYTES) {
                throw failure(Errno.EINVAL, "rings of " + firstBytes + " and " + secondBytes + " bytes");
            }
            try {
                return new Rings(client.shared(), ringOffset, bytes);
            } catch (IOException e) {
                throw failure(Errno.EFAULT, "its rings cannot be mapped: " + e.getMessage());
            }
        }
    }

    void execute(Call call) throws IOException {
        switch (call.number) {
            case Uverbs.GET_CONTEXT -> getContext(call);
            case Uverbs.QUERY_DEVICE -> DeviceForm.device(driver.deviceCaps(), call);
            case Uverbs.EX_QUERY_DEVICE -> queryDevice(call);
            case Uverbs.QUERY_PORT -> queryPort(call);
            case Uverbs.ALLOC_PD -> allocateDomain(call);
            case Uverbs.DEALLOC_PD -> deallocateDomain(call);
            case Uverbs.REG_MR -> register(call);
            case Uverbs.DEREG_MR -> deregister(call);
            case Uverbs.CREATE_CQ -> createCompletionQueue(call);
            case Uverbs.DESTROY_CQ -> destroyCompletionQueue(call);
            case Uverbs.CREATE_QP -> createQueuePair(call);
            case Uverbs.QUERY_QP -> queryQueuePair(call);
            case Uverbs.MODIFY_QP -> modifyQueuePair(call);
            case Uverbs.DESTROY_QP -> destroyQueuePair(call);
            case Uverbs.CREATE_SRQ -> createSharedReceiveQueue(call);
            case Uverbs.MODIFY_SRQ -> modifySharedReceiveQueue(call);
            case Uverbs.QUERY_SRQ -> querySharedReceiveQueue(call);
            case Uverbs.DESTROY_SRQ -> destroySharedReceiveQueue(call);
            default -> throw call.failure(Errno.EOPNOTSUPP, "the vmw_pvrdma driver does not have it");
        }
    }

    // --- device, port, protection domains

    private void getContext(Call call) {
        call.requireSize(8);
        agent.open(call.client);
        // the client puts the file of asynchronous events in the first word; there is one completion vector
        call.answer(0, 1, DeviceCaps.maxQp(driver.deviceCaps(), 0), 0);
    }

    private void queryDevice(Call call) {
        call.requireSize(Uverbs.ExQueryDevice.SIZE);
        if (call.int32(Uverbs.ExQueryDevice.COMP_MASK) != 0 || call.int32(Uverbs.ExQueryDevice.RESERVED) != 0) {
            throw call.failure(Errno.EINVAL, "there is nothing yet that comp_mask could ask for");
        }
        DeviceForm.extendedDevice(driver.deviceCaps(), call);
    }

    private void queryPort(Call call) {
        call.requireSize(16);
        DeviceForm.port(driver.queryPort(call.int8(8)), call);
    }

    /** Who takes all that he can get leaves half of it to others. */
    private static void requireShare(Call call, int held, int most, String kind) {
        if (held >= most / 2) {
            throw call.failure(
                    Errno.ENOMEM,
                    "it has " + held + " " + kind + ", half of the device's " + most + "; the rest is for others");
        }
    }

    private void allocateDomain(Call call) {
        ClientContext context = call.context();
        requireShare(call, context.domains.size(), DeviceCaps.maxPd(driver.deviceCaps(), 0), "protection domains");
        int handle = driver.createProtectionDomain(context.handle());
        context.domains.add(handle);
        call.answer(handle, handle, 0);
    }

    private void deallocateDomain(Call call) {
        call.requireSize(4);
        int handle = requireDomain(call, call.int32(0));
        driver.destroyProtectionDomain(handle);
        call.context().domains.remove(handle);
    }

    private static int requireDomain(Call call, int handle) {
        if (!call.context().domains.contains(handle)) {
            throw call.failure(Errno.EINVAL, "the client has no protection domain " + handle);
        }
        return handle;
    }

    // --- memory regions

    private void register(Call call) throws IOException {
        call.requireSize(Uverbs.RegMr.SIZE);
        ClientContext context = call.context();
        long start = call.int64(Uverbs.RegMr.START);
        long length = call.int64(Uverbs.RegMr.LENGTH);
        int access = call.int32(Uverbs.RegMr.ACCESS_FLAGS);
        int domain = requireDomain(call, call.int32(Uverbs.RegMr.PD_HANDLE));
        requireShare(call, call.context().regions.size(), DeviceCaps.maxMr(driver.deviceCaps(), 0), "memory regions");
        if ((access & Uverbs.RegMr.ACCESS_NEEDS_CAPABILITY) != 0) {
            throw call.failure(
                    Errno.EOPNOTSUPP,
                    "the device has neither paging on demand nor flushes: access flags 0x"
                            + Integer.toHexString(access));
        }
        if (((start ^ call.int64(Uverbs.RegMr.HCA_VA)) & (PageDirectory.PAGE_SIZE - 1)) != 0) {
            throw call.failure(Errno.EINVAL, "the address on the device has another offset in its page");
        }
        if (length < 1) {
            throw call.failure(Errno.EINVAL, "a region of " + Long.toUnsignedString(length) + " bytes");
        }
        boolean written = (access & AccessFlags.ACCESS_LOCAL_WRITE) != 0;
        if (!call.client.memory().allows(start, length, written)) {
            throw call.failure(
                    Errno.EFAULT,
                    "not all of 0x" + Long.toHexString(start) + ", " + length
                            + " bytes, is memory of the process that it can " + (written ? "write" : "read"));
        }
        // the driver does not pass hca_va on (pvrdma_mr.c)
        RegisteredMemory created =
                driver.register(domain, start, call.client.memory().range(start, length), access);
        context.regions.add(created.handle());
        call.answer(created.handle(), created.lkey(), created.rkey());
    }

    private void deregister(Call call) {
        call.requireSize(4);
        int handle = call.int32(0);
        if (!call.context().regions.remove(handle)) {
            throw call.failure(Errno.EINVAL, "the client has no memory region " + handle);
        }
        driver.deregister(handle);
    }

    // --- completion queues

    private void createCompletionQueue(Call call) {
        call.requireSize(Uverbs.CreateCq.SIZE);
        ClientContext context = call.context();
        requireShare(
                call, context.completionQueues.size(), DeviceCaps.maxCq(driver.deviceCaps(), 0), "completion queues");
        Rings rings = call.rings();
        try {
            CompletionNotice notice = agent.notice();
            CreatedCompletionQueue created = driver.createCompletionQueue(
                    context.handle(),
                    call.int32(Uverbs.CreateCq.CQE),
                    rings.memory,
                    call.int32(Uverbs.CreateCq.COMP_VECTOR),
                    notice);
            notice.handle(created.handle());
            RingObject queue = new RingObject(
                    context,
                    created.handle(),
                    call.int64(Uverbs.USER_HANDLE),
                    rings,
                    call.int32(Uverbs.CreateCq.COMP_CHANNEL));
            context.addCompletionQueue(queue);
            agent.created(queue);
            call.answer(created.handle(), created.entries(), created.handle(), 0);
        } catch (RuntimeException e) {
            rings.close();
            throw e;
        }
    }

    private void destroyCompletionQueue(Call call) {
        call.requireSize(12);
        ClientContext context = call.context();
        RingObject queue = call.require(context.completionQueues, call.int32(Uverbs.HANDLE), "completion queue");
        driver.destroyCompletionQueue(queue.handle);
        agent.settle();
        context.removeCompletionQueue(queue);
        agent.destroyed(queue);
        answerDestroyed(call, queue);
    }

    /** What the client needs to count the events and to give the memory back, which is not the kernel's response. */
    private static void answerDestroyed(Call call, RingObject object) {
        object.close();
        call.out.set(LONG, 0, object.userHandle);
        call.out.set(LONG, 8, object.rings.offset);
        call.out.set(LONG, 16, object.rings.bytes);
        call.length = 24;
        call.completionsTold = object.completionsTold;
        call.eventsTold = object.eventsTold;
        call.fenced = true;
    }

    // --- queue pairs

    private void createQueuePair(Call call) {
        call.requireSize(Uverbs.CreateQp.SIZE);
        ClientContext context = call.context();
        requireShare(call, context.queuePairs.size(), DeviceCaps.maxQp(driver.deviceCaps(), 0), "queue pairs");
        boolean shared = call.int8(Uverbs.CreateQp.IS_SRQ) != 0;
        RingObject sends =
                call.require(context.completionQueues, call.int32(Uverbs.CreateQp.SEND_CQ_HANDLE), "completion queue");
        RingObject receives =
                call.require(context.completionQueues, call.int32(Uverbs.CreateQp.RECV_CQ_HANDLE), "completion queue");
        int type = call.int8(Uverbs.CreateQp.QP_TYPE);
        if (type == QpType.GSI) {
            throw call.failure(Errno.EOPNOTSUPP, "the queue pair for general services is the kernel's");
        }
        int[] capacity = {
            call.int32(Uverbs.CreateQp.MAX_SEND_WR),
            call.int32(Uverbs.CreateQp.MAX_RECV_WR),
            call.int32(Uverbs.CreateQp.MAX_SEND_SGE),
            call.int32(Uverbs.CreateQp.MAX_RECV_SGE),
            call.int8(Uverbs.CreateQp.SQ_SIG_ALL)
        };
        QueuePairRequest request = new QueuePairRequest(
                type,
                requireDomain(call, call.int32(Uverbs.CreateQp.PD_HANDLE)),
                sends.handle,
                receives.handle,
                shared
                        ? call.require(
                                        context.sharedReceiveQueues,
                                        call.int32(Uverbs.CreateQp.SRQ_HANDLE),
                                        "shared receive queue")
                                .handle
                        : QueuePairRequest.OWN_RECEIVES,
                capacity[0],
                shared ? 0 : capacity[1],
                capacity[2],
                shared ? 0 : capacity[3],
                capacity[4] != 0);
        Rings rings = call.rings();
        try {
            int sendPages = (int) (call.firstBytes >>> PageDirectory.PAGE_SHIFT) - 1; // without that of the ring states
            CreatedQueuePair created = driver.createQueuePair(request, rings.memory, sendPages);
            context.addQueuePair(new RingObject(
                    context, created.handle(), call.int64(Uverbs.USER_HANDLE), rings, RingObject.NO_CHANNEL, capacity));
            call.answer(created.handle(), created.qpn(), capacity[0], capacity[1], capacity[2], capacity[3], 0, 0);
            call.answer(created.qpn(), created.handle());
        } catch (RuntimeException e) {
            rings.close();
            throw e;
        }
    }

    private void modifyQueuePair(Call call) throws IOException {
        call.requireSize(Uverbs.ModifyQp.SIZE);
        RingObject pair = call.require(call.context().queuePairs, call.int32(Uverbs.ModifyQp.QP_HANDLE), "queue pair");
        MemorySegment attributes = MemorySegment.ofArray(new byte[QpAttr.SIZE]);
        QueuePairAttributesForm.read(call, attributes);
        int mask = call.int32(Uverbs.ModifyQp.ATTR_MASK);
        boolean asksForPrivilege = (mask & QpAttrMask.QKEY) != 0 && QpAttr.qkey(attributes, 0) < 0;
        driver.modifyQueuePair(pair.handle, mask, attributes, asksForPrivilege && call.client.hasNetRaw());
    }

    private void queryQueuePair(Call call) {
        call.requireSize(Uverbs.QueryQp.SIZE);
        RingObject pair = call.require(call.context().queuePairs, call.int32(Uverbs.HANDLE), "queue pair");
        MemorySegment attributes = MemorySegment.ofArray(new byte[QpAttr.SIZE]);
        driver.queryQueuePair(pair.handle, call.int32(Uverbs.QueryQp.ATTR_MASK), attributes);
        QueuePairAttributesForm.write(attributes, pair, call);
    }

    private void destroyQueuePair(Call call) {
        call.requireSize(12);
        ClientContext context = call.context();
        RingObject pair = call.require(context.queuePairs, call.int32(Uverbs.HANDLE), "queue pair");
        driver.destroyQueuePair(pair.handle);
        agent.settle();
        context.removeQueuePair(pair);
        answerDestroyed(call, pair);
    }

    // --- shared receive queues

    private void createSharedReceiveQueue(Call call) {
        call.requireSize(Uverbs.CreateSrq.SIZE);
        ClientContext context = call.context();
        requireShare(
                call,
                context.sharedReceiveQueues.size(),
                DeviceCaps.maxSrq(driver.deviceCaps(), 0),
                "shared receive queues");
        int receives = call.int32(Uverbs.CreateSrq.MAX_WR);
        int elements = call.int32(Uverbs.CreateSrq.MAX_SGE);
        int domain = requireDomain(call, call.int32(Uverbs.CreateSrq.PD_HANDLE));
        Rings rings = call.rings();
        try {
            int handle = driver.createSharedReceiveQueue(domain, receives, elements, rings.memory);
            context.sharedReceiveQueues.put(
                    handle,
                    new RingObject(context, handle, call.int64(Uverbs.USER_HANDLE), rings, RingObject.NO_CHANNEL));
            call.answer(handle, receives, elements, handle, handle, 0);
        } catch (RuntimeException e) {
            rings.close();
            throw e;
        }
    }

    private void modifySharedReceiveQueue(Call call) {
        call.requireSize(Uverbs.ModifySrq.SIZE);
        RingObject queue = call.require(
                call.context().sharedReceiveQueues, call.int32(Uverbs.ModifySrq.SRQ_HANDLE), "shared receive queue");
        if (call.int32(Uverbs.ModifySrq.ATTR_MASK) != Uverbs.SRQ_LIMIT) {
            throw call.failure(Errno.EINVAL, "only srq_limit of a shared receive queue can be modified");
        }
        driver.limitSharedReceiveQueue(queue.handle, call.int32(Uverbs.ModifySrq.LIMIT));
    }

    private void querySharedReceiveQueue(Call call) {
        call.requireSize(16);
        RingObject queue =
                call.require(call.context().sharedReceiveQueues, call.int32(Uverbs.HANDLE), "shared receive queue");
        MemorySegment attributes = MemorySegment.ofArray(new byte[SrqAttr.SIZE]);
        driver.querySharedReceiveQueue(queue.handle, attributes);
        call.answer(SrqAttr.maxWr(attributes, 0), SrqAttr.maxSge(attributes, 0), SrqAttr.srqLimit(attributes, 0), 0);
    }

    private void destroySharedReceiveQueue(Call call) {
        call.requireSize(12);
        ClientContext context = call.context();
        RingObject queue = call.require(context.sharedReceiveQueues, call.int32(Uverbs.HANDLE), "shared receive queue");
        driver.destroySharedReceiveQueue(queue.handle);
        agent.settle();
        context.sharedReceiveQueues.remove(queue.handle);
        answerDestroyed(call, queue);
    }
}
