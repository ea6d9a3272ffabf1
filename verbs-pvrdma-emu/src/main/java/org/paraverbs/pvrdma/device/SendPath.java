// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.link.Wire;
import org.paraverbs.pvrdma.roce.Requester;
import org.paraverbs.verbs.RnrTimer;

/**
 * The requester's side: from the send ring through the window on the wire, and from the answers to completions. Also how
 * a queue pair stops.
 */
final class SendPath {
    /** Work requests fetched in one go. */
    private static final int QUANTUM = 256;

    /** How long to wait before looking again whether a peer has let go of a closed wire. */
    private static final long LOOK_AGAIN_NS = 50_000;

    private static final RnrTimer[] RNR_TIMERS = new RnrTimer[32];

    static {
        for (int code = 0; code < RNR_TIMERS.length; code++) {
            RNR_TIMERS[code] = new RnrTimer(code);
        }
    }

    private final DeviceCore core;

    /** Where the data of a READ comes from. */
    private final SgeList readSource = new SgeList(1);

    SendPath(DeviceCore core) {
        this.core = core;
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
            flush(pair);
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
            case READ_RESPONSE -> {
                switch (scatter(request)) {
                    case NONE -> requester.onAcknowledge();
                    case SOURCE -> requester.onFailure(WcStatus.REM_ACCESS_ERR);
                    case TARGET -> requester.onFailure(WcStatus.LOC_PROT_ERR);
                }
            }
            case RNR_NAK ->
                requester.onReceiverNotReady(RNR_TIMERS[request.rnrTimer() & 31].durationNs(), core.nowNs());
            case NAK_SEQUENCE_ERROR -> requester.onSequenceError();
            case LOST -> requester.onLost(core.nowNs());
            case NAK_INVALID_REQUEST, NAK_REMOTE_ACCESS_ERROR, NAK_REMOTE_OPERATIONAL_ERROR, REQUESTER_FAULT ->
                requester.onFailure(request.reply().status());
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
        WorkRing ring = pair.sends;
        GuestPages.Resolved resolved = ring.resolved();
        if (!ring.look(resolved)) {
            breakDown(pair);
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
                breakDown(pair);
                return;
            }
            read(pair, segment, ring.within(resolved), request);
            ring.fetch();
            pair.requester.append(request);
        }
        pair.sendsLeft = !ring.isEmpty();
        if (pair.sendsLeft) {
            core.tell(core, pair.answersLetter());
        }
    }

    /** Copies a work request out of the ring and checks it. */
    private void read(QueuePair pair, MemorySegment segment, long at, WorkRequest request) {
        long opcodeAndFlags = SqWqe.opcodeAndFlags(segment, at);
        int flags = (int) (opcodeAndFlags >>> Integer.SIZE);
        int opcode = (int) opcodeAndFlags;
        boolean read = opcode == WrOpcode.RDMA_READ;
        request.wrId = SqWqe.wrId(segment, at);
        request.opcode = opcode;
        request.immediate = SqWqe.immData(segment, at);
        request.remoteAddress = SqWqe.rdmaRemoteAddr(segment, at);
        request.rkey = SqWqe.rdmaRkey(segment, at);
        request.signaled = pair.signalAll || (flags & SendFlags.SIGNALED) != 0;
        request.solicited = (flags & SendFlags.SOLICITED) != 0;
        int elements = SqWqe.numSge(segment, at);
        int status = WcStatus.LOC_QP_OP_ERR;
        SgeList local = request.local;
        if (isSupported(opcode)
                && Integer.compareUnsigned(elements, pair.size.maxSendSge()) <= 0
                && !(read && pair.attributes.maxReads == 0)) {
            status = local.read(
                    segment,
                    at + SqWqe.SIZE,
                    elements,
                    Long.MAX_VALUE,
                    core.regions,
                    pair.pd,
                    read ? AccessFlags.ACCESS_LOCAL_WRITE : 0);
            if (local.total() > core.configuration.maxMessageSize()) {
                status = WcStatus.LOC_LEN_ERR;
            }
        }
        request.begin(status == WcStatus.SUCCESS ? local.total() : 0, read, (flags & SendFlags.FENCE) != 0);
        if (status != WcStatus.SUCCESS) {
            request.refuse(status);
        }
    }

    private static boolean isSupported(int opcode) {
        return switch (opcode) {
            case WrOpcode.RDMA_WRITE,
                    WrOpcode.RDMA_WRITE_WITH_IMM,
                    WrOpcode.SEND,
                    WrOpcode.SEND_WITH_IMM,
                    WrOpcode.RDMA_READ -> true;
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
        while (requester.next() != null) { // at most the window
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

    /** The peer is gone while requests lie on the wire: they are lost, once the peer has let go of them. */
    private void takeBack(QueuePair pair) {
        pair.closeWire();
        if (pair.isWireQuiet()) {
            pair.renewWire();
            pair.requester.onLost(core.nowNs());
        } else {
            pair.lookAgainNs = core.nowNs() + LOOK_AGAIN_NS;
        }
    }

    // --- completions

    private void retire(QueuePair pair) {
        Requester<WorkRequest> requester = pair.requester;
        WorkRequest request = requester.finished();
        while (request != null) { // at most the window
            int status = request.status();
            if (!retire(pair, request, status) || status != WcStatus.SUCCESS) {
                enterError(pair);
                return;
            }
            request = requester.finished();
        }
    }

    /** Gives the oldest request's place back, then completes it: a completion promises that there is room. */
    private boolean retire(QueuePair pair, WorkRequest request, int status) {
        pair.sends.release(pair.sends.resolved());
        pair.requester.retire();
        if (status == WcStatus.SUCCESS && !request.signaled) {
            return true;
        }
        return core.complete(
                pair.sendCq,
                pair,
                request.wrId,
                completionOpcode(request.opcode),
                status,
                status == WcStatus.SUCCESS ? request.length() : 0,
                0,
                0,
                status != WcStatus.SUCCESS);
    }

    private static int completionOpcode(int opcode) {
        return switch (opcode) {
            case WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE;
            case WrOpcode.RDMA_READ -> WcOpcode.RDMA_READ;
            default -> WcOpcode.SEND;
        };
    }

    // --- stopping

    /** Moves a queue pair to ERR; {@link #serve} then flushes it, in this round or a later one. */
    void enterError(QueuePair pair) {
        if (pair.state == QpState.ERR || pair.state == QpState.RESET) {
            return;
        }
        pair.state = QpState.ERR;
        pair.requester.fail();
        pair.flushing = true;
        core.tell(core, pair.letter());
    }

    /** The queue pair's rings make no sense or are gone: nothing can be flushed. */
    void breakDown(QueuePair pair) {
        boolean first = pair.state != QpState.ERR;
        enterError(pair);
        pair.sends.breakDown();
        pair.receives.breakDown();
        if (first) {
            core.event(EventType.QP_FATAL, pair.handle);
        }
    }

    /** Completes everything that is left, oldest first. */
    private void flush(QueuePair pair) {
        if (!pair.requester.isEmpty()) {
            pair.closeWire();
            if (!pair.isWireQuiet() && !pair.wire.isDrained()) {
                // A flush tells the guest that its memory is its own again; the peer may be copying from it.
                QueuePair peer = pair.peer();
                if (peer != null) {
                    core.tell(peer.core, peer.requestsLetter());
                }
                pair.lookAgainNs = core.nowNs() + LOOK_AGAIN_NS;
                return;
            }
            WorkRequest request = pair.requester.oldest();
            while (request != null) {
                int status = request.isFinished() ? request.status() : WcStatus.WR_FLUSH_ERR;
                retire(pair, request, status);
                request = pair.requester.oldest();
            }
        }
        flushRing(pair, pair.sends, pair.sendCq, false);
        flushRing(pair, pair.receives, pair.receiveCq, true);
    }

    private void flushRing(QueuePair pair, WorkRing ring, CompletionQueue queue, boolean receives) {
        GuestPages.Resolved resolved = ring.resolved();
        if (!ring.look(resolved)) {
            return;
        }
        while (!ring.isEmpty()) { // at most the ring
            MemorySegment segment = ring.segment(resolved);
            if (segment == null) {
                return;
            }
            long at = ring.within(resolved);
            long wrId = receives ? RqWqe.wrId(segment, at) : SqWqe.wrId(segment, at);
            int opcode = receives ? WcOpcode.RECV : completionOpcode(SqWqe.opcode(segment, at));
            ring.fetch();
            ring.release(resolved);
            core.complete(queue, pair, wrId, opcode, WcStatus.WR_FLUSH_ERR, 0, 0, 0, true);
        }
    }
}
