// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.AddressVector;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.Grh;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.SendFlags;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WcFlags;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.abi.WcStatus;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.roce.Psn;

/**
 * Datagrams, of UD and GSI queue pairs. Sending copies the message into the receiving device's inbox, and is then complete,
 * whether anybody receives it or not. Receiving copies it from there into a receive, or drops it without a word (IBTA volume 1,
 * section 9.8.3): no such queue pair, not in a state to receive, another Q_Key, no receive.
 */
final class DatagramPath {
    /** Datagrams sent in one go, and received in one go. */
    private static final int SEND_QUANTUM = 64;

    private static final int RECEIVE_QUANTUM = DatagramInbox.PLACES;

    /** No status: the receiving device has no room for the moment. */
    private static final int CONGESTED = -1;

    private static final int PORT_SHIFT = 24;
    private static final int PD_MASK = (1 << PORT_SHIFT) - 1;
    private static final int SL_SHIFT = 28;

    /** In a Q_Key that a work request names: use the queue pair's (IBTA volume 1, section 10.2.5). */
    private static final int OWN_QKEY = 1 << 31;

    private final DeviceCore core;
    private final Stopping stopping;
    private final Receives receives;
    private final SgeList inboxList = new SgeList(1);

    DatagramPath(DeviceCore core, Stopping stopping, Receives receives) {
        this.core = core;
        this.stopping = stopping;
        this.receives = receives;
    }

    /**
     * Does what can be done for a queue pair's send queue.
     *
     * @param posted whether the guest may have posted something
     */
    void serve(QueuePair pair, boolean posted) {
        switch (pair.state) {
            case QpState.ERR -> stopping.flush(pair);
            case QpState.SQE -> stopping.flushSends(pair);
            case QpState.RTS -> {
                if (posted || pair.sendsLeft) {
                    send(pair);
                }
            }
            case QpState.SQD -> {
                if (pair.notifyDrained) { // what was sent is complete
                    pair.notifyDrained = false;
                    core.event(EventType.SQ_DRAINED, pair.handle);
                }
            }
            default -> {}
        }
    }

    // --- sending

    private void send(QueuePair pair) {
        WorkRing ring = pair.sends;
        GuestPages.Resolved resolved = ring.resolved();
        if (!ring.look(resolved)) {
            stopping.breakDown(pair);
            return;
        }
        for (int i = 0; i < SEND_QUANTUM && !ring.isEmpty(); i++) {
            MemorySegment segment = ring.segment(resolved);
            if (segment == null) {
                stopping.breakDown(pair);
                return;
            }
            WorkRequest request = pair.window[0];
            int status = send(pair, segment, ring.within(resolved), request);
            if (status == CONGESTED) {
                pair.sendsLeft = true;
                pair.lookAgainNs = core.nowNs() + Stopping.LOOK_AGAIN_NS;
                return;
            }
            ring.fetch();
            ring.release(resolved);
            boolean completed = (status == WcStatus.SUCCESS && !request.signaled)
                    || core.complete(
                            pair.sendCq,
                            pair,
                            request.wrId,
                            Stopping.completionOpcode(request.opcode),
                            status,
                            status == WcStatus.SUCCESS ? request.local.total() : 0,
                            0,
                            0,
                            status != WcStatus.SUCCESS);
            if (!completed) {
                stopping.enterError(pair);
                return;
            }
            if (status != WcStatus.SUCCESS) {
                stopping.enterSendQueueError(pair);
                return;
            }
        }
        pair.sendsLeft = !ring.isEmpty();
        if (pair.sendsLeft) {
            core.tell(core, pair.answersLetter());
        }
    }

    /** Sends one datagram; gives its status, or {@link #CONGESTED}. */
    private int send(QueuePair pair, MemorySegment segment, long at, WorkRequest request) {
        request.readHead(segment, at, pair.signalAll);
        long vector = at + SqWqe.UD_AV_OFFSET;
        int portAndPd = AddressVector.portPd(segment, vector);
        int gidIndex = AddressVector.gidIndex(segment, vector);
        // IBTA volume 1, section 11.2.2.1: an address handle serves queue pairs of its own protection domain
        if (!isSend(pair, request.opcode)
                || (request.flags & SendFlags.INLINE) != 0
                || Integer.compareUnsigned(request.elements, pair.size.maxSendSge()) > 0
                || portAndPd >>> PORT_SHIFT != 1
                || (portAndPd & PD_MASK) != pair.pd.handle
                || !core.gids.isBound(gidIndex)) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        SgeList local = request.local;
        int status = local.read(segment, at + SqWqe.SIZE, request.elements, Long.MAX_VALUE, core.regions, pair.pd, 0);
        if (status != WcStatus.SUCCESS || local.total() > core.maxDatagram) {
            return status; // what is longer than the port's MTU is not sent, and is no error (IBTA volume 1,
            // C10-93.1.1)
        }
        return send(pair, segment, at, request, gidIndex);
    }

    private static boolean isSend(QueuePair pair, int opcode) {
        return opcode == WrOpcode.SEND || (opcode == WrOpcode.SEND_WITH_IMM && pair.type == QpType.UD);
    }

    private int send(QueuePair pair, MemorySegment segment, long at, WorkRequest request, int gidIndex) {
        long vector = at + SqWqe.UD_AV_OFFSET;
        long dgidHigh = AddressVector.dgidHigh(segment, vector);
        long dgidLow = AddressVector.dgidLow(segment, vector);
        int route = AddressVector.slTclassFlowlabel(segment, vector);
        int qkey = SqWqe.udRemoteQkey(segment, at);
        int destinationQpn = SqWqe.udRemoteQpn(segment, at) & PD_MASK;
        int hopLimit = AddressVector.hopLimit(segment, vector);
        // From here to publish nothing may fail: a place that is not published holds up all senders. So no look at the
        // guest's rings.
        pair.datagramPsn = Psn.plus(pair.datagramPsn, 1);
        DeviceCore device = pair.datagramRoute(dgidHigh, dgidLow);
        DatagramInbox inbox = device == null ? null : device.inbox;
        if (inbox == null) {
            return WcStatus.SUCCESS; // sent, and nobody is there
        }
        long number = inbox.claim();
        if (number < 0) {
            pair.datagramPsn = Psn.plus(pair.datagramPsn, -1);
            return CONGESTED;
        }
        int bytes = (int) request.local.total();
        inboxList.clear();
        inboxList.add(inbox.region(), inbox.at(number) + Grh.SIZE, bytes);
        Dma.Fault fault = bytes > device.maxDatagram
                ? Dma.Fault.TARGET // lost: longer than what the port at the other end takes
                : SgeList.copy(request.local, inboxList, bytes);
        int place = DatagramInbox.index(number);
        if (fault == Dma.Fault.NONE) {
            long sgidHigh = core.gids.high(gidIndex);
            long sgidLow = core.gids.low(gidIndex);
            boolean withImmediate = request.hasImmediate();
            int network =
                    DatagramHeader.networkType(core.configuration.gidType(), sgidHigh, sgidLow, dgidHigh, dgidLow);
            DatagramHeader.write(
                    inbox.memory(),
                    inbox.at(number),
                    network,
                    sgidHigh,
                    sgidLow,
                    dgidHigh,
                    dgidLow,
                    route & (1 << SL_SHIFT) - 1,
                    hopLimit,
                    bytes,
                    withImmediate);
            inbox.destinationQpn[place] = destinationQpn;
            inbox.qkey[place] = (qkey & OWN_QKEY) != 0 ? pair.attributes.qkey : qkey;
            inbox.sourceQpn[place] = pair.qpn;
            inbox.payloadBytes[place] = bytes;
            inbox.immediate[place] = withImmediate ? request.immediate : 0;
            inbox.completionFlags[place] = CompletionQueue.flags(
                    WcFlags.GRH | (withImmediate ? WcFlags.WITH_IMM : 0), network, route >>> SL_SHIFT);
            inbox.solicited[place] = request.isSolicited();
        } else {
            inbox.destinationQpn[place] = 0; // nobody's: queue pair 0 does not exist
        }
        inbox.publish(number);
        core.tell(device, device.inboxLetter());
        return fault == Dma.Fault.SOURCE ? WcStatus.LOC_PROT_ERR : WcStatus.SUCCESS;
    }

    // --- receiving

    /** Takes out of the inbox what has come in. */
    void deliver() {
        DatagramInbox inbox = core.inbox;
        if (inbox == null) {
            return;
        }
        long number = inbox.arrived();
        for (int i = 0; i < RECEIVE_QUANTUM && number >= 0; i++) {
            try {
                deliver(inbox, number);
            } finally {
                inbox.release();
            }
            number = inbox.arrived();
        }
        if (number >= 0) {
            core.tell(core, core.inboxLetter());
        }
    }

    private void deliver(DatagramInbox inbox, long number) {
        int place = DatagramInbox.index(number);
        QueuePair pair = core.byNumber(inbox.destinationQpn[place]);
        if (pair == null || !pair.isDatagram() || !pair.receivesMessages() || !core.port.isFlowing()) {
            return; // a datagram that finds nobody, or comes when the port is down, is lost
        }
        if (inbox.qkey[place] != pair.attributes.qkey) {
            core.qkeyViolations++;
            return;
        }
        try {
            receive(pair, inbox, number);
        } catch (RuntimeException | InternalError e) {
            core.ringsGone(pair, e);
        }
    }

    private void receive(QueuePair pair, DatagramInbox inbox, long number) {
        GuestPages.Resolved resolved = pair.receives.resolved();
        switch (receives.next(pair, resolved)) {
            case RECEIVE -> {}
            case NONE -> {
                return;
            }
            case BROKEN -> {
                stopping.breakDown(pair);
                return;
            }
        }
        int place = DatagramInbox.index(number);
        int bytes = Grh.SIZE + inbox.payloadBytes[place];
        int status = receives.open(pair, bytes, resolved);
        if (status == WcStatus.SUCCESS) {
            inboxList.clear();
            inboxList.add(inbox.region(), inbox.at(number), bytes);
            if (SgeList.copy(inboxList, receives.target(), bytes) != Dma.Fault.NONE) {
                status = WcStatus.LOC_PROT_ERR;
            }
        }
        boolean received = status == WcStatus.SUCCESS;
        boolean completed = core.complete(
                pair.receiveCq,
                pair,
                receives.take(pair, resolved),
                WcOpcode.RECV,
                status,
                received ? bytes : 0,
                received ? inbox.immediate[place] : 0,
                received ? inbox.completionFlags[place] | (pair.pd.isKernel() ? WcFlags.WITH_NETWORK_HDR_TYPE : 0) : 0,
                inbox.solicited[place] || !received,
                inbox.sourceQpn[place]);
        if (!completed || !received) {
            stopping.enterError(pair); // a receive that fails is an error of the whole queue pair, unlike a send
        }
    }
}
