// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreatePd;
import org.paraverbs.pvrdma.abi.CreateUc;
import org.paraverbs.pvrdma.abi.DestroyPd;
import org.paraverbs.pvrdma.abi.DestroyUc;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.abi.PortCapFlags;
import org.paraverbs.pvrdma.abi.QueryPkey;
import org.paraverbs.pvrdma.abi.QueryPort;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver of one device: it finds the device out and activates it, serves contexts of programs, and takes the device's
 * interrupts. All methods may be called by any thread, except those that run the device (interrupt handlers, and what
 * they call).
 *
 * <p>Objects have the handles that the device gave. Whose they are is the caller's business, as it is that of the
 * kernel's verbs core; what is still open when a context is closed goes with it.
 */
public final class PvrdmaDriver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PvrdmaDriver.class);

    /** How long Linux waits for a response ({@code PVRDMA_CMD_TIMEOUT}). */
    public static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

    private final Parts parts;
    private final DeviceShare share;
    private final int version;
    private final InterruptTable interrupts;
    private final UarTable uars;
    private final Limit domainLimit;
    private final GidTable gids;
    private final CompletionQueues completionQueues;
    private final QueuePairs queuePairs;
    private final MemoryRegions regions;
    private final Map<Integer, KernelContext> contexts = new ConcurrentHashMap<>();
    private final Map<Integer, KernelDomain> domains = new ConcurrentHashMap<>();

    private volatile boolean active;

    /**
     * Probes a device and activates it.
     *
     * @param name the device's name, for messages
     * @param bars the device's registers and doorbells
     * @param interrupts where the device raises its vectors
     * @param space what the device reaches as memory
     * @param commandTimeout how long to wait for the response to a command, normally {@link #COMMAND_TIMEOUT}
     * @throws VerbsException EFAULT if the device is not one that the driver can drive, or does not start
     */
    public PvrdmaDriver(String name, Bars bars, InterruptTable interrupts, DmaSpace space, Duration commandTimeout) {
        this.interrupts = interrupts;
        this.share = new DeviceShare(name, bars, space);
        this.version = share.version();
        try {
            MemorySegment caps = share.exchange();
            this.parts = new Parts(
                    name,
                    new CommandSlot(bars, share.commandSlot(), share.responseSlot(), commandTimeout),
                    space,
                    share.pages(),
                    caps);
            HandlerCount handlers = new HandlerCount();
            uars = new UarTable(DeviceCaps.maxUar(caps, 0));
            domainLimit = new Limit("protection domains (max_pd)", DeviceCaps.maxPd(caps, 0));
            gids = new GidTable(parts);
            completionQueues = new CompletionQueues(parts, handlers);
            queuePairs = new QueuePairs(parts, version, gids, handlers);
            regions = new MemoryRegions(parts);
            InterruptHandlers taken = new InterruptHandlers(
                    share.eventRing(),
                    share.completionRing(),
                    completionQueues,
                    queuePairs,
                    contexts.values(),
                    DeviceCaps.physPortCnt(caps, 0),
                    handlers);
            interrupts.request(InterruptVector.RESPONSE, parts.commands()::onResponse);
            interrupts.request(InterruptVector.ASYNC, taken::onEvents);
            interrupts.request(InterruptVector.CQ, taken::onCompletions);
            share.activate();
        } catch (RuntimeException e) {
            freeInterrupts();
            share.close();
            throw e;
        }
        active = true;
        LOG.debug("{}: device version {}", name, version);
    }

    /** The device's name. */
    public String name() {
        return parts.name();
    }

    // --- the device and its port

    /**
     * The capabilities and limits of the device, with what the driver adds: the capability flags for port events and
     * RNR NAKs, and a value for {@code max_sge_rd} where the device is too old to have one (pvrdma_verbs.c).
     *
     * @return a read-only {@link DeviceCaps}
     */
    public MemorySegment deviceCaps() {
        return parts.caps();
    }

    /**
     * Asks the device for the attributes of a port.
     *
     * @param port from 1
     * @return a {@link PortAttr} of the caller's
     * @throws VerbsException EINVAL if there is no such port
     */
    public MemorySegment queryPort(int port) {
        Call call = Call.of("ibv_query_port", () -> parts.name() + " port " + port);
        requirePort(call, port);
        MemorySegment attributes = MemorySegment.ofArray(new byte[PortAttr.SIZE]);
        parts.commands()
                .ask(
                        call,
                        CommandCode.QUERY_PORT,
                        command -> QueryPort.portNum(command, 0, port),
                        response ->
                                attributes.copyFrom(response.asSlice(QueryPort.Response.ATTRS_OFFSET, PortAttr.SIZE)));
        PortAttr.portCapFlags(
                attributes, 0, PortAttr.portCapFlags(attributes, 0) | PortCapFlags.CM_SUP | PortCapFlags.IP_BASED_GIDS);
        return attributes;
    }

    /**
     * Asks the device for a partition key.
     *
     * @param port from 1
     * @param index the index in the port's table
     * @return the key
     * @throws VerbsException EINVAL if there is no such port or entry
     */
    public int queryPkey(int port, int index) {
        Call call = Call.of("ibv_query_pkey", () -> parts.name() + " port " + port + " pkey index " + index);
        requirePort(call, port);
        int entries = PortAttr.pkeyTblLen(queryPort(port), 0);
        if (index < 0 || index >= entries) {
            throw call.failure(Errno.EINVAL, "the table has " + entries + " entries");
        }
        return parts.commands()
                .ask(
                        call,
                        CommandCode.QUERY_PKEY,
                        command -> {
                            QueryPkey.portNum(command, 0, port);
                            QueryPkey.index(command, 0, index);
                        },
                        response -> QueryPkey.Response.pkey(response, 0));
    }

    /**
     * An entry of a port's GID table, which the kernel keeps.
     *
     * @param port from 1
     * @param index the index in the table
     * @return the entry, or null if it is empty
     * @throws VerbsException EINVAL if there is no such port or index
     */
    public @Nullable GidTableEntry queryGid(int port, int index) {
        Call call = Call.of("ibv_query_gid", () -> parts.name() + " port " + port + " GID index " + index);
        requirePort(call, port);
        if (index < 0 || index >= gids.length()) {
            throw call.failure(Errno.EINVAL, "the table has " + gids.length() + " entries");
        }
        return gids.get(index);
    }

    private void requirePort(Call call, int port) {
        int ports = DeviceCaps.physPortCnt(parts.caps(), 0);
        if (port < 1 || port > ports) {
            throw call.failure(Errno.EINVAL, "there is no such port, the device has ports 1 to " + ports);
        }
    }

    /**
     * Gives the port a GID, as the kernel does when the network interface gets an address. It has the type of the device.
     *
     * @param index the index in the table
     * @param gid the GID
     * @throws VerbsException EINVAL if there is no such index, EFAULT if the device refuses
     */
    public void addGid(int index, Gid gid) {
        gids.add(index, new GidTableEntry(gid, DeviceCaps.gidTypes(parts.caps(), 0)));
    }

    /**
     * Takes a GID from the port.
     *
     * @param index the index in the table
     * @throws VerbsException EINVAL if there is no such index, ENODATA if the entry is empty, EFAULT if the device
     *     refuses
     */
    public void removeGid(int index) {
        gids.remove(index);
    }

    // --- contexts and protection domains

    /**
     * Opens a context for a program ({@code alloc_ucontext}).
     *
     * @param events is told of its asynchronous events
     * @return the context
     * @throws VerbsException EAGAIN if the driver is being removed, ENOMEM if all doorbell pages are in use
     */
    public UserContext openContext(EventListener events) {
        Call call = Call.of("ibv_open_device", parts::name);
        if (!active) {
            throw call.failure(Errno.EAGAIN, "the driver has been removed from the device");
        }
        int page = uars.allocate(call);
        try {
            int handle = parts.commands()
                    .ask(
                            call,
                            CommandCode.CREATE_UC,
                            command -> setPfn(command, DeviceShare.UAR_PFN + page),
                            response -> CreateUc.Response.ctxHandle(response, 0));
            contexts.put(handle, new KernelContext(handle, page, events));
            return new UserContext(handle, page);
        } catch (RuntimeException e) {
            uars.release(page);
            throw e;
        }
    }

    private void setPfn(MemorySegment command, long pfn) {
        if (version < DeviceVersion.PPN64_VERSION) {
            CreateUc.pfn(command, 0, (int) pfn);
        } else {
            CreateUc.pfn64(command, 0, pfn);
        }
    }

    /**
     * Closes a context and destroys what it still owns, as when a process ends.
     *
     * @param handle the context
     * @throws VerbsException EINVAL if there is no such context
     */
    public void closeContext(int handle) {
        Call call = Call.of("ibv_close_device", parts::name);
        KernelContext context = requireContext(call, handle);
        queuePairs.destroyAllOf(context);
        completionQueues.destroyAllOf(context);
        regions.destroyAllOf(context);
        for (KernelDomain domain : domains.values()) {
            if (domain.context().equals(context)) {
                destroyProtectionDomain(domain.handle());
            }
        }
        contexts.remove(handle);
        tellQuietly(call, CommandCode.DESTROY_UC, handle);
        uars.release(context.uarPage());
    }

    private KernelContext requireContext(Call call, int handle) {
        KernelContext context = contexts.get(handle);
        if (context == null) {
            throw call.failure(Errno.EINVAL, "there is no context " + handle);
        }
        return context;
    }

    /**
     * Allocates a protection domain.
     *
     * @param contextHandle the context
     * @return its handle
     * @throws VerbsException ENOMEM if all are in use
     */
    public int createProtectionDomain(int contextHandle) {
        Call call = Call.of("ibv_alloc_pd", parts::name);
        KernelContext context = requireContext(call, contextHandle);
        domainLimit.take(call);
        try {
            int handle = parts.commands()
                    .ask(
                            call,
                            CommandCode.CREATE_PD,
                            command -> CreatePd.ctxHandle(command, 0, contextHandle),
                            response -> CreatePd.Response.pdHandle(response, 0));
            domains.put(handle, new KernelDomain(handle, context, new Users("protection domain")));
            return handle;
        } catch (RuntimeException e) {
            domainLimit.give();
            throw e;
        }
    }

    /**
     * Frees a protection domain.
     *
     * @param handle the protection domain
     * @throws VerbsException EBUSY if it is in use
     */
    public void destroyProtectionDomain(int handle) {
        Call call = Call.of("ibv_dealloc_pd", () -> "PD " + handle + " of " + parts.name());
        KernelDomain domain = requireDomain(call, handle);
        domain.users().retire(call);
        domains.remove(handle);
        tellQuietly(call, CommandCode.DESTROY_PD, handle);
        domainLimit.give();
    }

    private KernelDomain requireDomain(Call call, int handle) {
        KernelDomain domain = domains.get(handle);
        if (domain == null) {
            throw call.failure(Errno.EINVAL, "there is no protection domain " + handle);
        }
        return domain;
    }

    /** Destroys something at the device; as in Linux, it is gone for the driver whether or not the device agrees. */
    private void tellQuietly(Call call, int code, int handle) {
        try {
            parts.commands().tell(call, code, command -> {
                if (code == CommandCode.DESTROY_UC) {
                    DestroyUc.ctxHandle(command, 0, handle);
                } else {
                    DestroyPd.pdHandle(command, 0, handle);
                }
            });
        } catch (VerbsException e) {
            LOG.warn("Going on after: {}", e.getMessage());
        }
    }

    // --- memory regions

    /**
     * Registers memory.
     *
     * @param protectionDomain handle
     * @param start the address of the first byte, as work requests will name it; its offset in the page is that of the
     *     memory
     * @param memory the memory itself
     * @param accessFlags of {@link org.paraverbs.pvrdma.abi.AccessFlags}
     * @return handle and keys
     * @throws VerbsException EINVAL for a size that the device or the driver does not take, or wrong flags; EFAULT if the
     *     device refuses
     */
    public RegisteredMemory register(int protectionDomain, long start, MemorySegment memory, int accessFlags) {
        Call call = Call.of("ibv_reg_mr", () -> memory.byteSize() + " bytes on " + parts.name());
        return regions.register(requireDomain(call, protectionDomain), start, memory, accessFlags);
    }

    /**
     * Checks a size before memory is allocated for it.
     *
     * @param byteSize the size of memory that begins at a page
     * @throws VerbsException EINVAL if it could not be registered
     */
    public void requireRegionSize(long byteSize) {
        regions.requireSize(byteSize);
    }

    /**
     * Deregisters memory. When this returns, neither this device nor a peer touches it any more, so that it may be freed.
     *
     * @param handle the region
     */
    public void deregister(int handle) {
        regions.deregister(handle);
    }

    // --- completion queues

    /**
     * How many entries a completion queue gets, so that a provider can lay out its ring before it creates the queue.
     *
     * @param wanted the least number of entries
     * @return the number after rounding up
     * @throws VerbsException EINVAL if the device has no queues that large, or the number is not positive
     */
    public int completionQueueEntries(int wanted) {
        return completionQueues.round(wanted);
    }

    /**
     * Creates a completion queue.
     *
     * @param context handle
     * @param entries the least number of entries; rounded up to a power of two
     * @param ring whole pages: a header page, and the entries after rounding up
     * @param vector the completion vector
     * @param onCompletion is run for each notification by the thread that runs the device: must neither wait nor throw nor
     *     call the driver; null for none. Not run any more when {@link #destroyCompletionQueue} has returned
     * @return handle and number of entries
     * @throws VerbsException EINVAL for a wrong size or vector, ENOMEM if all queues are in use, EFAULT if the device
     *     refuses
     */
    public CreatedCompletionQueue createCompletionQueue(
            int context, int entries, MemorySegment ring, int vector, @Nullable Runnable onCompletion) {
        Call call = Call.of("ibv_create_cq", parts::name);
        return completionQueues.create(requireContext(call, context), entries, ring, vector, onCompletion);
    }

    /**
     * Destroys a completion queue. When this returns, its ring may be freed.
     *
     * @param handle the completion queue
     * @throws VerbsException EBUSY if queue pairs use it
     */
    public void destroyCompletionQueue(int handle) {
        completionQueues.destroy(handle);
    }

    // --- queue pairs

    /**
     * Creates a queue pair in state RESET.
     *
     * @param request what it shall be
     * @param rings whole pages: a header page with the states of both rings, the send ring, the receive ring
     * @param sendPages pages of the send ring
     * @return handle and number
     * @throws VerbsException EOPNOTSUPP for a type that the driver does not have, ENOMEM if all queue pairs are in use,
     *     EFAULT if the device refuses, also for sizes beyond its limits
     */
    public CreatedQueuePair createQueuePair(QueuePairRequest request, MemorySegment rings, int sendPages) {
        Call call = Call.of("ibv_create_qp", parts::name);
        return queuePairs.create(
                request,
                requireDomain(call, request.protectionDomain()),
                completionQueues.require(call, request.sendQueue()),
                completionQueues.require(call, request.receiveQueue()),
                rings,
                sendPages);
    }

    /**
     * Modifies a queue pair.
     *
     * @param handle the queue pair
     * @param mask which attributes count, of {@link org.paraverbs.pvrdma.abi.QpAttrMask}
     * @param attributes a {@link org.paraverbs.pvrdma.abi.QpAttr}
     * @throws VerbsException EINVAL for a step that the specification does not have or the device does not take, ENODATA
     *     for an empty GID table entry, EFAULT if the device fails
     */
    public void modifyQueuePair(int handle, int mask, MemorySegment attributes) {
        queuePairs.modify(handle, mask, attributes);
    }

    /**
     * Asks for the attributes of a queue pair. In RESET all but the state are 0.
     *
     * @param handle the queue pair
     * @param mask which attributes are wanted; more may be given
     * @param attributes where to put them, a {@link org.paraverbs.pvrdma.abi.QpAttr}
     */
    public void queryQueuePair(int handle, int mask, MemorySegment attributes) {
        queuePairs.query(handle, mask, attributes);
    }

    /**
     * Destroys a queue pair. When this returns, the device writes no completion of it any more, and its rings may be
     * freed.
     *
     * @param handle the queue pair
     */
    public void destroyQueuePair(int handle) {
        queuePairs.destroy(handle);
    }

    // --- removal

    private void freeInterrupts() {
        for (int vector = 0; vector < InterruptVector.COUNT; vector++) {
            interrupts.free(vector);
        }
    }

    /** Removes the driver from the device, destroying every context first. */
    @Override
    public synchronized void close() {
        if (!active) {
            return;
        }
        active = false;
        contexts.keySet().forEach(this::closeContext);
        share.reset();
        freeInterrupts();
        share.close();
    }
}
