// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.WcFlags;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.link.Wire;
import org.paraverbs.pvrdma.roce.Reply;

/**
 * The responder's side: takes the peer's requests off its wire, carries them out in this device's memory, and answers.
 * What a refusal means for both sides is that of IBTA volume 1, section 9.9: a fault that the requester caused stops both
 * queue pairs; the responder's is told by a receive completion if a receive was used, else by an asynchronous event.
 */
final class ReceivePath {
    /** Requests served in one go. */
    private static final int QUANTUM = 128;

    private final DeviceCore core;
    private final SendPath sendPath;

    /** Where a message goes. */
    private final SgeList target;

    // The receive work request in use.
    private long receiveWrId;
    private int receiveElements;

    ReceivePath(DeviceCore core, SendPath sendPath) {
        this.core = core;
        this.sendPath = sendPath;
        this.target = new SgeList(core.configuration.maxSge());
    }

    /** Serves what the peer of a queue pair has sent. */
    void serve(QueuePair pair) {
        QueuePair peer = pair.peer();
        if (peer == null) {
            QueuePair once = core.lookUp(pair.connection);
            if (once != null && !once.wire.isEmpty()) {
                core.tell(once.core, once.letter()); // may have sent before the connection was lost
            }
            return;
        }
        Wire<WorkRequest> wire = peer.wire;
        WorkRequest request = wire.arrived();
        if (request == null) {
            return;
        }
        int left = QUANTUM;
        try {
            while (request != null && left > 0) {
                request.reply(Reply.LOST); // what stays if the lines below fail
                if (wire.isOpen()) {
                    respond(pair, request);
                }
                wire.take();
                left--;
                request = wire.arrived();
            }
        } finally {
            wire.giveBack();
            core.tell(peer.core, peer.answersLetter());
        }
        if (request != null) {
            core.tell(core, pair.requestsLetter());
        }
    }

    private void respond(QueuePair pair, WorkRequest request) {
        if (!pair.receivesMessages()) {
            return;
        }
        switch (pair.responder.arrived(request.psn())) {
            case EXECUTE -> {
                if (pair.state == QpState.RTR && !pair.established) {
                    pair.established = true;
                    core.event(EventType.COMM_EST, pair.handle);
                }
                execute(pair, request);
            }
            case DUPLICATE -> {
                if (request.isRead()) {
                    admitRead(pair, request); // IBTA volume 1, section 9.4.4: checked again
                } else {
                    request.reply(Reply.ACKNOWLEDGE);
                }
            }
            case SEQUENCE_ERROR -> request.reply(Reply.NAK_SEQUENCE_ERROR);
            case DROP -> {}
        }
    }

    private void execute(QueuePair pair, WorkRequest request) {
        boolean done = switch (request.opcode) {
            case WrOpcode.RDMA_WRITE -> write(pair, request);
            case WrOpcode.RDMA_WRITE_WITH_IMM -> writeWithImmediate(pair, request);
            case WrOpcode.SEND, WrOpcode.SEND_WITH_IMM -> send(pair, request);
            case WrOpcode.RDMA_READ -> admitRead(pair, request);
            default -> refuse(pair, request, Reply.NAK_INVALID_REQUEST);
        };
        if (done) {
            pair.responder.executed(request.packets());
        } else {
            pair.responder.declined();
        }
    }

    // --- operations; each answers, and says whether the request was executed

    private boolean write(QueuePair pair, WorkRequest request) {
        if (!findTarget(pair, request, AccessFlags.ACCESS_REMOTE_WRITE)) {
            return refuseAccess(pair, request);
        }
        return transfer(pair, request);
    }

    private boolean writeWithImmediate(QueuePair pair, WorkRequest request) {
        if (!findTarget(pair, request, AccessFlags.ACCESS_REMOTE_WRITE)) {
            return refuseAccess(pair, request);
        }
        GuestPages.Resolved resolved = pair.receives.resolved();
        if (!nextReceive(pair, request, resolved) || !transfer(pair, request)) {
            return false;
        }
        return completeReceive(
                pair, request, resolved, WcOpcode.RECV_RDMA_WITH_IMM, WcStatus.SUCCESS, request.length());
    }

    private boolean send(QueuePair pair, WorkRequest request) {
        GuestPages.Resolved resolved = pair.receives.resolved();
        if (!nextReceive(pair, request, resolved)) {
            return false;
        }
        int fault = receiveTarget(pair, request.length(), resolved);
        if (fault == WcStatus.SUCCESS) {
            switch (SgeList.copy(request.local, target, request.length())) {
                case NONE -> {
                    request.reply(Reply.ACKNOWLEDGE);
                    return completeReceive(pair, request, resolved, WcOpcode.RECV, WcStatus.SUCCESS, request.length());
                }
                case SOURCE -> {
                    request.reply(Reply.REQUESTER_FAULT);
                    return false; // the receive is still there for another message
                }
                case TARGET -> fault = WcStatus.LOC_PROT_ERR;
            }
        }
        request.reply(fault == WcStatus.LOC_LEN_ERR ? Reply.NAK_INVALID_REQUEST : Reply.NAK_REMOTE_OPERATIONAL_ERROR);
        completeReceive(pair, request, resolved, WcOpcode.RECV, fault, 0);
        sendPath.enterError(pair);
        return false;
    }

    /** A READ only has to be admitted here; its data are fetched by the requester's owner, into the requester's memory. */
    private boolean admitRead(QueuePair pair, WorkRequest request) {
        if (pair.attributes.maxReadsAsTarget == 0) {
            return refuse(pair, request, Reply.NAK_INVALID_REQUEST);
        }
        if (!findTarget(pair, request, AccessFlags.ACCESS_REMOTE_READ)) {
            return refuseAccess(pair, request);
        }
        request.reply(Reply.READ_RESPONSE);
        return true;
    }

    private boolean transfer(QueuePair pair, WorkRequest request) {
        return switch (SgeList.copy(request.local, target, request.length())) {
            case NONE -> {
                request.reply(Reply.ACKNOWLEDGE);
                yield true;
            }
            case SOURCE -> {
                request.reply(Reply.REQUESTER_FAULT);
                yield false;
            }
            case TARGET -> refuseAccess(pair, request);
        };
    }

    /** Checks remote key, range and access, and makes the region the target. An empty message needs no valid key. */
    private boolean findTarget(QueuePair pair, WorkRequest request, int access) {
        target.clear();
        if ((pair.attributes.accessFlags & access) == 0) {
            return false;
        }
        if (request.length() == 0) {
            return true;
        }
        MemoryRegion region = MemoryRegion.find(core.regions, request.rkey, pair.pd);
        if (region == null || !region.allows(access) || !region.covers(request.remoteAddress, request.length())) {
            return false;
        }
        if (request.isRead()) {
            if (!isAlive(region)) {
                return false;
            }
            if (request.source != region) {
                request.source = region;
            }
        } else {
            target.add(region, request.remoteAddress, request.length());
        }
        return true;
    }

    /** Whether the memory is still there: the requester's owner, who will read it, could not refuse in our name. */
    private static boolean isAlive(MemoryRegion region) {
        if (region.pages == null) {
            return true;
        }
        MemorySegment first = region.pages.resolved().segment(0);
        return first != null && first.scope().isAlive();
    }

    private boolean refuseAccess(QueuePair pair, WorkRequest request) {
        request.reply(Reply.NAK_REMOTE_ACCESS_ERROR);
        core.event(EventType.QP_ACCESS_ERR, pair.handle);
        sendPath.enterError(pair);
        return false;
    }

    private boolean refuse(QueuePair pair, WorkRequest request, Reply reply) {
        request.reply(reply);
        core.event(EventType.QP_REQ_ERR, pair.handle);
        sendPath.enterError(pair);
        return false;
    }

    // --- receives

    /** Looks at the next receive work request; answers when there is none. */
    private boolean nextReceive(QueuePair pair, WorkRequest request, GuestPages.Resolved resolved) {
        WorkRing ring = pair.receives;
        if (!ring.look(resolved)) {
            request.reply(Reply.NAK_REMOTE_OPERATIONAL_ERROR);
            sendPath.breakDown(pair);
            return false;
        }
        if (ring.isEmpty()) {
            request.replyNotReady(pair.attributes.minRnrTimer);
            return false;
        }
        MemorySegment segment = ring.segment(resolved);
        if (segment == null) {
            request.reply(Reply.NAK_REMOTE_OPERATIONAL_ERROR);
            sendPath.breakDown(pair);
            return false;
        }
        long at = ring.within(resolved);
        receiveWrId = RqWqe.wrId(segment, at);
        receiveElements = RqWqe.numSge(segment, at);
        return true;
    }

    /** Makes the receive's memory the target; gives the status that the receive fails with if it does not fit. */
    private int receiveTarget(QueuePair pair, long length, GuestPages.Resolved resolved) {
        MemorySegment segment = pair.receives.segment(resolved);
        if (segment == null || Integer.compareUnsigned(receiveElements, pair.size.maxRecvSge()) > 0) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        int status = target.read(
                segment,
                pair.receives.within(resolved) + RqWqe.SIZE,
                receiveElements,
                length,
                core.regions,
                pair.pd,
                AccessFlags.ACCESS_LOCAL_WRITE);
        if (status == WcStatus.SUCCESS && target.total() < length) {
            return WcStatus.LOC_LEN_ERR;
        }
        return status;
    }

    /** Completes the receive. When the completion queue overran, the queue pair stops, but the message was executed: true. */
    private boolean completeReceive(
            QueuePair pair, WorkRequest request, GuestPages.Resolved resolved, int opcode, int status, long length) {
        pair.receives.fetch();
        pair.receives.release(resolved);
        boolean withImmediate =
                request.opcode == WrOpcode.SEND_WITH_IMM || request.opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
        boolean completed = core.complete(
                pair.receiveCq,
                pair,
                receiveWrId,
                opcode,
                status,
                length,
                withImmediate ? request.immediate : 0,
                withImmediate ? WcFlags.WITH_IMM : 0,
                request.solicited || status != WcStatus.SUCCESS);
        if (!completed) {
            sendPath.enterError(pair);
        }
        return true;
    }
}
