// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.link.Wire;
import org.paraverbs.pvrdma.roce.Requester;
import org.paraverbs.pvrdma.roce.Responder;

/**
 * A queue pair: its rings, its two halves of the transport, and the way to its peer. Everything belongs to the holder of
 * the device's ticket, but for the volatile fields, which the peer's owner reads.
 */
final class QueuePair {
    // What a letter to the device says of a queue pair: its handle, and what there is to look at.
    private static final int LETTER_SHIFT = 2;
    private static final int REQUESTS = 0;
    private static final int ANSWERS = 1;
    private static final int SENDS = 2;
    private static final int EVERYTHING = 3;

    /** Requests under way at once: enough that answers come back before it is used up. */
    private static final int MAX_WINDOW = 128;

    final DeviceCore core;
    final int handle;
    final int qpn;
    final int type;
    final ProtectionDomain pd;

    /** The page of the user access region that it is rung by. */
    final int uarPage;

    final CompletionQueue sendCq;
    final CompletionQueue receiveCq;

    /** Where the receives come from when they are not its own. */
    final @Nullable SharedReceiveQueue srq;

    final QueuePairSize size;
    final boolean signalAll;
    final WorkRing sends;
    final WorkRing receives;

    /** The protection domain of the receives, and the elements that one may have. */
    final ProtectionDomain receivePd;

    final int maxReceiveSge;

    final QueuePairAttributes attributes = new QueuePairAttributes();
    final WorkRequest[] window;
    final Requester<WorkRequest> requester;
    final Responder responder;

    int state = QpState.RESET;

    /** Whether the peer's first message was noticed. */
    boolean established;

    /** Whether a work request about regions waits for its turn, so that those behind it cannot be looked at yet. */
    boolean regionsPending;

    /** Whether the send ring holds more than the window had room for. */
    boolean sendsLeft;

    /** Whether the guest was told that no more receives are taken from the shared receive queue. */
    boolean lastReceiveTold;

    /** Whether the guest wants to know when the send queue is drained. */
    boolean notifyDrained;

    /** Whether receives are to be flushed as they are posted; for the doorbell. */
    volatile boolean flushing;

    volatile @Nullable Connection connection;

    /** Where the peer finds this queue pair's requests; replaced when requests must be taken back. */
    volatile Wire<WorkRequest> wire;

    private int peerEpoch;
    private @Nullable QueuePair peer;
    private @Nullable QueuePair lastPeer;

    // Where the last datagram went: most follow the same way.
    private int routeEpoch;
    private long routeGidHigh;
    private long routeGidLow;
    private @Nullable DeviceCore route;

    /** Packet sequence number of the next datagram. */
    int datagramPsn;

    private boolean closing;
    private int closingRound;

    /** When to look again whether the peer has let go of the wire. */
    long lookAgainNs = Long.MAX_VALUE;

    QueuePair(DeviceCore core, int handle, int qpn, QueuePairPlan plan) {
        this.core = core;
        this.handle = handle;
        this.qpn = qpn;
        type = plan.type();
        pd = plan.pd();
        uarPage = UserContext.pageOf(pd.context);
        sendCq = plan.sendCq();
        receiveCq = plan.receiveCq();
        srq = plan.srq();
        size = plan.size();
        signalAll = plan.signalAll();
        sends = size.sendRing(plan.pages());
        receives = srq == null ? size.receiveRing(plan.pages()) : srq.ring;
        receivePd = srq == null ? pd : srq.pd;
        maxReceiveSge = srq == null ? size.maxRecvSge() : srq.maxSge;
        responder = new Responder(core.configuration.limits().maxReads());
        // a datagram is complete when it is sent, so there is never more than one
        window = new WorkRequest[isDatagram() ? 1 : Math.min(size.maxSendWr(), MAX_WINDOW)];
        for (int i = 0; i < window.length; i++) {
            window[i] = new WorkRequest(size.maxSendSge());
        }
        requester = new Requester<>(window);
        wire = new Wire<>(window);
        peerEpoch = core.fabric().epoch() - 1;
        routeEpoch = peerEpoch;
    }

    /** Letters of a device with this many queue pairs are below this. */
    static int letters(int queuePairs) {
        return queuePairs << LETTER_SHIFT;
    }

    static int handleOf(int letter) {
        return letter >>> LETTER_SHIFT;
    }

    /** Whether a letter is about the peer's requests. */
    static boolean isAboutRequests(int letter) {
        return (letter & EVERYTHING) == REQUESTS || (letter & EVERYTHING) == EVERYTHING;
    }

    /** Whether a letter is about requests that came back. */
    static boolean isAboutAnswers(int letter) {
        return (letter & ANSWERS) != 0;
    }

    /** Whether a letter is about work requests that the guest has posted. */
    static boolean isAboutSends(int letter) {
        return (letter & EVERYTHING) >= SENDS;
    }

    /** The letter that says that the guest has posted send work requests. */
    static int sendsLetter(int handle) {
        return handle << LETTER_SHIFT | SENDS;
    }

    /** The letter that says that the peer has put requests on its wire. */
    int requestsLetter() {
        return handle << LETTER_SHIFT | REQUESTS;
    }

    /** The letter that says that requests came back. */
    int answersLetter() {
        return handle << LETTER_SHIFT | ANSWERS;
    }

    /** The letter that says that anything may have changed. */
    int letter() {
        return handle << LETTER_SHIFT | EVERYTHING;
    }

    /** Whether it is one without a peer: UD or GSI. */
    boolean isDatagram() {
        return type != QpType.RC;
    }

    /** Whether messages are executed. In SQE, where only datagrams get, it is just the send queue that has stopped. */
    boolean receivesMessages() {
        return state == QpState.RTR || state == QpState.RTS || state == QpState.SQD || state == QpState.SQE;
    }

    /** Whether it is the kernel's, on a device with fast registration. */
    boolean isPrivileged() {
        return pd.isKernel() && core.configuration.fastRegistration();
    }

    /** The device that datagrams for a GID go to; null if nobody has it, or traffic does not flow there. */
    @Nullable
    DeviceCore datagramRoute(long gidHigh, long gidLow) {
        int epoch = core.fabric().epoch();
        if (routeEpoch != epoch || routeGidHigh != gidHigh || routeGidLow != gidLow) {
            route = core.port.isFlowing()
                            && core.fabric().find(gidHigh, gidLow) instanceof DeviceCore device
                            && device.port.isFlowing()
                    ? device
                    : null;
            routeGidHigh = gidHigh;
            routeGidLow = gidLow;
            routeEpoch = epoch;
        }
        return route;
    }

    /** The queue pair at the other end, if each names the other; null when it is not there or not connected to us. */
    @Nullable
    QueuePair peer() {
        return peerEpoch == core.fabric().epoch() ? peer : lookUpPeer();
    }

    private @Nullable QueuePair lookUpPeer() {
        int epoch = core.fabric().epoch();
        QueuePair found = core.reach(connection);
        if (found != null && core.lookUp(found.connection) != this) {
            found = null;
        }
        peer = found;
        if (found != null) {
            lastPeer = found;
        }
        peerEpoch = epoch;
        return found;
    }

    /**
     * Takes back what lies on the wire. Who must not wait asks {@link #isWireQuiet} until it is; who may, waits for
     * the peer's round.
     */
    void closeWire() {
        if (!closing) {
            closing = true;
            wire.close();
            QueuePair other = lastPeer;
            closingRound = other == null ? 0 : other.core.round(); // after the wire was closed, see Node.hasPassed
        }
    }

    /** Whether the peer no longer looks at the wire that was closed. */
    boolean isWireQuiet() {
        QueuePair other = lastPeer;
        return other == null || other.core == core || other.core.hasPassed(closingRound);
    }

    /** Whether {@link #closeWire} was called and {@link #renewWire} was not. */
    boolean isClosing() {
        return closing;
    }

    /** Replaces a wire that is quiet. */
    void renewWire() {
        closing = false;
        lookAgainNs = Long.MAX_VALUE;
        wire = new Wire<>(window);
    }

    /** When this queue pair wants to be served at the latest. */
    long deadlineNs() {
        return Math.min(requester.deadlineNs(), lookAgainNs);
    }
}
