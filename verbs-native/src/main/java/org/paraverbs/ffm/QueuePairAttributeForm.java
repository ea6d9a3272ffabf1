// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.struct.IbvAhAttr;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvGlobalRoute;
import org.paraverbs.ffm.struct.IbvQpAttr;
import org.paraverbs.ffm.struct.IbvQpCap;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;

/** Transitions and attributes of queue pairs in the form of {@code struct ibv_qp_attr}. */
final class QueuePairAttributeForm {

    /** All that {@link #read} looks at; drivers may leave out what is not asked for. */
    static final int ALL = IbvConstants.IBV_QP_STATE
            | IbvConstants.IBV_QP_ACCESS_FLAGS
            | IbvConstants.IBV_QP_PKEY_INDEX
            | IbvConstants.IBV_QP_PORT
            | IbvConstants.IBV_QP_AV
            | IbvConstants.IBV_QP_PATH_MTU
            | IbvConstants.IBV_QP_TIMEOUT
            | IbvConstants.IBV_QP_RETRY_CNT
            | IbvConstants.IBV_QP_RNR_RETRY
            | IbvConstants.IBV_QP_RQ_PSN
            | IbvConstants.IBV_QP_MAX_QP_RD_ATOMIC
            | IbvConstants.IBV_QP_MIN_RNR_TIMER
            | IbvConstants.IBV_QP_SQ_PSN
            | IbvConstants.IBV_QP_MAX_DEST_RD_ATOMIC
            | IbvConstants.IBV_QP_CAP
            | IbvConstants.IBV_QP_DEST_QPN
            | IbvConstants.IBV_QP_QKEY;

    private static final int FIVE_BITS = 0x1f;

    private QueuePairAttributeForm() {}

    /** Writes what a transition says; the mask is {@link org.paraverbs.verbs.spi.QueuePairStateTable#mask}. */
    static void write(Transition transition, MemorySegment attributes) {
        IbvQpAttr.qpState(attributes, transition.target().code());
        switch (transition) {
            case Transition.Init init -> {
                IbvQpAttr.portNum(attributes, init.port());
                IbvQpAttr.pkeyIndex(attributes, init.pkeyIndex());
                IbvQpAttr.qpAccessFlags(attributes, AccessFlags.of(init.access()));
            }
            case Transition.ReadyToReceive ready -> {
                writeRoute(ready.route(), IbvQpAttr.ahAttr(attributes));
                IbvQpAttr.destQpNum(attributes, ready.remoteQpn());
                IbvQpAttr.rqPsn(attributes, ready.psn());
                IbvQpAttr.pathMtu(attributes, ready.mtu().code());
                IbvQpAttr.maxDestRdAtomic(attributes, ready.maxReads());
                IbvQpAttr.minRnrTimer(attributes, ready.rnrTimer().code());
            }
            case Transition.ReadyToSend ready -> {
                IbvQpAttr.sqPsn(attributes, ready.psn());
                IbvQpAttr.timeout(attributes, ready.timeout().code());
                IbvQpAttr.retryCnt(attributes, ready.retries());
                IbvQpAttr.rnrRetry(attributes, ready.rnrRetries());
                IbvQpAttr.maxRdAtomic(attributes, ready.maxReads());
            }
            case Transition.DatagramInit init -> {
                IbvQpAttr.portNum(attributes, init.port());
                IbvQpAttr.pkeyIndex(attributes, init.pkeyIndex());
                IbvQpAttr.qkey(attributes, init.qkey());
            }
            case Transition.DatagramReadyToReceive ready -> {}
            case Transition.DatagramReadyToSend ready -> IbvQpAttr.sqPsn(attributes, ready.psn());
            case Transition.UnreliableReadyToReceive ready -> {
                writeRoute(ready.route(), IbvQpAttr.ahAttr(attributes));
                IbvQpAttr.destQpNum(attributes, ready.remoteQpn());
                IbvQpAttr.rqPsn(attributes, ready.psn());
                IbvQpAttr.pathMtu(attributes, ready.mtu().code());
            }
            case Transition.UnreliableReadyToSend ready -> IbvQpAttr.sqPsn(attributes, ready.psn());
            case Transition.XrcReceiveReadyToSend ready -> {
                IbvQpAttr.sqPsn(attributes, ready.psn());
                IbvQpAttr.timeout(attributes, ready.timeout().code());
            }
            case Transition.DrainSend drain -> IbvQpAttr.enSqdAsyncNotify(attributes, drain.raiseEvent() ? 1 : 0);
            case Transition.Resume resume -> {}
            case Transition.ToError error -> {}
            case Transition.ToReset reset -> {}
        }
    }

    /** Writes a way to a peer as {@code struct ibv_ah_attr}. */
    static void writeRoute(Route route, MemorySegment address) {
        IbvAhAttr.portNum(address, route.port());
        IbvAhAttr.dlid(address, route.destinationLid());
        IbvAhAttr.sl(address, route.serviceLevel());
        IbvAhAttr.isGlobal(address, route.isGlobal() ? 1 : 0);
        MemorySegment global = IbvAhAttr.grh(address);
        IbvGlobalRoute.dgid(global)
                .copyFrom(MemorySegment.ofArray(route.destination().toBytes()));
        IbvGlobalRoute.sgidIndex(global, route.sourceGidIndex());
        IbvGlobalRoute.hopLimit(global, route.hopLimit());
        IbvGlobalRoute.trafficClass(global, route.trafficClass());
        IbvGlobalRoute.flowLabel(global, route.flowLabel());
    }

    /**
     * Reads what {@code ibv_query_qp} answered. Devices keep attributes of an earlier life after a reset, so what has no
     * meaning in the state is left out.
     *
     * @param attributes the answer
     * @param capacity the sizes, which do not change
     */
    static QueuePairAttributes read(MemorySegment attributes, QueuePairCapacity capacity) {
        QueuePairState state = QueuePairState.ofCode(IbvQpAttr.qpState(attributes));
        boolean bound = state != QueuePairState.RESET;
        boolean connected = bound && state != QueuePairState.INIT;
        boolean sending = connected && state != QueuePairState.READY_TO_RECEIVE;
        return new QueuePairAttributes(
                state,
                capacity,
                bound ? AccessFlags.toSet(IbvQpAttr.qpAccessFlags(attributes)) : Set.of(),
                bound ? IbvQpAttr.pkeyIndex(attributes) : 0,
                bound ? IbvQpAttr.portNum(attributes) : 0,
                connected ? mtu(IbvQpAttr.pathMtu(attributes)) : null,
                connected ? readRoute(IbvQpAttr.ahAttr(attributes)) : null,
                connected ? IbvQpAttr.destQpNum(attributes) : 0,
                bound ? IbvQpAttr.qkey(attributes) : 0,
                connected ? IbvQpAttr.rqPsn(attributes) : 0,
                sending ? IbvQpAttr.sqPsn(attributes) : 0,
                connected ? IbvQpAttr.maxDestRdAtomic(attributes) : 0,
                sending ? IbvQpAttr.maxRdAtomic(attributes) : 0,
                new RnrTimer(connected ? IbvQpAttr.minRnrTimer(attributes) & FIVE_BITS : 0),
                new AckTimeout(sending ? IbvQpAttr.timeout(attributes) & FIVE_BITS : 0),
                sending ? IbvQpAttr.retryCnt(attributes) : 0,
                sending ? IbvQpAttr.rnrRetry(attributes) : 0);
    }

    /** In ERR a queue pair may never have had a path. */
    private static @Nullable Mtu mtu(int code) {
        return code >= Mtu.MTU_256.code() && code <= Mtu.MTU_4096.code() ? Mtu.ofCode(code) : null;
    }

    private static @Nullable Route readRoute(MemorySegment address) {
        int port = IbvAhAttr.portNum(address);
        if (port == 0) {
            return null;
        }
        MemorySegment global = IbvAhAttr.grh(address);
        boolean isGlobal = IbvAhAttr.isGlobal(address) != 0;
        return new Route(
                port,
                IbvGlobalRoute.sgidIndex(global),
                isGlobal ? Gid.of(IbvGlobalRoute.dgid(global).toArray(ValueLayout.JAVA_BYTE)) : Gid.EMPTY,
                IbvAhAttr.dlid(address),
                IbvGlobalRoute.hopLimit(global),
                IbvGlobalRoute.trafficClass(global),
                // The device's answer is not ours to refuse: 20 and 4 bits are all that there is.
                IbvGlobalRoute.flowLabel(global) & 0xf_ffff,
                IbvAhAttr.sl(address) & 0xf);
    }

    /** The sizes that {@code ibv_create_qp} was given, or wrote back. */
    static QueuePairCapacity readCapacity(MemorySegment capacity) {
        return new QueuePairCapacity(
                IbvQpCap.maxSendWr(capacity),
                IbvQpCap.maxRecvWr(capacity),
                IbvQpCap.maxSendSge(capacity),
                IbvQpCap.maxRecvSge(capacity),
                IbvQpCap.maxInlineData(capacity));
    }

    static void writeCapacity(QueuePairCapacity asked, MemorySegment capacity) {
        IbvQpCap.maxSendWr(capacity, asked.maxSends());
        IbvQpCap.maxRecvWr(capacity, asked.maxReceives());
        IbvQpCap.maxSendSge(capacity, asked.maxSendElements());
        IbvQpCap.maxRecvSge(capacity, asked.maxReceiveElements());
        IbvQpCap.maxInlineData(capacity, asked.maxInlineSize());
    }
}
