// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.DeviceVerbs;
import org.paraverbs.ffm.lib.EventVerbs;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.ffm.struct.IbvAsyncEvent;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvContext;
import org.paraverbs.ffm.struct.IbvCq;
import org.paraverbs.ffm.struct.IbvDevice;
import org.paraverbs.ffm.struct.IbvDeviceAttr;
import org.paraverbs.ffm.struct.IbvDeviceAttrEx;
import org.paraverbs.ffm.struct.IbvQp;
import org.paraverbs.ffm.struct.IbvSrq;
import org.paraverbs.ffm.struct.VerbsContext;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.ExtendedDeviceAttributes;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.TimestampClock;
import org.paraverbs.verbs.XrcDomain;
import org.paraverbs.verbs.spi.ContextBase;
import org.paraverbs.verbs.spi.ResourceBase;

/** {@code ibv_context}. */
final class NativeContext extends ContextBase {
    private final long context;
    private final DeviceAttributes attributes;
    private final Advice advice;
    private final FeatureSupport features;
    private final PortTables ports;
    private final FeatureProbe probe;
    private final EventDescriptor asyncEvents;

    /** Queue pairs and shared receive queues. */
    private final SlotTable<RequestOwner> requestOwners = new SlotTable<>();

    /** Those that have not been deallocated. */
    private final Set<NativeMemoryWindow> memoryWindows = ConcurrentHashMap.newKeySet();

    private final SlotTable<NativeCompletionQueue> completionQueues = new SlotTable<>();

    /**
     * The {@code ibv_context}, in which the data path's functions are looked up for each new object: {@code ibv_post_send} and
     * its like look there at each call, and libraries that are put between program and provider change them late.
     */
    private final MemorySegment fields;

    /**
     * A device that was opened.
     *
     * @param device the device
     * @param ibvDevice its {@code ibv_device}
     * @param context what {@code ibv_open_device} answered
     */
    NativeContext(NativeDevice device, long ibvDevice, long context) {
        super(device);
        this.fields = Native.struct(context, IbvContext.SIZE);
        SelfCheck.check(ibvDevice, fields, Native.struct(context - VerbsContext.REACH, VerbsContext.REACH));
        this.context = context;
        this.probe = new FeatureProbe(context);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = queryDevice(device.name(), context, arena);
            this.attributes = DeviceAttributeForm.read(answer, IbvContext.numCompVectors(fields));
            this.features = new FeatureSupport(
                    IbvDevice.transportType(DeviceList.fields(ibvDevice)),
                    IbvDeviceAttr.maxMcastGrp(answer),
                    attributes,
                    this::attempt);
        }
        this.advice = new Advice(attributes);
        this.ports = new PortTables(
                context,
                device.name(),
                IbvDevice.ibdevPath(DeviceList.fields(ibvDevice)),
                attributes.portCount(),
                advice);
        this.asyncEvents = new EventDescriptor(toString(), IbvContext.asyncFd(fields));
    }

    private static MemorySegment queryDevice(String name, long context, Arena arena) {
        MemorySegment answer = arena.allocate(IbvDeviceAttr.SIZE, Long.BYTES);
        NativeCall.zero("ibv_query_device", name, errno -> "", () -> DeviceVerbs.queryDevice(context, answer));
        SelfCheck.checkAttributes(name, answer);
        return answer;
    }

    @Override
    public ExtendedDeviceAttributes extendedAttributes() {
        requireSupported(Feature.EXTENDED_ATTRIBUTES, "ibv_query_device_ex");
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment answer = arena.allocate(IbvDeviceAttrEx.SIZE, Long.BYTES);
                NativeCall.zero(
                        "ibv_query_device_ex",
                        device().name(),
                        advice::general,
                        () -> DeviceVerbs.queryDeviceEx(context, answer));
                return ExtendedAttributeForm.read(answer);
            }
        });
    }

    /** The {@code ibv_context}, valid inside {@link #whileOpen} and until dependents are closed. */
    long pointer() {
        return context;
    }

    Advice advice() {
        return advice;
    }

    /** Inside {@link #whileOpen} of any resource of this context. */
    PortTables ports() {
        return ports;
    }

    SlotTable<RequestOwner> requestOwners() {
        return requestOwners;
    }

    Set<NativeMemoryWindow> memoryWindows() {
        return memoryWindows;
    }

    SlotTable<NativeCompletionQueue> completionQueues() {
        return completionQueues;
    }

    MemorySegment pollCqFunction() {
        return MemorySegment.ofAddress(IbvContext.pollCq(fields));
    }

    MemorySegment requestNotificationFunction() {
        return MemorySegment.ofAddress(IbvContext.reqNotifyCq(fields));
    }

    MemorySegment postSendFunction() {
        return MemorySegment.ofAddress(IbvContext.postSend(fields));
    }

    MemorySegment postReceiveFunction() {
        return MemorySegment.ofAddress(IbvContext.postRecv(fields));
    }

    MemorySegment postSharedReceiveFunction() {
        return MemorySegment.ofAddress(IbvContext.postSrqRecv(fields));
    }

    @Override
    public DeviceAttributes attributes() {
        requireOpen();
        return attributes;
    }

    @Override
    public boolean supports(Feature feature) {
        return features.supports(feature);
    }

    private boolean attempt(Feature feature) {
        return whileOpen(() -> probe.supports(feature));
    }

    /** Waits until no post of this context is being carried out that began before. Inside a release only. */
    void awaitPosts() {
        requestOwners.forEach(owner -> {
            if (owner instanceof NativeQueuePair pair) {
                pair.awaitPost();
            }
        });
    }

    /** For other classes of this package, as {@link ContextBase#require}. */
    void requireSupported(Feature feature, String verb) {
        require(feature, verb);
    }

    @Override
    public PortAttributes port(int port) {
        return whileOpen(() -> ports.query(port));
    }

    @Override
    public Gid gid(int port, int index) {
        return whileOpen(() -> ports.gid(port, index));
    }

    @Override
    public List<GidEntry> gids(int port) {
        return whileOpen(() -> ports.gids(port));
    }

    @Override
    public int pkey(int port, int index) {
        return whileOpen(() -> ports.pkey(port, index));
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return create(() -> new NativeProtectionDomain(
                this,
                NativeCall.nonNull(
                        "ibv_alloc_pd",
                        device().name(),
                        advice::general,
                        errno -> ResourceVerbs.allocatePd(errno, context))));
    }

    @Override
    public XrcDomain openXrcDomain() {
        requireSupported(Feature.XRC, "ibv_open_xrcd");
        return create(() -> NativeXrcDomain.open(this, null));
    }

    @Override
    public XrcDomain openXrcDomain(Path file) {
        requireSupported(Feature.XRC, "ibv_open_xrcd");
        return create(() -> NativeXrcDomain.open(this, file));
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return create(() -> NativeCompletionChannel.create(this));
    }

    @Override
    public CompletionQueue createCompletionQueue(
            int entries, @Nullable CompletionChannel channel, int completionVector) {
        NativeCompletionChannel ours = ours(channel);
        return create(
                () -> NativeCompletionQueue.create(this, entries, ours, completionVector),
                ours == null ? new ResourceBase[0] : new ResourceBase[] {ours});
    }

    @Override
    public CompletionQueue createTimestampedCompletionQueue(
            int entries, @Nullable CompletionChannel channel, int completionVector, TimestampClock clock) {
        requireSupported(Feature.COMPLETION_TIMESTAMP, "ibv_create_cq_ex");
        int timestamps = switch (clock) {
            case DEVICE -> IbvConstants.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
            case WALL -> IbvConstants.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
        };
        return createExtendedCompletionQueue(entries, channel, completionVector, timestamps);
    }

    /** Where the library has {@code create_cq_ex}; the flags are what is told beyond the standard. */
    CompletionQueue createExtendedCompletionQueue(
            int entries, @Nullable CompletionChannel channel, int completionVector, int wcFlags) {
        NativeCompletionChannel ours = ours(channel);
        return create(
                () -> NativeCompletionQueue.createExtended(
                        this, entries, ours, completionVector, IbvConstants.IBV_WC_STANDARD_FLAGS | wcFlags),
                ours == null ? new ResourceBase[0] : new ResourceBase[] {ours});
    }

    private @Nullable NativeCompletionChannel ours(@Nullable CompletionChannel channel) {
        if (channel == null) {
            return null;
        }
        if (!(channel instanceof NativeCompletionChannel ours) || ours.context() != this) {
            throw new IllegalArgumentException(channel + " is of another context than this one, the " + this);
        }
        return ours;
    }

    @Override
    public @Nullable AsyncEvent pollAsyncEvent() {
        asyncEvents.enter();
        try {
            return takeAsyncEvent();
        } finally {
            asyncEvents.exit();
        }
    }

    @Override
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) throws InterruptedException {
        long deadlineNs = EventDescriptor.deadline(timeout);
        asyncEvents.enter();
        try {
            // One event per call: rxe repeats the error of an overflown completion queue without end.
            while (asyncEvents.await(deadlineNs)) {
                AsyncEvent event = takeAsyncEvent();
                if (event != null) {
                    return event;
                }
            }
            return null;
        } finally {
            asyncEvents.exit();
        }
    }

    private @Nullable AsyncEvent takeAsyncEvent() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(IbvAsyncEvent.SIZE, Long.BYTES);
            boolean taken = NativeCall.available(
                    "ibv_get_async_event",
                    device().name(),
                    advice::general,
                    errno -> EventVerbs.getAsyncEvent(errno, context, event));
            if (!taken) {
                return null;
            }
            AsyncEvent seen = describe(event);
            // What the event names is not destroyed before this; afterwards its pointer means nothing.
            EventVerbs.ackAsyncEvent(event);
            return seen;
        }
    }

    private AsyncEvent describe(MemorySegment event) {
        int code = IbvAsyncEvent.eventType(event);
        AsyncEventType type = AsyncEventType.ofCode(code);
        return switch (type) {
            case COMPLETION_QUEUE_ERROR -> {
                MemorySegment queue = Native.struct(IbvAsyncEvent.cq(event), IbvCq.SIZE);
                yield new AsyncEvent.OfCompletionQueue(type, code, completionQueues.get((int) IbvCq.cqContext(queue)));
            }
            case QUEUE_PAIR_FATAL,
                    QUEUE_PAIR_REQUEST_ERROR,
                    QUEUE_PAIR_ACCESS_ERROR,
                    COMMUNICATION_ESTABLISHED,
                    SEND_QUEUE_DRAINED,
                    PATH_MIGRATED,
                    PATH_MIGRATION_ERROR,
                    LAST_WORK_REQUEST_REACHED -> {
                MemorySegment pair = Native.struct(IbvAsyncEvent.qp(event), IbvQp.SIZE);
                RequestOwner owner = requestOwners.get((int) IbvQp.qpContext(pair));
                yield new AsyncEvent.OfQueuePair(type, code, owner instanceof NativeQueuePair ours ? ours : null);
            }
            case PORT_ACTIVE,
                    PORT_ERROR,
                    LID_CHANGE,
                    PKEY_CHANGE,
                    SUBNET_MANAGER_CHANGE,
                    CLIENT_REREGISTER,
                    GID_CHANGE -> new AsyncEvent.OfPort(type, code, IbvAsyncEvent.portNum(event));
            case SHARED_RECEIVE_QUEUE_ERROR, SHARED_RECEIVE_QUEUE_LIMIT_REACHED -> {
                MemorySegment queue = Native.struct(IbvAsyncEvent.srq(event), IbvSrq.SIZE);
                RequestOwner owner = requestOwners.get((int) IbvSrq.srqContext(queue));
                yield new AsyncEvent.OfSharedReceiveQueue(
                        type, code, owner instanceof NativeSharedReceiveQueue ours ? ours : null);
            }
            case DEVICE_FATAL, WORK_QUEUE_FATAL, UNKNOWN -> new AsyncEvent.OfDevice(type, code);
        };
    }

    @Override
    protected void release() {
        asyncEvents.close();
        NativeCall.nonNegative(
                "ibv_close_device", device().name(), advice::release, errno -> DeviceVerbs.closeDevice(errno, context));
    }
}
