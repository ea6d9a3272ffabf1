// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;

/**
 * How a queue pair stops, and what becomes of the work requests that it still has (IBTA volume 1, section 10.3.1): they
 * complete in order with {@link WcStatus#WR_FLUSH_ERR}.
 */
final class Stopping {
    /** How long to wait before looking again whether a peer has let go of a closed wire. */
    static final long LOOK_AGAIN_NS = 50_000;

    private final DeviceCore core;

    Stopping(DeviceCore core) {
        this.core = core;
    }

    /** Moves a queue pair to ERR; {@link #flush} follows, in this round or a later one. */
    void enterError(QueuePair pair) {
        if (pair.state == QpState.ERR || pair.state == QpState.RESET) {
            return;
        }
        DeviceEvents.queuePairState(core, pair.qpn, pair.state, QpState.ERR);
        pair.state = QpState.ERR;
        pair.requester.fail();
        pair.flushing = true;
        core.tell(core, pair.letter());
    }

    /** Stops the send queue alone, after a datagram failed (IBTA volume 1, section 10.3.1.6): receiving goes on. */
    void enterSendQueueError(QueuePair pair) {
        DeviceEvents.queuePairState(core, pair.qpn, pair.state, QpState.SQE);
        pair.state = QpState.SQE;
        flushSends(pair);
    }

    /** Completes the send work requests that are left. */
    void flushSends(QueuePair pair) {
        flushRing(pair, pair.sends, pair.sendCq, false);
    }

    /** The queue pair's rings make no sense or are gone: nothing can be flushed. */
    void breakDown(QueuePair pair) {
        boolean first = pair.state != QpState.ERR;
        enterError(pair);
        pair.sends.breakDown();
        SharedReceiveQueue srq = pair.srq;
        if (srq == null) {
            pair.receives.breakDown();
        } else if (srq.ring.isBroken() && !srq.failed) {
            srq.failed = true;
            core.event(EventType.SRQ_ERR, srq.handle);
        }
        if (first) {
            core.event(EventType.QP_FATAL, pair.handle);
        }
    }

    /** Completes everything that is left, oldest first. */
    void flush(QueuePair pair) {
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
                completeSend(pair, request, status);
                request = pair.requester.oldest();
            }
        }
        flushSends(pair);
        if (pair.srq == null) {
            flushRing(pair, pair.receives, pair.receiveCq, true);
        } else if (!pair.lastReceiveTold) {
            // receives of a shared queue are still good for others (IBTA volume 1, section 10.2.9)
            pair.lastReceiveTold = true;
            core.event(EventType.QP_LAST_WQE_REACHED, pair.handle);
        }
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

    /**
     * Gives the oldest request's place back, then completes it: a completion promises that there is room.
     *
     * @return false when the completion queue overran
     */
    boolean completeSend(QueuePair pair, WorkRequest request, int status) {
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

    /** The opcode of the completion of a send work request; that of anything unknown is a SEND's. */
    static int completionOpcode(int opcode) {
        return switch (opcode) {
            case WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE;
            case WrOpcode.RDMA_READ -> WcOpcode.RDMA_READ;
            case WrOpcode.ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP;
            case WrOpcode.ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD;
            case WrOpcode.LOCAL_INV -> WcOpcode.LOCAL_INV;
            case WrOpcode.FAST_REG_MR -> WcOpcode.FAST_REG_MR;
            default -> WcOpcode.SEND;
        };
    }
}
