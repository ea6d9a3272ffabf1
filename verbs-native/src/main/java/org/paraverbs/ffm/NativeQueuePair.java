// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.ffm.struct.IbvQp;
import org.paraverbs.ffm.struct.IbvQpAttr;
import org.paraverbs.ffm.struct.IbvQpInitAttr;
import org.paraverbs.ffm.struct.IbvRecvWr;
import org.paraverbs.ffm.struct.IbvSendWr;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.spi.QueuePairBase;
import org.paraverbs.verbs.spi.QueuePairStateTable;

/** {@code ibv_qp}. */
final class NativeQueuePair extends QueuePairBase implements RequestOwner {
    private final NativeContext context;
    private final long pair;
    private final int slot;

    /** Null for the receiving end of XRC, as the next one. */
    private final @Nullable NativeSendQueue sendQueue;

    private final @Nullable NativeCompletionQueue receiveCompletions;

    /** Either of these is there, but on XRC. */
    private final @Nullable NativeReceiveQueue receiveQueue;

    private final @Nullable NativeSharedReceiveQueue sharedReceives;

    /** What the receiving end of XRC receives for; else null. */
    private final @Nullable NativeXrcDomain extendedDomain;

    /** The multicast groups that it has joined. */
    private final Set<MulticastGroup> groups = ConcurrentHashMap.newKeySet();

    /** The accounts of the queues, new ones after a reset; read on the data path by whoever posts and polls. */
    private volatile RequestRing sends;

    private volatile RequestRing receives;

    /**
     * The state that the last modification led to. A queue pair goes to ERR by itself, where posting is as legal as before,
     * so this is enough to know whether one may post. The library of some devices knows no better: that of rxe writes the
     * requests in the ring before the kernel refuses them, and they are carried out later.
     */
    private volatile QueuePairState lastState = QueuePairState.RESET;

    /**
     * A queue pair with a send queue.
     *
     * @param context its context
     * @param domain its protection domain
     * @param pair what {@code ibv_create_qp} answered
     * @param slot its place in the table of the context
     * @param spec what was asked for
     * @param capacity what was given
     * @param receiveCompletions where its receives complete
     * @param sharedReceives where they come from, if it has no queue of its own
     */
    NativeQueuePair(
            NativeContext context,
            NativeProtectionDomain domain,
            long pair,
            int slot,
            QueuePairSpec spec,
            QueuePairCapacity capacity,
            NativeCompletionQueue receiveCompletions,
            @Nullable NativeSharedReceiveQueue sharedReceives) {
        super(context, IbvQp.qpNum(Native.struct(pair, IbvQp.SIZE)), spec.type(), capacity);
        this.context = context;
        this.pair = pair;
        this.slot = slot;
        this.receiveCompletions = receiveCompletions;
        this.sharedReceives = sharedReceives;
        this.extendedDomain = null;
        int generation = context.requestOwners().nextGeneration(slot);
        this.sends = new RequestRing(RequestId.queue(slot, generation, false), capacity.maxSends());
        this.receives = new RequestRing(RequestId.queue(slot, generation, true), capacity.maxReceives());
        this.sendQueue = new NativeSendQueue(
                context,
                domain,
                this,
                spec.capacity(),
                capacity,
                spec.signalAll(),
                new RequestBatch(
                        context.postSendFunction(),
                        pair,
                        capacity.maxSends(),
                        capacity.maxSendElements(),
                        IbvSendWr.SIZE));
        this.receiveQueue = sharedReceives != null || spec.type() == QueuePairType.XRC_SEND
                ? null
                : new NativeReceiveQueue(
                        this,
                        capacity,
                        new RequestBatch(
                                context.postReceiveFunction(),
                                pair,
                                capacity.maxReceives(),
                                capacity.maxReceiveElements(),
                                IbvRecvWr.SIZE));
    }

    /**
     * The receiving end of an extended reliable connection.
     *
     * @param context its context
     * @param domain the XRC domain that it receives for
     * @param pair what {@code ibv_create_qp_ex} answered
     * @param slot its place in the table of the context
     */
    NativeQueuePair(NativeContext context, NativeXrcDomain domain, long pair, int slot) {
        super(
                context,
                IbvQp.qpNum(Native.struct(pair, IbvQp.SIZE)),
                QueuePairType.XRC_RECEIVE,
                new QueuePairCapacity(0, 0, 0, 0, 0));
        this.context = context;
        this.pair = pair;
        this.slot = slot;
        this.receiveCompletions = null;
        this.sharedReceives = null;
        this.extendedDomain = domain;
        int generation = context.requestOwners().nextGeneration(slot);
        this.sends = new RequestRing(RequestId.queue(slot, generation, false), 0);
        this.receives = new RequestRing(RequestId.queue(slot, generation, true), 0);
        this.sendQueue = null;
        this.receiveQueue = null;
    }

    /** The account of one of the queues; never null after construction. */
    RequestRing ring(boolean ofReceives) {
        return ofReceives ? receives : sends;
    }

    @Override
    public RequestAccount account(boolean ofReceives) {
        return ring(ofReceives);
    }

    /** As {@link QueuePairBase#noteError}. */
    @Override
    public void noteFailed(WorkCompletion completion) {
        noteError(completion);
    }

    boolean takesSends() {
        return switch (lastState) {
            case RESET, INIT, READY_TO_RECEIVE -> false;
            case READY_TO_SEND, SEND_QUEUE_DRAINED, SEND_QUEUE_ERROR, ERROR, UNKNOWN -> true;
        };
    }

    boolean takesReceives() {
        return lastState != QueuePairState.RESET;
    }

    /** Waits until no post of sends is being carried out that began before. */
    void awaitPost() {
        if (sendQueue != null) {
            sendQueue.awaitPost();
        }
    }

    /** Why posting was refused. */
    String postAdvice(int errno, boolean ofReceives) {
        if (errno == Errno.EINVAL.number()) {
            boolean rightState = ofReceives ? takesReceives() : takesSends();
            if (!rightState) {
                return "the queue pair is in " + lastState.abbreviation() + "; "
                        + (ofReceives
                                ? "receives may be posted from INIT on, go to Init first"
                                : "requests may be posted from RTS on, go to ReadyToSend first, or connect");
            }
            return "the queue pair was reset since the batch began, or the device refuses the request";
        }
        return context.advice().general(errno);
    }

    @Override
    protected void apply(Transition transition) {
        check(transition);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(IbvQpAttr.SIZE, Long.BYTES);
            QueuePairAttributeForm.write(transition, attributes);
            int mask = QueuePairStateTable.mask(transition);
            synchronized (this) {
                if (transition instanceof Transition.ToReset) {
                    settleSharedReceives();
                }
                NativeCall.zero(
                        "ibv_modify_qp",
                        this + " -> " + transition.target().abbreviation(),
                        errno -> adviceOn(errno, transition),
                        () -> ResourceVerbs.modifyQp(pair, attributes, mask));
                if (transition instanceof Transition.ToReset) {
                    forgetRequests();
                }
                lastState = transition.target();
            }
        }
    }

    /** What the struct has no room for, and what no device may be asked. */
    private void check(Transition transition) {
        String wrong = faultOf(transition);
        if (!wrong.isEmpty()) {
            throw new VerbsException(
                    "ibv_modify_qp", this + " -> " + transition.target().abbreviation(), Errno.EINVAL, wrong);
        }
    }

    private String faultOf(Transition transition) {
        int port = portOf(transition);
        if (context.ports().hasNoPort(port)) {
            return context.ports().noPort(port);
        }
        int pkeyIndex = switch (transition) {
            case Transition.Init init -> init.pkeyIndex();
            case Transition.DatagramInit init -> init.pkeyIndex();
            default -> 0;
        };
        if (pkeyIndex < 0 || pkeyIndex > 0xffff) {
            return "there is no pkey index " + pkeyIndex;
        }
        Route route = routeOf(transition);
        if (route != null && !route.isGlobal() && context.ports().query(port).linkLayer() == LinkLayer.ETHERNET) {
            return Advice.NO_PEER_GID;
        }
        DeviceAttributes device = context.attributes();
        // Not every driver looks: rxe takes more READs of the peer than it says it can have.
        return switch (transition) {
            case Transition.ReadyToReceive ready
            when ready.maxReads() > device.maxReadsAsTarget() ->
                Advice.tooManyReads(ready.maxReads(), device.maxReadsAsTarget());
            case Transition.ReadyToSend ready
            when ready.maxReads() > device.maxReadsAsInitiator() ->
                Advice.tooManyReads(ready.maxReads(), device.maxReadsAsInitiator());
            default -> "";
        };
    }

    /** The port that a transition names, or else the first. */
    private static int portOf(Transition transition) {
        Route route = routeOf(transition);
        if (route != null) {
            return route.port();
        }
        return switch (transition) {
            case Transition.Init init -> init.port();
            case Transition.DatagramInit init -> init.port();
            default -> 1;
        };
    }

    private static @Nullable Route routeOf(Transition transition) {
        return switch (transition) {
            case Transition.ReadyToReceive ready -> ready.route();
            case Transition.UnreliableReadyToReceive ready -> ready.route();
            default -> null;
        };
    }

    private String adviceOn(int errno, Transition transition) {
        return context.advice().transition(errno, transition, context.ports().query(portOf(transition)));
    }

    /** Completions that were not polled before a reset are not delivered: their generation has passed. */
    private void forgetRequests() {
        int generation = context.requestOwners().nextGeneration(slot);
        sends = new RequestRing(
                RequestId.queue(slot, generation, false), capacity().maxSends());
        receives = new RequestRing(
                RequestId.queue(slot, generation, true), capacity().maxReceives());
        dropSharedReceives();
    }

    /**
     * Some providers throw the completions of a queue pair that is destroyed or reset out of its completion queues (mlx5,
     * vmw_pvrdma), and nobody would free the slots of the shared receives that it took. So it takes no more (ibv_create_srq(3): from
     * ERR on), and what it took is settled, before. The state can also have no way to ERR; then it has taken none.
     */
    private void settleSharedReceives() {
        if (sharedReceives == null) {
            return;
        }
        Transition toError = new Transition.ToError();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(IbvQpAttr.SIZE, Long.BYTES);
            QueuePairAttributeForm.write(toError, attributes);
            ResourceVerbs.modifyQp(pair, attributes, QueuePairStateTable.mask(toError));
        }
        dropSharedReceives();
    }

    /** What was received into a shared queue does not carry our generation: it is taken out of the completion queue. */
    private void dropSharedReceives() {
        NativeXrcDomain domain = extendedDomain;
        if (domain != null) {
            context.requestOwners().forEach(owner -> {
                NativeCompletionQueue completions =
                        owner instanceof NativeSharedReceiveQueue queue ? queue.completionsIn(domain) : null;
                if (completions != null) {
                    completions.dropSharedReceives(qpn());
                }
            });
        } else if (sharedReceives != null && receiveCompletions != null) {
            receiveCompletions.dropSharedReceives(qpn());
        }
    }

    @Override
    protected QueuePairAttributes queryDevice() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(IbvQpAttr.SIZE, Long.BYTES);
            MemorySegment initAttributes = arena.allocate(IbvQpInitAttr.SIZE, Long.BYTES);
            NativeCall.zero(
                    "ibv_query_qp",
                    toString(),
                    context.advice()::general,
                    () -> ResourceVerbs.queryQp(pair, attributes, QueuePairAttributeForm.ALL, initAttributes));
            return QueuePairAttributeForm.read(attributes, capacity());
        }
    }

    @Override
    public void attachMulticast(Gid group, int lid) {
        multicast("ibv_attach_mcast", group, lid, ResourceVerbs::attachMulticast);
        groups.add(new MulticastGroup(group, lid));
    }

    @Override
    public void detachMulticast(Gid group, int lid) {
        multicast("ibv_detach_mcast", group, lid, ResourceVerbs::detachMulticast);
        groups.remove(new MulticastGroup(group, lid));
    }

    private void multicast(String verb, Gid group, int lid, MulticastCall call) {
        context.requireSupported(Feature.MULTICAST, verb);
        String object = this + ", " + group;
        if (type() != QueuePairType.UNRELIABLE_DATAGRAM || lid >>> Short.SIZE != 0) {
            throw new VerbsException(
                    verb, object, Errno.EINVAL, "UD queue pairs alone have multicast groups, and a LID has 16 bits");
        }
        whileOpen(() -> {
            leaveOrJoin(verb, object, group, lid, call);
            return Boolean.TRUE;
        });
    }

    private void leaveOrJoin(String verb, String object, Gid group, int lid, MulticastCall call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment raw = arena.allocate(Gid.BYTES, Long.BYTES);
            raw.copyFrom(MemorySegment.ofArray(group.toBytes()));
            NativeCall.zero(
                    verb,
                    object,
                    errno -> context.advice().multicast(errno, group),
                    () -> call.call(pair, raw, (short) lid));
        }
    }

    @FunctionalInterface
    private interface MulticastCall {
        int call(long pair, MemorySegment group, short lid);
    }

    private record MulticastGroup(Gid group, int lid) {}

    @Override
    public SendQueue sendQueue() {
        if (sendQueue == null) {
            throw new IllegalStateException(this + " is the receiving end of an XRC connection and sends nothing");
        }
        return sendQueue;
    }

    @Override
    public ReceiveQueue receiveQueue() {
        if (receiveQueue == null && sharedReceives == null) {
            throw new IllegalStateException(this
                    + " has no receive queue: on XRC receives are posted to the shared receive queues of the domain");
        }
        if (receiveQueue == null) {
            throw new IllegalStateException(this
                    + " takes its receives from a shared receive queue: post to sharedReceiveQueue().receiveQueue()");
        }
        return receiveQueue;
    }

    @Override
    public @Nullable SharedReceiveQueue sharedReceiveQueue() {
        return sharedReceives;
    }

    @Override
    protected void release() {
        if (sendQueue != null) {
            sendQueue.closeGate();
        }
        if (receiveQueue != null) {
            receiveQueue.closeGate();
        }
        context.requestOwners().remove(slot);
        context.memoryWindows().forEach(window -> window.goWith(this));
        // A device refuses to destroy a queue pair that is in a group.
        groups.forEach(joined -> leaveOrJoin(
                "ibv_detach_mcast",
                this + ", " + joined.group(),
                joined.group(),
                joined.lid(),
                ResourceVerbs::detachMulticast));
        settleSharedReceives();
        NativeCall.zero("ibv_destroy_qp", toString(), context.advice()::release, () -> ResourceVerbs.destroyQp(pair));
        dropSharedReceives();
        context.requestOwners().free(slot);
    }
}
