// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.DeviceVerbs;
import org.paraverbs.ffm.lib.EventVerbs;
import org.paraverbs.ffm.lib.ExtendedCompletionVerbs;
import org.paraverbs.ffm.lib.MemoryVerbs;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.ffm.lib.XrcVerbs;
import org.paraverbs.ffm.struct.IbvAsyncEvent;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvContext;
import org.paraverbs.ffm.struct.IbvCq;
import org.paraverbs.ffm.struct.IbvDevice;
import org.paraverbs.ffm.struct.IbvDeviceAttr;
import org.paraverbs.ffm.struct.IbvDeviceAttrEx;
import org.paraverbs.ffm.struct.IbvGidEntry;
import org.paraverbs.ffm.struct.IbvPortAttr;
import org.paraverbs.ffm.struct.IbvQp;
import org.paraverbs.ffm.struct.IbvSrq;
import org.paraverbs.ffm.struct.VerbsContext;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.ExtendedDeviceAttributes;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.TimestampClock;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.XrcDomain;
import org.paraverbs.verbs.spi.ContextBase;
import org.paraverbs.verbs.spi.ResourceBase;

/** {@code ibv_context}. */
final class NativeContext extends ContextBase {
    private final long context;
    private final String sysfsFolder;
    private final DeviceAttributes attributes;
    private final Advice advice;
    private final boolean reliableConnections;
    private final boolean iwarp;
    private final boolean hasMulticast;
    private final FeatureProbe probe;
    private final EventDescriptor asyncEvents;

    /** Queue pairs and shared receive queues. */
    private final SlotTable<RequestOwner> requestOwners = new SlotTable<>();

    /** Those that have not been deallocated. */
    private final Set<NativeMemoryWindow> memoryWindows = ConcurrentHashMap.newKeySet();

    private final SlotTable<NativeCompletionQueue> completionQueues = new SlotTable<>();

    /** The data path's functions of this device, read once: a provider sets them before it hands out the context. */
    private final MemorySegment pollCq;

    private final MemorySegment requestNotification;
    private final MemorySegment postSend;
    private final MemorySegment postReceive;
    private final MemorySegment postSharedReceive;

    /**
     * A device that was opened.
     *
     * @param device the device
     * @param ibvDevice its {@code ibv_device}
     * @param context what {@code ibv_open_device} answered
     */
    NativeContext(NativeDevice device, long ibvDevice, long context) {
        super(device);
        MemorySegment fields = Native.struct(context, IbvContext.SIZE);
        SelfCheck.check(ibvDevice, fields, Native.struct(context - VerbsContext.REACH, VerbsContext.REACH));
        this.context = context;
        this.sysfsFolder = IbvDevice.ibdevPath(DeviceList.fields(ibvDevice));
        int transport = IbvDevice.transportType(DeviceList.fields(ibvDevice));
        this.reliableConnections = transport == IbvConstants.IBV_TRANSPORT_IB;
        this.iwarp = transport == IbvConstants.IBV_TRANSPORT_IWARP;
        this.probe = new FeatureProbe(context);
        this.pollCq = MemorySegment.ofAddress(IbvContext.pollCq(fields));
        this.requestNotification = MemorySegment.ofAddress(IbvContext.reqNotifyCq(fields));
        this.postSend = MemorySegment.ofAddress(IbvContext.postSend(fields));
        this.postReceive = MemorySegment.ofAddress(IbvContext.postRecv(fields));
        this.postSharedReceive = MemorySegment.ofAddress(IbvContext.postSrqRecv(fields));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = queryDevice(device.name(), context, arena);
            this.attributes = describe(answer, IbvContext.numCompVectors(fields));
            this.hasMulticast = IbvDeviceAttr.maxMcastGrp(answer) > 0 && !Advice.isPvrdma(attributes);
        }
        this.advice = new Advice(attributes);
        this.asyncEvents = new EventDescriptor(toString(), IbvContext.asyncFd(fields));
    }

    private static MemorySegment queryDevice(String name, long context, Arena arena) {
        MemorySegment answer = arena.allocate(IbvDeviceAttr.SIZE, Long.BYTES);
        NativeCall.zero("ibv_query_device", name, errno -> "", () -> DeviceVerbs.queryDevice(context, answer));
        SelfCheck.checkAttributes(name, answer);
        return answer;
    }

    private static DeviceAttributes describe(MemorySegment answer, int completionVectors) {
        return new DeviceAttributes(
                IbvDeviceAttr.fwVer(answer),
                IbvDeviceAttr.nodeGuid(answer),
                IbvDeviceAttr.sysImageGuid(answer),
                IbvDeviceAttr.maxMrSize(answer),
                IbvDeviceAttr.pageSizeCap(answer),
                IbvDeviceAttr.vendorId(answer),
                IbvDeviceAttr.vendorPartId(answer),
                IbvDeviceAttr.hwVer(answer),
                IbvDeviceAttr.maxQp(answer),
                IbvDeviceAttr.maxQpWr(answer),
                IbvDeviceAttr.deviceCapFlags(answer),
                IbvDeviceAttr.maxSge(answer),
                IbvDeviceAttr.maxSgeRd(answer),
                IbvDeviceAttr.maxCq(answer),
                IbvDeviceAttr.maxCqe(answer),
                IbvDeviceAttr.maxMr(answer),
                IbvDeviceAttr.maxPd(answer),
                IbvDeviceAttr.maxQpRdAtom(answer),
                IbvDeviceAttr.maxQpInitRdAtom(answer),
                IbvDeviceAttr.atomicCap(answer),
                IbvDeviceAttr.maxSrq(answer),
                IbvDeviceAttr.maxSrqWr(answer),
                IbvDeviceAttr.maxSrqSge(answer),
                IbvDeviceAttr.maxAh(answer),
                IbvDeviceAttr.maxPkeys(answer),
                IbvDeviceAttr.physPortCnt(answer),
                completionVectors);
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
        return pollCq;
    }

    MemorySegment requestNotificationFunction() {
        return requestNotification;
    }

    MemorySegment postSendFunction() {
        return postSend;
    }

    MemorySegment postReceiveFunction() {
        return postReceive;
    }

    MemorySegment postSharedReceiveFunction() {
        return postSharedReceive;
    }

    @Override
    public DeviceAttributes attributes() {
        requireOpen();
        return attributes;
    }

    @Override
    public boolean supports(Feature feature) {
        return switch (feature) {
            // iWARP connects by rdma_cm only; EFA and usNIC have no reliable connections.
            case RELIABLE_CONNECTION -> reliableConnections;
            case READ ->
                reliableConnections && attributes.maxReadsAsTarget() > 0 && attributes.maxReadsAsInitiator() > 0;
            // The vmw_pvrdma driver gives every queue pair an inline size of 0.
            case INLINE -> !Advice.isPvrdma(attributes);
            case COMPLETION_CHANNEL, ASYNC_EVENTS -> true;
            case ATOMICS -> reliableConnections && attributes.atomicCapability() != IbvConstants.IBV_ATOMIC_NONE;
            // The vmw_pvrdma driver has RC and UD only, and complains in the kernel's log when it is asked.
            case UNRELIABLE_CONNECTION ->
                reliableConnections && !Advice.isPvrdma(attributes) && whileOpen(() -> probe.supports(feature));
            case UNRELIABLE_DATAGRAM -> !iwarp && whileOpen(() -> probe.supports(feature));
            case RESIZE_COMPLETION_QUEUE -> whileOpen(() -> probe.supports(feature));
            case SHARED_RECEIVE_QUEUE -> attributes.maxSharedReceiveQueues() > 0;
            case MULTICAST -> hasMulticast && supports(Feature.UNRELIABLE_DATAGRAM);
            case EXTENDED_ATTRIBUTES -> whileOpen(() -> DeviceVerbs.hasQueryDeviceEx(context));
            // The vmw_pvrdma driver passes on the address of the memory alone.
            case REGISTER_AT_ADDRESS -> !Advice.isPvrdma(attributes) && MemoryVerbs.registersAtAddress();
            // The vmw_pvrdma provider has no such operations.
            case REREGISTRATION, DMA_BUF -> !Advice.isPvrdma(attributes) && whileOpen(() -> probe.supports(feature));
            case XRC ->
                (attributes.capabilityFlags() & IbvConstants.IBV_DEVICE_XRC) != 0
                        && XrcVerbs.present(context)
                        && whileOpen(() -> probe.supports(feature));
            case COMPLETION_TIMESTAMP ->
                ExtendedCompletionVerbs.present(context)
                        && supports(Feature.EXTENDED_ATTRIBUTES)
                        && extendedAttributes().completionTimestampMask() != 0;
            // The vmw_pvrdma provider hands on the opcodes unchanged, which mean other operations to the device.
            case MEMORY_WINDOW ->
                reliableConnections
                        && !Advice.isPvrdma(attributes)
                        && (attributes.capabilityFlags()
                                        & (IbvConstants.IBV_DEVICE_MEM_WINDOW_TYPE_2A
                                                | IbvConstants.IBV_DEVICE_MEM_WINDOW_TYPE_2B))
                                != 0;
        };
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
        return whileOpen(() -> queryPort(port));
    }

    /** Inside {@link #whileOpen} of any resource of this context. */
    PortAttributes queryPort(int port) {
        checkPort("ibv_query_port", port);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(IbvPortAttr.SIZE, Integer.BYTES);
            NativeCall.zero(
                    "ibv_query_port",
                    portOf(port),
                    advice::port,
                    () -> DeviceVerbs.queryPort(context, (byte) port, answer));
            return new PortAttributes(
                    port,
                    PortState.ofCode(IbvPortAttr.state(answer)),
                    mtu(IbvPortAttr.maxMtu(answer)),
                    mtu(IbvPortAttr.activeMtu(answer)),
                    IbvPortAttr.gidTblLen(answer),
                    IbvPortAttr.pkeyTblLen(answer),
                    IbvPortAttr.portCapFlags(answer),
                    Integer.toUnsignedLong(IbvPortAttr.maxMsgSz(answer)),
                    IbvPortAttr.lid(answer),
                    IbvPortAttr.smLid(answer),
                    IbvPortAttr.activeWidth(answer),
                    IbvPortAttr.activeSpeed(answer),
                    IbvPortAttr.physState(answer),
                    LinkLayer.ofCode(IbvPortAttr.linkLayer(answer)));
        }
    }

    /** A port that is down may report an MTU of 0, and a newer device one that we do not know: the nearest known. */
    private static Mtu mtu(int code) {
        return Mtu.ofCode(Math.clamp(code, Mtu.MTU_256.code(), Mtu.MTU_4096.code()));
    }

    /** The library takes 8 bits of a port number and looks at no others. */
    private void checkPort(String verb, int port) {
        if (hasNoPort(port)) {
            throw new VerbsException(verb, portOf(port), Errno.EINVAL, advice.port(Errno.EINVAL.number()));
        }
    }

    boolean hasNoPort(int port) {
        return port < 1 || port > attributes.portCount();
    }

    String noPort(int port) {
        return "there is no port " + port + ", the device has ports 1 to " + attributes.portCount();
    }

    private String portOf(int port) {
        return "port " + port + " of " + device().name();
    }

    @Override
    public Gid gid(int port, int index) {
        return whileOpen(() -> {
            checkPort("ibv_query_gid", port);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment answer = arena.allocate(Gid.BYTES, Long.BYTES);
                NativeCall.nonNegative(
                        "ibv_query_gid",
                        portOf(port) + ", index " + index,
                        errno -> tableAdvice(errno, "GID", queryPort(port).gidTableLength()),
                        errno -> DeviceVerbs.queryGid(errno, context, (byte) port, index, answer));
                return Gid.of(answer.toArray(ValueLayout.JAVA_BYTE));
            }
        });
    }

    private String tableAdvice(int errno, String table, int length) {
        String general = advice.general(errno);
        return general.isEmpty() ? "the " + table + " table of this port has entries 0 to " + (length - 1) : general;
    }

    @Override
    public List<GidEntry> gids(int port) {
        return whileOpen(() -> {
            int length = queryPort(port).gidTableLength();
            return DeviceVerbs.hasQueryGidTable() ? gidTable(port, length) : gidsOneByOne(port, length);
        });
    }

    private List<GidEntry> gidTable(int port, int length) {
        long limit = (long) length * attributes.portCount();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(limit * IbvGidEntry.SIZE, Long.BYTES);
            int count = (int) DeviceVerbs.queryGidTable(context, answer, limit);
            NativeCall.zero("ibv_query_gid_table", portOf(port), advice::general, () -> Math.max(0, -count));
            List<GidEntry> entries = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                MemorySegment entry = answer.asSlice(i * IbvGidEntry.SIZE, IbvGidEntry.SIZE);
                Gid gid = Gid.of(IbvGidEntry.gid(entry).toArray(ValueLayout.JAVA_BYTE));
                if (IbvGidEntry.portNum(entry) == port && !gid.isEmpty()) {
                    entries.add(new GidEntry(
                            IbvGidEntry.gidIndex(entry), port, gid, GidType.ofCode(IbvGidEntry.gidType(entry))));
                }
            }
            return entries;
        }
    }

    private List<GidEntry> gidsOneByOne(int port, int length) {
        List<GidEntry> entries = new ArrayList<>();
        for (int index = 0; index < length; index++) {
            Gid gid = gid(port, index);
            if (!gid.isEmpty()) {
                entries.add(new GidEntry(index, port, gid, gidTypeInSysfs(port, index)));
            }
        }
        return entries;
    }

    /** Where libibverbs is older than rdma-core 32: the kernel tells the type since Linux 4.5. */
    private GidType gidTypeInSysfs(int port, int index) {
        Path file = Path.of(sysfsFolder, "ports", String.valueOf(port), "gid_attrs", "types", String.valueOf(index));
        try {
            return switch (Files.readString(file).strip()) {
                case "RoCE v2" -> GidType.ROCE_V2;
                // The kernel gives version 1 the name of InfiniBand, whose packets it carries.
                case "IB/RoCE v1" ->
                    queryPort(port).linkLayer() == LinkLayer.ETHERNET ? GidType.ROCE_V1 : GidType.INFINIBAND;
                default -> GidType.UNKNOWN;
            };
        } catch (IOException e) {
            return GidType.UNKNOWN;
        }
    }

    @Override
    public int pkey(int port, int index) {
        return whileOpen(() -> {
            checkPort("ibv_query_pkey", port);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment answer = arena.allocate(ValueLayout.JAVA_SHORT);
                NativeCall.nonNegative(
                        "ibv_query_pkey",
                        portOf(port) + ", index " + index,
                        errno -> tableAdvice(
                                errno, "partition key", queryPort(port).pkeyTableLength()),
                        errno -> DeviceVerbs.queryPkey(errno, context, (byte) port, index, answer));
                // In network byte order.
                return Short.toUnsignedInt(Short.reverseBytes(answer.get(ValueLayout.JAVA_SHORT, 0)));
            }
        });
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
