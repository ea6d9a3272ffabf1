// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.link.Wire;
import org.paraverbs.pvrdma.roce.Requester;
import org.paraverbs.verbs.RnrTimer;

/**
 * The requester's side of a reliable connection: from the send ring through the window on the wire, and from the answers
 * to completions.
 */
final class SendPath {
    /** Work requests fetched in one go. */
    private static final int QUANTUM = 256;

    private static final int ATOMIC_BYTES = 8;

    private static final RnrTimer[] RNR_TIMERS = new RnrTimer[32];

    static {
        for (int code = 0; code < RNR_TIMERS.length; code++) {
            RNR_TIMERS[code] = new RnrTimer(code);
        }
    }

    private final DeviceCore core;
    private final Stopping stopping;

    /** Where the data of a READ comes from. */
    private final SgeList readSource = new SgeList(1);

    /** What an atomic operation has found, on its way to the requester's memory. */
    private final MemorySegment original = Arena.ofAuto().allocate(ATOMIC_BYTES, ATOMIC_BYTES);

    private final SgeList originalSource = new SgeList(1);

    SendPath(DeviceCore core, Stopping stopping) {
        this.core = core;
        this.stopping = stopping;
        originalSource.add(MemoryRegion.ofDevice(original, core.memory), 0, ATOMIC_BYTES);
    }

    /**
     * Does what can be done for a queue pair's send queue.
     *
     * @param answered whether requests may have come back
     * @param posted whether the guest may have posted something
     */
    void serve(QueuePair pair, boolean answered, boolean posted) {
        if (pair.state == QpState.ERR) {
            harvest(pair);
            stopping.flush(pair);
            return;
        }
        if (pair.state != QpState.RTS && pair.state != QpState.SQD) {
            return;
        }
        if (answered) {
            harvest(pair);
            retire(pair);
        }
        if ((posted || pair.sendsLeft) && pair.state == QpState.RTS) {
            fetch(pair);
        }
        if (pair.state == QpState.ERR) {
            return; // a letter asks for the flush
        }
        if (pair.requester.hasUnsent() || !pair.wire.isDrained() || pair.isClosing()) {
            transmit(pair);
            retire(pair);
        }
        if (pair.notifyDrained && pair.requester.isEmpty() && pair.state == QpState.SQD) {
            pair.notifyDrained = false;
            core.event(EventType.SQ_DRAINED, pair.handle);
        }
    }

    // --- answers

    private void harvest(QueuePair pair) {
        Wire<WorkRequest> wire = pair.wire;
        WorkRequest request = wire.answered();
        while (request != null) { // at most the window
            Requester<WorkRequest> requester = pair.requester;
            if (!requester.isRepeating() && !requester.isFailed() && requester.isOldest(request)) {
                answer(requester, request);
            }
            wire.harvest();
            request = wire.answered();
        }
    }

    private void answer(Requester<WorkRequest> requester, WorkRequest request) {
        switch (request.reply()) {
            case ACKNOWLEDGE -> requester.onAcknowledge();
            case READ_RESPONSE -> store(requester, scatter(request));
            case ATOMIC_RESPONSE -> {
                original.set(ValueLayout.JAVA_LONG, 0, request.original);
                store(requester, SgeList.copy(originalSource, request.local, ATOMIC_BYTES));
            }
            case RNR_NAK ->
                requester.onReceiverNotReady(RNR_TIMERS[request.rnrTimer() & 31].durationNs(), core.nowNs());
            case NAK_SEQUENCE_ERROR -> requester.onSequenceError();
            case LOST -> requester.onLost(core.nowNs());
            case NAK_INVALID_REQUEST, NAK_REMOTE_ACCESS_ERROR, NAK_REMOTE_OPERATIONAL_ERROR, REQUESTER_FAULT ->
                requester.onFailure(request.reply().status());
        }
    }

    private void store(Requester<WorkRequest> requester, Dma.Fault fault) {
        switch (fault) {
            case NONE -> requester.onAcknowledge();
            case SOURCE -> requester.onFailure(WcStatus.REM_ACCESS_ERR);
            case TARGET -> requester.onFailure(WcStatus.LOC_PROT_ERR);
            case PROCESS -> requester.onLost(core.nowNs());
        }
    }

    /** Fetches the data of a READ, which the responder has admitted. */
    private Dma.Fault scatter(WorkRequest request) {
        MemoryRegion source = request.source;
        if (request.length() == 0 || source == null) {
            return Dma.Fault.NONE;
        }
        readSource.clear();
        readSource.add(source, request.remoteAddress, request.length());
        return SgeList.copy(readSource, request.local, request.length());
    }

    // --- from the ring to the window

    private void fetch(QueuePair pair) {
        if (pair.regionsPending) {
            pair.sendsLeft = true; // keys in what follows are those that will be registered then
            return;
        }
        WorkRing ring = pair.sends;
        GuestPages.Resolved resolved = ring.resolved();
        if (!ring.look(resolved)) {
            stopping.breakDown(pair);
            return;
        }
        for (int i = 0; i < QUANTUM && !ring.isEmpty() && !pair.requester.isFailed(); i++) {
            WorkRequest request = pair.requester.claim();
            if (request == null) {
                pair.sendsLeft = true; // answers bring us back here
                return;
            }
            MemorySegment segment = ring.segment(resolved);
            if (segment == null) {
                stopping.breakDown(pair);
                return;
            }
            read(pair, segment, ring.within(resolved), request);
            ring.fetch();
            pair.requester.append(request);
            if (request.isLocal()) {
                pair.regionsPending = true;
                pair.sendsLeft = !ring.isEmpty();
                return;
            }
        }
        pair.sendsLeft = !ring.isEmpty();
        if (pair.sendsLeft) {
            core.tell(core, pair.answersLetter());
        }
    }

    /** Copies a work request out of the ring and checks it. */
    private void read(QueuePair pair, MemorySegment segment, long at, WorkRequest request) {
        request.readHead(segment, at, pair.signalAll);
        request.remoteAddress = SqWqe.rdmaRemoteAddr(segment, at);
        request.rkey = SqWqe.rdmaRkey(segment, at);
        boolean awaitsData = false;
        boolean possible = true;
        if (Integer.compareUnsigned(request.opcode, WrOpcode.SEND_WITH_IMM) > 0) {
            // the rarer ones apart, so that WRITEs and SENDs stay short
            if (request.concernsRegions() && pair.isPrivileged()) {
                readRegistration(segment, at, request);
                return;
            }
            possible = readRare(pair, segment, at, request);
            awaitsData = request.opcode == WrOpcode.RDMA_READ || request.isAtomic();
        }
        SgeList local = request.local;
        int status = WcStatus.LOC_QP_OP_ERR;
        if (possible
                && (request.flags & SendFlags.INLINE) == 0 // no queue pair has room for inline data
                && Integer.compareUnsigned(request.elements, pair.size.maxSendSge()) <= 0) {
            status = local.read(
                    segment,
                    at + SqWqe.SIZE,
                    request.elements,
                    Long.MAX_VALUE,
                    core.regions,
                    pair.pd,
                    awaitsData ? AccessFlags.ACCESS_LOCAL_WRITE : 0);
            if (local.total() > core.configuration.limits().maxMessageSize()
                    || (awaitsData && request.isAtomic() && local.total() != ATOMIC_BYTES)) {
                status = WcStatus.LOC_LEN_ERR;
            }
        }
        request.begin(status == WcStatus.SUCCESS ? local.total() : 0, awaitsData, request.wantsFence());
        if (status != WcStatus.SUCCESS) {
            request.refuse(status);
        }
    }

    private static void readRegistration(MemorySegment segment, long at, WorkRequest request) {
        if (request.opcode == WrOpcode.FAST_REG_MR) {
            FastRegistration registration = request.registration;
            if (registration == null) {
                registration = new FastRegistration();
                request.registration = registration;
            }
            registration.read(segment, at);
        }
        request.beginLocal();
    }

    /** Reads what READs and atomic operations have; says whether the queue pair can do what is asked for. */
    private boolean readRare(QueuePair pair, MemorySegment segment, long at, WorkRequest request) {
        return switch (request.opcode) {
            case WrOpcode.RDMA_READ -> pair.attributes.maxReads != 0;
            case WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD -> {
                request.rkey = SqWqe.atomicRkey(segment, at);
                request.compareAdd = SqWqe.atomicCompareAdd(segment, at);
                request.swap = SqWqe.atomicSwap(segment, at);
                yield core.configuration.atomics() && pair.attributes.maxReads != 0;
            }
            case WrOpcode.SEND_WITH_INV -> pair.isPrivileged();
            default -> false;
        };
    }

    // --- from the window to the wire

    private void transmit(QueuePair pair) {
        Requester<WorkRequest> requester = pair.requester;
        QueuePair peer = pair.peer();
        if (pair.isClosing() || (peer == null && !pair.wire.isDrained())) {
            takeBack(pair);
            if (pair.isClosing()) {
                return;
            }
        }
        if (requester.isRepeating()) {
            if (!pair.wire.isDrained()) {
                return;
            }
            requester.repeat();
        }
        boolean sent = false;
        WorkRequest request = requester.next();
        for (; request != null; request = requester.next()) { // at most the window
            if (request.isLocal()) {
                requester.carriedOut(carryOut(pair, request));
                continue;
            }
            if (peer == null) {
                requester.onLost(core.nowNs());
                return;
            }
            pair.wire.send(requester.nextSlot());
            requester.sent();
            sent = true;
        }
        if (sent) {
            core.tell(peer.core, peer.requestsLetter());
        }
    }

    /** Registers or invalidates; what was held back for it follows. */
    private int carryOut(QueuePair pair, WorkRequest request) {
        pair.regionsPending = false;
        if (pair.sendsLeft) {
            core.tell(core, pair.answersLetter());
        }
        FastRegistration registration = request.registration;
        return registration != null && request.opcode == WrOpcode.FAST_REG_MR
                ? registration.execute(core, pair.pd)
                : FastRegistration.invalidate(core, pair.pd, request.immediate);
    }

    /** The peer is gone while requests lie on the wire: they are lost, once the peer has let go of them. */
    private void takeBack(QueuePair pair) {
        pair.closeWire();
        if (pair.isWireQuiet()) {
            pair.renewWire();
            pair.requester.onLost(core.nowNs());
        } else {
            pair.lookAgainNs = core.nowNs() + Stopping.LOOK_AGAIN_NS;
        }
    }

    // --- completions

    private void retire(QueuePair pair) {
        Requester<WorkRequest> requester = pair.requester;
        WorkRequest request = requester.finished();
        while (request != null) { // at most the window
            int status = request.status();
            if (!stopping.completeSend(pair, request, status) || status != WcStatus.SUCCESS) {
                stopping.enterError(pair);
                return;
            }
            request = requester.finished();
        }
    }
}
