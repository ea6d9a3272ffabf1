// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.guest.kernel.GidTableEntry;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.pvrdma.guest.kernel.UserContext;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.spi.ContextBase;

/** An open device: a context of the driver, with a page of doorbells. */
public final class PvrdmaContext extends ContextBase {
    private final Guest guest;
    private final PvrdmaDriver driver;
    private final HandleTable<PvrdmaQueuePair> queuePairs;
    private final HandleTable<PvrdmaCompletionQueue> completionQueues;
    private final HandleTable<PvrdmaSharedReceiveQueue> sharedReceiveQueues;
    private final EventQueue events;
    private final UserContext user;
    private final Uar uar;

    private PvrdmaContext(Device device, Guest guest) {
        super(device);
        this.guest = guest;
        this.driver = guest.driver();
        this.queuePairs = new HandleTable<>(DeviceCaps.maxQp(driver.deviceCaps(), 0));
        this.completionQueues = new HandleTable<>(DeviceCaps.maxCq(driver.deviceCaps(), 0));
        this.sharedReceiveQueues = new HandleTable<>(DeviceCaps.maxSrq(driver.deviceCaps(), 0));
        this.events = new EventQueue(device.name(), queuePairs, completionQueues, sharedReceiveQueues);
        this.user = driver.openContext(events);
        this.uar = new Uar(guest.bars(), user.uarPage());
    }

    /**
     * Opens a device.
     *
     * @param device the device
     * @param guest the guest that has it
     * @return a context
     */
    public static Context open(Device device, Guest guest) {
        return new PvrdmaContext(device, guest);
    }

    PvrdmaDriver driver() {
        return driver;
    }

    Uar uar() {
        return uar;
    }

    int handle() {
        return user.handle();
    }

    HandleTable<PvrdmaQueuePair> queuePairs() {
        return queuePairs;
    }

    HandleTable<PvrdmaCompletionQueue> completionQueues() {
        return completionQueues;
    }

    HandleTable<PvrdmaSharedReceiveQueue> sharedReceiveQueues() {
        return sharedReceiveQueues;
    }

    /** Refuses the type of queue pair that the driver would refuse. */
    void requireType(QueuePairType type) {
        if (type == QueuePairType.UNRELIABLE_CONNECTION) {
            throw new UnsupportedVerbException(
                    "ibv_create_qp",
                    "UC on " + device().name(),
                    "the vmw_pvrdma driver has queue pairs of type RC and UD only: use RC for messages in order, UD for"
                            + " datagrams, or ask Context.supports(Feature." + Feature.UNRELIABLE_CONNECTION
                            + ") before");
        }
        require(type.feature(), "ibv_create_qp");
    }

    void requireFeature(Feature feature, String verb) {
        require(feature, verb);
    }

    @Override
    public DeviceAttributes attributes() {
        return whileOpen(() -> Attributes.device(driver.deviceCaps()));
    }

    @Override
    public PortAttributes port(int port) {
        return whileOpen(() -> Attributes.port(port, driver.queryPort(port)));
    }

    @Override
    public Gid gid(int port, int index) {
        return whileOpen(() -> {
            GidTableEntry entry = driver.queryGid(port, index);
            return entry == null ? Gid.EMPTY : entry.gid();
        });
    }

    @Override
    public List<GidEntry> gids(int port) {
        return whileOpen(() -> {
            MemorySegment attributes = driver.queryPort(port);
            List<GidEntry> entries = new ArrayList<>();
            for (int index = 0; index < PortAttr.gidTblLen(attributes, 0); index++) {
                GidTableEntry entry = driver.queryGid(port, index);
                if (entry != null) {
                    entries.add(new GidEntry(index, port, entry.gid(), Attributes.gidType(entry.type())));
                }
            }
            return List.copyOf(entries);
        });
    }

    @Override
    public int pkey(int port, int index) {
        return whileOpen(() -> driver.queryPkey(port, index));
    }

    /**
     * What the vmw_pvrdma driver and provider have, and the device: shared receive queues and atomics go by its
     * capabilities. Resizing is the one thing that this driver has and that of Linux has not.
     */
    @Override
    public boolean supports(Feature feature) {
        return switch (feature) {
            case RELIABLE_CONNECTION,
                    UNRELIABLE_DATAGRAM,
                    READ,
                    COMPLETION_CHANNEL,
                    ASYNC_EVENTS,
                    RESIZE_COMPLETION_QUEUE -> true;
            case SHARED_RECEIVE_QUEUE -> DeviceCaps.maxSrq(driver.deviceCaps(), 0) != 0;
            case ATOMICS -> Attributes.hasAtomics(driver.deviceCaps());
            case UNRELIABLE_CONNECTION,
                    INLINE,
                    MEMORY_WINDOW,
                    MULTICAST,
                    EXTENDED_ATTRIBUTES,
                    REGISTER_AT_ADDRESS,
                    REREGISTRATION,
                    DMA_BUF,
                    XRC,
                    COMPLETION_TIMESTAMP -> false;
        };
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return create(() -> new PvrdmaProtectionDomain(this, driver.createProtectionDomain(handle())));
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return create(() -> new PvrdmaCompletionChannel(this, guest.clock()));
    }

    @Override
    public CompletionQueue createCompletionQueue(
            int entries, @Nullable CompletionChannel channel, int completionVector) {
        if (channel == null) {
            return create(() -> PvrdmaCompletionQueue.create(this, entries, null, completionVector));
        }
        if (!(channel instanceof PvrdmaCompletionChannel ours) || !ours.isOf(this)) {
            throw new IllegalArgumentException("the completion channel is of another context: " + channel);
        }
        return create(() -> PvrdmaCompletionQueue.create(this, entries, ours, completionVector), ours);
    }

    @Override
    public @Nullable AsyncEvent pollAsyncEvent() {
        requireOpen();
        return events.poll();
    }

    @Override
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) throws InterruptedException {
        requireOpen();
        AsyncEvent event = events.await(timeout);
        requireOpen();
        return event;
    }

    @Override
    protected void release() {
        events.close();
        driver.closeContext(handle());
    }
}
