// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.QpState;
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
    private final Stopping stopping;
    private final Receives receives;

    /** Where a WRITE goes. */
    private final SgeList target = new SgeList(1);

    ReceivePath(DeviceCore core, Stopping stopping, Receives receives) {
        this.core = core;
        this.stopping = stopping;
        this.receives = receives;
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
                if (request.isAtomic()) {
                    repeatAtomic(pair, request);
                } else if (request.awaitsData()) {
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
            case WrOpcode.SEND_WITH_INV -> sendWithInvalidate(pair, request);
            case WrOpcode.RDMA_READ -> admitRead(pair, request);
            case WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD -> atomic(pair, request);
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
        if (!allows(pair, AccessFlags.ACCESS_REMOTE_WRITE)) {
            return refuse(pair, request, Reply.NAK_INVALID_REQUEST);
        }
        if (!findTarget(pair, request, AccessFlags.ACCESS_REMOTE_WRITE)) {
            return refuseAccess(pair, request);
        }
        return transfer(pair, request);
    }

    private boolean writeWithImmediate(QueuePair pair, WorkRequest request) {
        if (!allows(pair, AccessFlags.ACCESS_REMOTE_WRITE)) {
            return refuse(pair, request, Reply.NAK_INVALID_REQUEST);
        }
        if (!findTarget(pair, request, AccessFlags.ACCESS_REMOTE_WRITE)) {
            return refuseAccess(pair, request);
        }
        GuestPages.Resolved resolved = pair.receives.resolved();
        if (!nextReceive(pair, request, resolved) || !transfer(pair, request)) {
            return false;
        }
        completeReceive(pair, request, resolved, WcOpcode.RECV_RDMA_WITH_IMM, WcStatus.SUCCESS, request.length());
        return true;
    }

    /** A SEND that takes the memory from one of the receiver's regions before the receiver hears of it. */
    private boolean sendWithInvalidate(QueuePair pair, WorkRequest request) {
        return FastRegistration.canInvalidate(core, pair.pd, request.immediate)
                ? send(pair, request)
                : refuseAccess(pair, request);
    }

    private boolean send(QueuePair pair, WorkRequest request) {
        GuestPages.Resolved resolved = pair.receives.resolved();
        if (!nextReceive(pair, request, resolved)) {
            return false;
        }
        int fault = receives.open(pair, request.length(), resolved);
        if (fault == WcStatus.SUCCESS) {
            switch (SgeList.copy(request.local, receives.target(), request.length())) {
                case NONE -> {
                    request.reply(Reply.ACKNOWLEDGE);
                    if (request.opcode == WrOpcode.SEND_WITH_INV) {
                        FastRegistration.invalidate(core, pair.pd, request.immediate);
                    }
                    completeReceive(pair, request, resolved, WcOpcode.RECV, WcStatus.SUCCESS, request.length());
                    return true;
                }
                case SOURCE -> {
                    request.reply(Reply.REQUESTER_FAULT);
                    return false; // the receive is still there for another message
                }
                case TARGET -> fault = WcStatus.LOC_PROT_ERR;
                case PROCESS -> {
                    return false; // and nobody answers
                }
            }
        }
        request.reply(fault == WcStatus.LOC_LEN_ERR ? Reply.NAK_INVALID_REQUEST : Reply.NAK_REMOTE_OPERATIONAL_ERROR);
        completeReceive(pair, request, resolved, WcOpcode.RECV, fault, 0);
        stopping.enterError(pair);
        return false;
    }

    /** A READ only has to be admitted here; its data are fetched by the requester's owner, into the requester's memory. */
    private boolean admitRead(QueuePair pair, WorkRequest request) {
        if (!allows(pair, AccessFlags.ACCESS_REMOTE_READ) || request.depth() > pair.attributes.maxReadsAsTarget) {
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
            case PROCESS -> false; // and nobody answers
        };
    }

    private boolean atomic(QueuePair pair, WorkRequest request) {
        // IBTA volume 1, section 9.4.5: the target is aligned to its 8 bytes
        if (!core.configuration.atomics()
                || !allows(pair, AccessFlags.ACCESS_REMOTE_ATOMIC)
                || request.depth() > pair.attributes.maxReadsAsTarget
                || (request.remoteAddress & (Long.BYTES - 1)) != 0) {
            return refuse(pair, request, Reply.NAK_INVALID_REQUEST);
        }
        MemoryRegion region = regionOf(pair, request, AccessFlags.ACCESS_REMOTE_ATOMIC);
        if (region == null) {
            return refuseAccess(pair, request);
        }
        return switch (Dma.atomic(region, request)) {
            case NONE -> {
                pair.responder.atomicExecuted(request.psn(), request.original);
                request.reply(Reply.ATOMIC_RESPONSE);
                yield true;
            }
            case PROCESS -> false; // and nobody answers
            case SOURCE, TARGET -> refuseAccess(pair, request);
        };
    }

    /** An atomic operation is executed once: its duplicate gets the same result, or is dropped when nobody knows it any more. */
    private static void repeatAtomic(QueuePair pair, WorkRequest request) {
        if (pair.responder.remembers(request.psn())) {
            request.original = pair.responder.original(request.psn());
            request.reply(Reply.ATOMIC_RESPONSE);
        }
    }

    /**
     * Whether a queue pair takes an operation of its peer at all. One that it does not take is an invalid request, whatever
     * its key is (IBTA volume 1, section 11.6.2).
     */
    private static boolean allows(QueuePair pair, int access) {
        return (pair.attributes.accessFlags & access) != 0;
    }

    /** Checks remote key, range and access, and makes the region the target. An empty message needs no valid key. */
    private boolean findTarget(QueuePair pair, WorkRequest request, int access) {
        target.clear();
        if (request.length() == 0) {
            return true;
        }
        MemoryRegion region = regionOf(pair, request, access);
        if (region == null) {
            return false;
        }
        if (request.awaitsData()) {
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

    /** The region that a request names, if key, range and access allow it. */
    private @Nullable MemoryRegion regionOf(QueuePair pair, WorkRequest request, int access) {
        MemoryRegion region = MemoryRegion.find(core.regions, request.rkey, pair.pd);
        return region != null && region.allows(access) && region.covers(request.remoteAddress, request.length())
                ? region
                : null;
    }

    /** Whether the memory is still there: the requester's owner, who will read it, could not refuse in our name. */
    private static boolean isAlive(MemoryRegion region) {
        if (region.pages == null) {
            return true;
        }
        return region.pages.resolved().isAlive();
    }

    private boolean refuseAccess(QueuePair pair, WorkRequest request) {
        request.reply(Reply.NAK_REMOTE_ACCESS_ERROR);
        core.event(EventType.QP_ACCESS_ERR, pair.handle);
        stopping.enterError(pair);
        return false;
    }

    private boolean refuse(QueuePair pair, WorkRequest request, Reply reply) {
        request.reply(reply);
        core.event(EventType.QP_REQ_ERR, pair.handle);
        stopping.enterError(pair);
        return false;
    }

    // --- receives

    /** Looks at the next receive work request; answers when there is none. */
    private boolean nextReceive(QueuePair pair, WorkRequest request, GuestPages.Resolved resolved) {
        return switch (receives.next(pair, resolved)) {
            case RECEIVE -> true;
            case NONE -> {
                request.replyNotReady(pair.attributes.minRnrTimer);
                yield false;
            }
            case BROKEN -> {
                request.reply(Reply.NAK_REMOTE_OPERATIONAL_ERROR);
                stopping.breakDown(pair);
                yield false;
            }
        };
    }

    /** Completes the receive. When the completion queue overran, the queue pair stops, but the message was executed. */
    private void completeReceive(
            QueuePair pair, WorkRequest request, GuestPages.Resolved resolved, int opcode, int status, long length) {
        int flags = 0;
        if (request.hasImmediate()) {
            flags = WcFlags.WITH_IMM;
        } else if (request.opcode == WrOpcode.SEND_WITH_INV && status == WcStatus.SUCCESS) {
            flags = WcFlags.WITH_INVALIDATE;
        }
        boolean completed = core.complete(
                pair.receiveCq,
                pair,
                receives.take(pair, resolved),
                opcode,
                status,
                length,
                flags == 0 ? 0 : request.immediate,
                flags,
                request.isSolicited() || status != WcStatus.SUCCESS);
        if (!completed) {
            stopping.enterError(pair);
        }
    }
}
