// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.device.ForeignMemory;
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

    /** The one that a network interface is paired with. */
    private static final int PORT = 1;

    private final Parts parts;
    private final DeviceShare share;
    private final InterruptTable interrupts;
    private final GidTable gids;
    private final PortQueries ports;
    private final Contexts contexts;
    private final CompletionQueues completionQueues;
    private final SharedReceiveQueues sharedReceiveQueues;
    private final QueuePairs queuePairs;
    private final AddressHandles addressHandles;
    private final MemoryRegions regions;

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
        try {
            MemorySegment caps = share.exchange();
            this.parts = new Parts(
                    name,
                    new CommandSlot(bars, share.commandSlot(), share.responseSlot(), commandTimeout),
                    space,
                    share.pages(),
                    caps);
            HandlerCount handlers = new HandlerCount();
            gids = new GidTable(parts);
            ports = new PortQueries(parts, gids);
            contexts = new Contexts(parts, share.version());
            completionQueues = new CompletionQueues(parts, handlers);
            sharedReceiveQueues = new SharedReceiveQueues(parts, handlers);
            RouteChecks routes = new RouteChecks(caps, gids);
            queuePairs = new QueuePairs(parts, share.version(), routes, handlers);
            addressHandles = new AddressHandles(parts, routes);
            regions = new MemoryRegions(parts);
            InterruptHandlers taken = new InterruptHandlers(
                    share, completionQueues, sharedReceiveQueues, queuePairs, contexts, ports.count(), handlers);
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
        LOG.debug("{}: device version {}", name, share.version());
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
        return ports.port(port);
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
        return ports.pkey(port, index);
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
        return ports.gid(port, index);
    }

    /**
     * Gives the port a GID, as the kernel does when the network interface gets an address. It has the type of the device.
     * Every context is told.
     *
     * @param index the index in the table
     * @param gid the GID
     * @throws VerbsException EINVAL if there is no such index, EFAULT if the device refuses, ENODEV if the driver has been
     *     removed
     */
    public void addGid(int index, Gid gid) {
        requireActive("add_gid", Errno.ENODEV);
        gids.add(index, new GidTableEntry(gid, DeviceCaps.gidTypes(parts.caps(), 0)));
        contexts.tellAll(EventType.GID_CHANGE, PORT);
    }

    /**
     * Takes a GID from the port. Every context is told.
     *
     * @param index the index in the table
     * @throws VerbsException EINVAL if there is no such index, ENODATA if the entry is empty, EFAULT if the device
     *     refuses, ENODEV if the driver has been removed
     */
    public void removeGid(int index) {
        requireActive("del_gid", Errno.ENODEV);
        gids.remove(index);
        contexts.tellAll(EventType.GID_CHANGE, PORT);
    }

    /** The network interface of the port has gone down: every context is told, though the device has said nothing. */
    public void onNetworkDown() {
        contexts.tellAll(EventType.PORT_ERR, PORT);
    }

    /**
     * The network interface of the port has come up: the device is to go on with its work, and if it does, every context is
     * told.
     */
    public void onNetworkUp() {
        if (!active) {
            return;
        }
        if (share.unquiesce()) {
            contexts.tellAll(EventType.PORT_ACTIVE, PORT);
        } else {
            LOG.warn("{}: the device did not go on with its work when the network interface came up", name());
        }
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
        requireActive("ibv_open_device", Errno.EAGAIN);
        return contexts.open(events);
    }

    /**
     * Closes a context and destroys what it still owns, as when a process ends.
     *
     * @param handle the context
     * @throws VerbsException EINVAL if there is no such context
     */
    public void closeContext(int handle) {
        Call call = Call.of("ibv_close_device", parts::name);
        KernelContext context = contexts.require(call, handle);
        queuePairs.destroyAllOf(context);
        sharedReceiveQueues.destroyAllOf(context);
        completionQueues.destroyAllOf(context);
        addressHandles.destroyAllOf(context);
        regions.destroyAllOf(context);
        contexts.close(call, context);
    }

    /**
     * Allocates a protection domain.
     *
     * @param contextHandle the context
     * @return its handle
     * @throws VerbsException ENOMEM if all are in use
     */
    public int createProtectionDomain(int contextHandle) {
        return contexts.createDomain(contextHandle);
    }

    /**
     * Frees a protection domain.
     *
     * @param handle the protection domain
     * @throws VerbsException EBUSY if it is in use
     */
    public void destroyProtectionDomain(int handle) {
        contexts.destroyDomain(handle);
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
        return regions.register(contexts.requireDomain(call, protectionDomain), start, memory, accessFlags);
    }

    /**
     * Registers memory of another process.
     *
     * @param protectionDomain handle
     * @param start the address of the first byte, in its process and in work requests
     * @param memory the memory itself
     * @param accessFlags of {@link org.paraverbs.pvrdma.abi.AccessFlags}
     * @return handle and keys
     * @throws VerbsException as for memory of this process
     */
    public RegisteredMemory register(int protectionDomain, long start, ForeignMemory memory, int accessFlags) {
        Call call = Call.of("ibv_reg_mr", () -> memory.byteSize() + " bytes on " + parts.name());
        return regions.register(contexts.requireDomain(call, protectionDomain), start, memory, accessFlags);
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
     * @param ring whole pages: a header page, and the entries after rounding up; more, if it shall be able to grow
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
        return completionQueues.create(contexts.require(call, context), entries, ring, vector, onCompletion);
    }

    /**
     * Gives a completion queue another number of entries, which the driver of Linux cannot. From call to return nobody may
     * poll it; then its ring begins anew at index 0, with the completions that were in it.
     *
     * @param handle the completion queue
     * @param entries the least number of entries; rounded up to a power of two, and within the ring that it was created with
     * @return the number of entries
     * @throws VerbsException EINVAL for a wrong size, EFAULT if the device refuses, upon which nothing has changed
     */
    public int resizeCompletionQueue(int handle, int entries) {
        return completionQueues.resize(handle, entries);
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

    // --- shared receive queues

    /**
     * Creates a shared receive queue.
     *
     * @param protectionDomain handle
     * @param receives work requests of the ring, a power of two
     * @param elements elements of a receive, from 1
     * @param ring whole pages: a header page, and twice the ring, as the provider allocates it
     * @return its handle
     * @throws VerbsException EINVAL for a size beyond the device's, ENOMEM if all are in use, EFAULT if the device refuses
     */
    public int createSharedReceiveQueue(int protectionDomain, int receives, int elements, MemorySegment ring) {
        Call call = Call.of("ibv_create_srq", parts::name);
        return sharedReceiveQueues.create(contexts.requireDomain(call, protectionDomain), receives, elements, ring);
    }

    /**
     * Sets the number of receives below which an event is raised, once.
     *
     * @param handle the shared receive queue
     * @param receives the number, 0 for never
     * @throws VerbsException EINVAL if the device does not take it
     */
    public void limitSharedReceiveQueue(int handle, int receives) {
        sharedReceiveQueues.setLimit(handle, receives);
    }

    /**
     * Asks for the attributes of a shared receive queue.
     *
     * @param handle the shared receive queue
     * @param attributes where to put them, a {@link org.paraverbs.pvrdma.abi.SrqAttr}
     */
    public void querySharedReceiveQueue(int handle, MemorySegment attributes) {
        sharedReceiveQueues.query(handle, attributes);
    }

    /**
     * Destroys a shared receive queue. When this returns, its ring may be freed.
     *
     * @param handle the shared receive queue
     * @throws VerbsException EBUSY if queue pairs use it
     */
    public void destroySharedReceiveQueue(int handle) {
        sharedReceiveQueues.destroy(handle);
    }

    // --- address handles

    /**
     * Creates an address handle.
     *
     * @param protectionDomain handle
     * @param route the way, a {@link org.paraverbs.pvrdma.abi.AhAttr}, in which the MAC address is filled in
     * @param vector where to put what requests have to carry, an {@link org.paraverbs.pvrdma.abi.AddressVector}
     * @return its handle
     * @throws VerbsException EINVAL or ENODATA for a route that leads nowhere, EINVAL for a multicast group, ENOMEM if all
     *     are in use
     */
    public int createAddressHandle(int protectionDomain, MemorySegment route, MemorySegment vector) {
        Call call = Call.of("ibv_create_ah", parts::name);
        return addressHandles.create(contexts.requireDomain(call, protectionDomain), route, vector);
    }

    /**
     * Destroys an address handle.
     *
     * @param handle the address handle
     */
    public void destroyAddressHandle(int handle) {
        addressHandles.destroy(handle);
    }

    // --- queue pairs

    /**
     * Creates a queue pair in state RESET.
     *
     * @param request what it shall be
     * @param rings whole pages: a header page with the states of both rings, the send ring, the receive ring unless the
     *     receives are shared
     * @param sendPages pages of the send ring
     * @return handle and number
     * @throws VerbsException EOPNOTSUPP for a type that the driver does not have, ENOMEM if all queue pairs are in use,
     *     EFAULT if the device refuses, also for sizes beyond its limits
     */
    public CreatedQueuePair createQueuePair(QueuePairRequest request, MemorySegment rings, int sendPages) {
        Call call = Call.of("ibv_create_qp", parts::name);
        return queuePairs.create(
                request,
                contexts.requireDomain(call, request.protectionDomain()),
                completionQueues.require(call, request.sendQueue()),
                completionQueues.require(call, request.receiveQueue()),
                request.hasSharedReceives() ? sharedReceiveQueues.require(call, request.sharedReceives()) : null,
                rings,
                sendPages);
    }

    /**
     * Modifies a queue pair.
     *
     * @param handle the queue pair
     * @param mask which attributes count, of {@link org.paraverbs.pvrdma.abi.QpAttrMask}
     * @param attributes a {@link org.paraverbs.pvrdma.abi.QpAttr}
     * @throws VerbsException EINVAL for a step that the specification does not have or the device does not take, EPERM for a
     *     Q_Key with the highest bit set, ENODATA for an empty GID table entry, EFAULT if the device fails
     */
    public void modifyQueuePair(int handle, int mask, MemorySegment attributes) {
        modifyQueuePair(handle, mask, attributes, false);
    }

    /**
     * Modifies a queue pair.
     *
     * @param privileged whether the program has CAP_NET_RAW, and may choose a Q_Key with the highest bit set
     * @see #modifyQueuePair(int, int, MemorySegment)
     */
    public void modifyQueuePair(int handle, int mask, MemorySegment attributes, boolean privileged) {
        queuePairs.modify(handle, mask, attributes, privileged);
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

    private void requireActive(String verb, Errno errno) {
        if (!active) {
            throw new VerbsException(verb, name(), errno, "the driver has been removed from the device");
        }
    }

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
        contexts.handles().forEach(this::closeContext);
        share.reset();
        freeInterrupts();
        share.close();
    }
}
