// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.invoke.VarHandle;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.DeviceVersion;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.pvrdma.link.Node;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the device consists of, and the order of work in a round. All of it belongs to the holder of the ticket; what
 * other threads may do says so.
 */
final class DeviceCore extends Node {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceCore.class);

    private static final int HANDLE_BITS = 16;

    /** Number of the queue pair for general services, which is there once per port (IBTA volume 1, section 3.9.5). */
    static final int GSI_QPN = 1;

    final DeviceConfiguration configuration;

    /** Which device it is, for messages: its MAC address. */
    final String label;

    final GuestMemory memory;
    final Interrupts interrupts;
    final Counters counters = new Counters();
    final Limits limits;
    final GidTable gids;
    final HandleTable<UserContext> contexts;
    final HandleTable<ProtectionDomain> domains;
    final HandleTable<MemoryRegion> regions;
    final HandleTable<CompletionQueue> completionQueues;
    final HandleTable<QueuePair> queuePairs;
    final HandleTable<SharedReceiveQueue> sharedReceiveQueues;

    final Port port = new Port();
    final Traffic traffic = new Traffic(this);
    final Refusals refusals = new Refusals(this);
    final Notifier notifier;

    private final Stopping stopping;
    private final SendPath sendPath;
    private final ReceivePath receivePath;
    private final DatagramPath datagramPath;

    /** Bytes of the largest datagram. */
    final int maxDatagram;

    /** Where datagrams for this device are put; null until it has a queue pair for them. */
    volatile @Nullable DatagramInbox inbox;

    /** The queue pair with number 1. */
    volatile @Nullable QueuePair gsi;

    /** Datagrams dropped for their Q_Key. */
    int qkeyViolations;

    private int version;
    private volatile long deadlineNs = Long.MAX_VALUE;
    private long lettersTold;
    private long completionsTold;

    DeviceCore(DeviceConfiguration configuration, GuestMemory memory, InterruptSink sink, Fabric fabric) {
        super(fabric, QueuePair.letters(configuration.limits().maxQp()) + 1);
        this.configuration = configuration;
        label = "PVRDMA device " + HexFormat.ofDelimiter(":").formatHex(macBytes(configuration.macAddress()));
        this.memory = memory;
        interrupts = new Interrupts(sink, label, configuration.host());
        gids = new GidTable(configuration.limits().gidTableLength());
        limits = new Limits(configuration);
        // Handle 0 means "none" or "the kernel" to drivers in some commands, and key 0 is reserved.
        contexts = new HandleTable<>(1, configuration.limits().maxUar() + 1, limits.contexts);
        domains = new HandleTable<>(1, configuration.limits().maxPd() + 1, limits.domains);
        regions = new HandleTable<>(1, configuration.limits().maxMr() + 1, limits.regions);
        // Drivers keep these two in tables of max_cq and max_qp places: handles must be below.
        completionQueues = new HandleTable<>(0, configuration.limits().maxCq(), limits.completionQueues);
        queuePairs = new HandleTable<>(0, configuration.limits().maxQp(), limits.queuePairs);
        sharedReceiveQueues = new HandleTable<>(0, configuration.limits().maxSrq(), limits.sharedReceiveQueues);
        notifier = new Notifier(this, interrupts);
        stopping = new Stopping(this);
        sendPath = new SendPath(this, stopping);
        Receives receives = new Receives(this);
        receivePath = new ReceivePath(this, stopping, receives);
        datagramPath = new DatagramPath(this, stopping, receives);
        maxDatagram = Mtu.bytes(configuration.activeMtu());
        version(configuration.version());
    }

    private static byte[] macBytes(long mac) {
        byte[] bytes = new byte[6];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (mac >>> (8 * (bytes.length - 1 - i)));
        }
        return bytes;
    }

    /** The version of the interface that driver and device speak: the older of the two. */
    int version() {
        return version;
    }

    /** Sets the version, while there are no objects. */
    void version(int agreed) {
        version = agreed;
        // Queue pair numbers 0 and 1 are not for programs; before version 20 handles are numbers.
        queuePairs.startAt(hasSeparateNumbers() ? 0 : 2);
    }

    /** Whether a queue pair's number is not its handle. */
    boolean hasSeparateNumbers() {
        return version >= DeviceVersion.QPHANDLE_VERSION;
    }

    /** The number of the queue pair that a free handle is given to next. */
    int nextNumber(int handle) {
        return hasSeparateNumbers() ? queuePairs.nextUse(handle) << HANDLE_BITS | handle : handle;
    }

    /** The queue pair that a connection leads to, on this or another device; null if there is none. Any thread. */
    @Nullable
    QueuePair lookUp(@Nullable Connection to) {
        if (to == null || !(fabric().find(to.gidHigh(), to.gidLow()) instanceof DeviceCore device)) {
            return null;
        }
        return device.byNumber(to.qpn());
    }

    /** The queue pair with a number; null if there is none. Any thread. */
    @Nullable
    QueuePair byNumber(int qpn) {
        if (qpn == GSI_QPN) {
            return gsi;
        }
        QueuePair found = queuePairs.get(qpn & 0xffff);
        return found != null && found.qpn == qpn ? found : null;
    }

    /** The letter that says that datagrams have come in: the one after those about queue pairs. */
    int inboxLetter() {
        return QueuePair.letters(queuePairs.limit());
    }

    /**
     * The queue pair that a connection leads to, if traffic flows all the way there; null otherwise. Any thread.
     */
    @Nullable
    QueuePair reach(@Nullable Connection to) {
        if (!port.isFlowing()) {
            return null;
        }
        QueuePair found = lookUp(to);
        return found != null && found.core.port.isFlowing() ? found : null;
    }

    @Override
    public boolean hasGid(long high, long low) {
        return gids.contains(high, low);
    }

    // --- doorbells

    /** A queue pair that is there was rung for sending. Any thread. */
    void ringSends(int handle) {
        run(QueuePair.sendsLetter(handle));
    }

    /** Receives were posted: of interest only while they are flushed. Any thread. */
    void ringReceives(int handle) {
        QueuePair pair = queuePairs.get(handle);
        if (pair != null && isFlushing(pair)) {
            run(pair.letter());
        }
    }

    private static boolean isFlushing(QueuePair pair) {
        // The guest published its receive, then rang; we set the flag, then flush what is published. With a fence on
        // both sides one of the two sees the other.
        VarHandle.fullFence();
        return pair.flushing;
    }

    /** A completion queue was armed. Any thread. */
    void ringArm(int handle, boolean solicitedOnly) {
        notifier.armed(handle, solicitedOnly);
        alert();
        run(NONE);
    }

    /** A completion queue was found empty: a chance to do what was left over. Any thread. */
    void ringPoll(int handle) {
        if (notifier.polled(handle)) {
            alert();
            run(NONE);
        } else {
            runLeftOver();
        }
    }

    // --- rounds

    @Override
    protected void serve(int letter) {
        QueuePair pair = queuePairs.get(QueuePair.handleOf(letter));
        if (pair == null) {
            if (letter == inboxLetter()) {
                datagramPath.deliver();
            }
            return;
        }
        counters.letters++;
        try {
            if (port.isQuiesced()) {
                if (!pair.isDatagram() && QueuePair.isAboutRequests(letter)) {
                    receivePath.serve(pair); // nobody is reached, so the peer is told no more than that
                }
                return; // the rest waits
            }
            if (pair.isDatagram()) {
                datagramPath.serve(pair, QueuePair.isAboutSends(letter));
            } else {
                if (QueuePair.isAboutRequests(letter)) {
                    receivePath.serve(pair);
                }
                sendPath.serve(pair, QueuePair.isAboutAnswers(letter), QueuePair.isAboutSends(letter));
            }
            armDeadline(pair.deadlineNs());
        } catch (RuntimeException | InternalError e) {
            ringsGone(pair, e);
        }
    }

    /** The guest's memory went away under the rings of a queue pair. */
    void ringsGone(QueuePair pair, Throwable reason) {
        memoryGone("the rings of queue pair", pair.handle, reason);
        boolean flushCutShort = pair.state == QpState.ERR && !pair.sends.isBroken();
        stopping.breakDown(pair);
        if (flushCutShort) {
            tell(this, pair.letter()); // the rest is flushed without the ring
        }
    }

    /** An exception came out of work on a guest's memory: gone, unless the fault is the device's own. */
    void memoryGone(String what, int handle, Throwable reason) {
        if (MemoryFault.isGuests(reason)) {
            LOG.debug("{}: {} {} cannot be used any more", label, what, handle, reason);
        } else {
            failed(reason);
        }
    }

    @Override
    protected void failed(Throwable failure) {
        counters.internalErrors++;
        super.failed(failure);
    }

    @Override
    protected void serveDeadlines(long nowNs) {
        if (nowNs < deadlineNs) {
            return;
        }
        deadlineNs = Long.MAX_VALUE;
        for (int handle = 0; handle < queuePairs.limit(); handle++) {
            QueuePair pair = queuePairs.get(handle);
            if (pair != null && !port.isQuiesced()) {
                if (pair.deadlineNs() <= nowNs) {
                    pair.lookAgainNs = Long.MAX_VALUE;
                    pair.requester.onDeadline(nowNs);
                    serve(pair.letter());
                }
                armDeadline(pair.deadlineNs());
            }
        }
        notifier.serveDeadlines(nowNs);
    }

    @Override
    protected void serveAlert() {
        notifier.serveAlert();
    }

    @Override
    protected void finishRound() {
        notifier.finishRound();
        if (DeviceEvents.Round.isWanted()) {
            recordRound();
        }
    }

    private void recordRound() {
        long letters = counters.letters - lettersTold;
        long completions = counters.completions - completionsTold;
        if ((letters | completions) != 0) {
            lettersTold += letters;
            completionsTold += completions;
            DeviceEvents.Round.commit(this, letters, completions);
        }
    }

    @Override
    public long deadlineNs() {
        return deadlineNs;
    }

    void armDeadline(long atNs) {
        if (atNs < deadlineNs) {
            deadlineNs = atNs;
            fabric().deadlineChanged(this);
        }
    }

    long nowNs() {
        return fabric().clock().nanoTime();
    }

    // --- completions and events

    /** Writes a completion; see {@link Notifier#complete}. */
    boolean complete(
            CompletionQueue queue,
            QueuePair pair,
            long wrId,
            int opcode,
            int status,
            long byteLength,
            int immediate,
            int flags,
            boolean solicited) {
        Connection peer = pair.connection;
        return complete(
                queue,
                pair,
                wrId,
                opcode,
                status,
                byteLength,
                immediate,
                flags,
                solicited,
                peer == null ? 0 : peer.qpn());
    }

    /** The same for what came from a queue pair that is not the peer. */
    boolean complete(
            CompletionQueue queue,
            QueuePair pair,
            long wrId,
            int opcode,
            int status,
            long byteLength,
            int immediate,
            int flags,
            boolean solicited,
            int sourceQpn) {
        return notifier.complete(queue, pair, wrId, opcode, status, byteLength, immediate, flags, solicited, sourceQpn);
    }

    /** Tells the guest of an asynchronous event. */
    void event(int type, int info) {
        notifier.event(type, info);
    }

    /** Tells one hold of the ticket from the next. */
    int currentHold() {
        return hold();
    }

    // --- control; the caller is between enterControl and leaveControl

    void enter() {
        enterControl();
    }

    void leave() {
        leaveControl();
    }

    /** Completes what was answered; what is on the wire is lost. */
    void settle(QueuePair pair) {
        try {
            sendPath.serve(pair, true, false);
        } catch (RuntimeException | InternalError e) {
            ringsGone(pair, e);
        }
    }

    void activate(NotificationRing async, NotificationRing completions) {
        notifier.activate(async, completions);
    }

    /** Puts a new queue pair in its table. */
    void add(QueuePair pair) {
        queuePairs.put(pair.handle, pair);
        if (pair.isDatagram() && inbox == null) {
            inbox = new DatagramInbox(maxDatagram, memory);
        }
        if (pair.qpn == GSI_QPN) {
            gsi = pair;
        }
    }

    // --- objects

    /** Moves a queue pair to ERR and flushes it. */
    void modifyToError(QueuePair pair) {
        stopping.enterError(pair);
        pair.closeWire();
        fabric().awaitRounds(this);
        try {
            if (pair.isDatagram()) {
                datagramPath.serve(pair, true);
            } else {
                sendPath.serve(pair, true, true);
            }
        } catch (RuntimeException | InternalError e) {
            ringsGone(pair, e);
        }
    }

    /** Moves a queue pair to RESET: what it was doing is forgotten without a completion. */
    void modifyToReset(QueuePair pair) {
        QueuePair peer = lookUp(pair.connection);
        DeviceEvents.queuePairState(this, pair.qpn, pair.state, QpState.RESET);
        pair.state = QpState.RESET;
        pair.flushing = false;
        pair.connection = null;
        pair.requester.discard();
        pair.closeWire();
        fabric().changed();
        fabric().awaitRounds(this);
        pair.renewWire();
        pair.sends.reset();
        if (pair.srq == null) {
            pair.receives.reset();
        }
        pair.regionsPending = false;
        pair.established = false;
        pair.lastReceiveTold = false;
        pair.sendCq.forget(pair.handle);
        pair.receiveCq.forget(pair.handle);
        if (peer != null) {
            tell(peer.core, peer.letter()); // its requests to us are lost, which it has to notice
        }
    }

    /** Removes a queue pair. */
    void destroy(QueuePair pair) {
        queuePairs.remove(pair.handle);
        if (pair.qpn == GSI_QPN) {
            gsi = null;
        }
        modifyToReset(pair);
        pair.pd.users--;
        pair.sendCq.users--;
        pair.receiveCq.users--;
        if (pair.srq != null) {
            pair.srq.users--;
        }
    }

    /** Removes a region; afterwards nobody touches its memory. */
    void destroy(MemoryRegion region) {
        regions.remove(region.handle);
        region.live = false;
        fabric().awaitRounds(this);
        limits.registeredBytes.give(region.charged);
        region.pd.users--;
    }

    /** Removes everything, as after power-on. */
    void clear() {
        for (int handle = 0; handle < queuePairs.limit(); handle++) {
            QueuePair pair = queuePairs.get(handle);
            if (pair != null) {
                destroy(pair);
            }
        }
        for (int handle = 0; handle < regions.limit(); handle++) {
            MemoryRegion region = regions.get(handle);
            if (region != null) {
                region.live = false;
                limits.registeredBytes.give(region.charged);
                regions.remove(handle);
            }
        }
        fabric().awaitRounds(this);
        removeAll(sharedReceiveQueues);
        removeAll(completionQueues);
        removeAll(domains);
        removeAll(contexts);
        gids.clear();
        fabric().changed();
        qkeyViolations = 0;
        inbox = null;
        notifier.clear();
        port.quiesced(false);
        version(configuration.version());
    }

    private static void removeAll(HandleTable<?> table) {
        for (int handle = 0; handle < table.limit(); handle++) {
            if (table.get(handle) != null) {
                table.remove(handle);
            }
        }
    }
}
