// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairStateException;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/** What the queue pairs of all providers share: endpoints, connecting, and saying why a step was refused. */
public abstract class QueuePairBase extends ResourceBase implements QueuePair {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int RETRIES = 7;
    private static final int RNR_RETRIES_WITHOUT_END = 7;

    private final ContextBase context;
    private final int qpn;
    private final QueuePairType type;
    private final QueuePairCapacity capacity;
    private final Object endpointLock = new Object();

    /** Guarded by the lock above, as the one below. */
    private @Nullable Endpoint endpoint;

    private @Nullable GidChoice choice;

    private volatile @Nullable CompletionRecord firstError;

    /**
     * A new queue pair.
     *
     * @param context its context
     * @param qpn its number
     * @param type its transport service
     * @param capacity the sizes that the device gave
     */
    protected QueuePairBase(ContextBase context, int qpn, QueuePairType type, QueuePairCapacity capacity) {
        super(context, describe(context, qpn));
        this.context = context;
        this.qpn = qpn;
        this.type = type;
        this.capacity = capacity;
    }

    /**
     * How messages name a queue pair.
     *
     * @param context its context
     * @param qpn its number
     * @return {@code QP 0x11 of emu0}
     */
    protected static String describe(ContextBase context, int qpn) {
        return "QP 0x" + Integer.toHexString(qpn) + " of " + context.device().name();
    }

    /**
     * Gives the device the attributes of a transition, those that {@link QueuePairStateTable#mask} names.
     *
     * @param transition the transition
     * @throws VerbsException if the device refuses; EINVAL is explained by the caller
     */
    protected abstract void apply(Transition transition);

    /** Asks the device for the attributes. */
    protected abstract QueuePairAttributes queryDevice();

    /**
     * Notes a failed completion of this queue pair; called when it is polled.
     *
     * @param completion the completion
     */
    protected final void noteError(WorkCompletion completion) {
        if (firstError == null) {
            firstError = completion.copy();
        }
    }

    @Override
    public final int qpn() {
        return qpn;
    }

    @Override
    public final QueuePairType type() {
        return type;
    }

    @Override
    public final QueuePairCapacity capacity() {
        return capacity;
    }

    @Override
    public final @Nullable CompletionRecord firstError() {
        return firstError;
    }

    @Override
    public final QueuePairAttributes query() {
        return whileOpen(this::queryDevice);
    }

    @Override
    public final QueuePairState state() {
        return query().state();
    }

    @Override
    public final void modify(Transition transition) {
        whileOpen(() -> {
            QueuePairState from = queryDevice().state();
            try {
                apply(transition);
            } catch (VerbsException e) {
                throw explained(e, from, transition);
            }
            return Boolean.TRUE;
        });
        if (transition instanceof Transition.ToReset) {
            synchronized (endpointLock) {
                endpoint = null;
                choice = null;
            }
            firstError = null;
        }
    }

    private VerbsException explained(VerbsException refusal, QueuePairState from, Transition transition) {
        String object =
                this + ", " + from.abbreviation() + " -> " + transition.target().abbreviation();
        if (refusal.code() != Errno.EINVAL) {
            return refusal;
        }
        return QueuePairStateTable.of(type)
                .fault(from, transition.target(), QueuePairStateTable.mask(transition))
                .<VerbsException>map(fault -> {
                    QueuePairStateException explained =
                            new QueuePairStateException(object, refusal.errno(), from, transition.target(), fault);
                    explained.initCause(refusal);
                    return explained;
                })
                .orElse(refusal);
    }

    @Override
    public final Endpoint endpoint() {
        requireOpen();
        synchronized (endpointLock) {
            return endpoint != null ? endpoint : open(GidChoice.best(context));
        }
    }

    @Override
    public final Endpoint endpoint(int port, int gidIndex) {
        requireOpen();
        synchronized (endpointLock) {
            GidChoice current = choice;
            if (endpoint != null
                    && current != null
                    && current.entry().port() == port
                    && current.entry().index() == gidIndex) {
                return endpoint;
            }
            return open(GidChoice.given(context, port, gidIndex));
        }
    }

    private Endpoint open(GidChoice chosen) {
        int port = chosen.port().port();
        modify(
                type == QueuePairType.UNRELIABLE_DATAGRAM
                        ? new Transition.DatagramInit(port, 0, DATAGRAM_QKEY)
                        : new Transition.Init(port, 0, remoteAccess()));
        DeviceAttributes device = context.attributes();
        int readDepth = Math.min(255, Math.min(device.maxReadsAsTarget(), device.maxReadsAsInitiator()));
        Endpoint opened = new Endpoint(
                chosen.entry().gid(),
                chosen.entry().type(),
                chosen.port().lid(),
                qpn,
                RANDOM.nextInt(1 << 24),
                chosen.port().activeMtu(),
                readDepth);
        endpoint = opened;
        choice = chosen;
        return opened;
    }

    private Set<Access> remoteAccess() {
        Set<Access> access = EnumSet.of(Access.REMOTE_WRITE);
        if (type == QueuePairType.XRC_SEND) {
            return Set.of(); // nothing comes in
        }
        if (type != QueuePairType.RELIABLE_CONNECTION && type != QueuePairType.XRC_RECEIVE) {
            return access;
        }
        if (context.supports(Feature.READ)) {
            access.add(Access.REMOTE_READ);
        }
        if (context.supports(Feature.ATOMICS)) {
            access.add(Access.REMOTE_ATOMIC);
        }
        return access;
    }

    @Override
    public final String endpointChoice() {
        return required(choice).reason();
    }

    @Override
    public final void connect(Endpoint remote) {
        Endpoint local;
        Route route;
        synchronized (endpointLock) {
            local = required(endpoint);
            route = routeTo(remote);
        }
        Mtu mtu = Mtu.min(local.mtu(), remote.mtu());
        switch (type) {
            case RELIABLE_CONNECTION -> {
                connectReceiving(local, remote, route, mtu);
                readyToSend(local, remote);
            }
            case XRC_SEND -> {
                modify(new Transition.UnreliableReadyToReceive(route, remote.qpn(), remote.psn(), mtu));
                readyToSend(local, remote);
            }
            case XRC_RECEIVE -> {
                connectReceiving(local, remote, route, mtu);
                modify(new Transition.XrcReceiveReadyToSend(local.psn(), AckTimeout.DEFAULT));
            }
            case UNRELIABLE_CONNECTION -> {
                modify(new Transition.UnreliableReadyToReceive(route, remote.qpn(), remote.psn(), mtu));
                modify(new Transition.UnreliableReadyToSend(local.psn()));
            }
            case UNRELIABLE_DATAGRAM ->
                throw new IllegalStateException(this + " sends datagrams, which are not connected: call activate(), and"
                        + " give each request its destination with SendWorkRequest.to");
        }
    }

    private void connectReceiving(Endpoint local, Endpoint remote, Route route, Mtu mtu) {
        modify(new Transition.ReadyToReceive(
                route, remote.qpn(), remote.psn(), mtu, readDepth(local, remote), RnrTimer.DEFAULT));
    }

    private void readyToSend(Endpoint local, Endpoint remote) {
        modify(new Transition.ReadyToSend(
                local.psn(), AckTimeout.DEFAULT, RETRIES, RNR_RETRIES_WITHOUT_END, readDepth(local, remote)));
    }

    private static int readDepth(Endpoint local, Endpoint remote) {
        return Math.min(local.readDepth(), remote.readDepth());
    }

    @Override
    public final void activate() {
        int psn;
        synchronized (endpointLock) {
            psn = required(endpoint).psn();
        }
        if (type != QueuePairType.UNRELIABLE_DATAGRAM) {
            throw new IllegalStateException(this + " is " + type.abbreviation() + ": call connect(peer's endpoint)");
        }
        modify(new Transition.DatagramReadyToReceive());
        modify(new Transition.DatagramReadyToSend(psn));
    }

    @Override
    public final Route routeTo(Endpoint remote) {
        synchronized (endpointLock) {
            GidChoice chosen = required(choice);
            checkReachable(required(endpoint), remote);
            return Route.to(chosen.port().port(), chosen.entry().index(), remote.gid())
                    .withDestinationLid(remote.lid());
        }
    }

    private void checkReachable(Endpoint local, Endpoint remote) {
        Gid ours = local.gid();
        Gid theirs = remote.gid();
        String wrong = null;
        if (ours.isEmpty() != theirs.isEmpty()) {
            wrong = "only one side has a GID";
        } else if (ours.isIpv4Mapped() != theirs.isIpv4Mapped()) {
            wrong = "one GID is an IPv4 address and the other is not";
        } else if (local.gidType() != remote.gidType()) {
            wrong = "the GIDs are of different types, " + local.gidType() + " and " + remote.gidType();
        }
        if (wrong != null) {
            throw new VerbsException(
                    "ibv_modify_qp",
                    this + " to " + theirs,
                    Errno.EINVAL,
                    wrong + ": choose GIDs that go together with endpoint(port, gidIndex) on both sides; this side: "
                            + endpointChoice());
        }
    }

    private <T> T required(@Nullable T chosen) {
        if (chosen == null) {
            throw new IllegalStateException(this + " has no endpoint yet; call endpoint() first");
        }
        return chosen;
    }
}
