// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;

/** Transitions and attributes in the layout of the device. */
final class QueuePairForm {
    private static final int AH_GRH = 1;

    /** A new {@link QpAttr} with what a transition holds. */
    static MemorySegment of(Transition transition) {
        MemorySegment s = MemorySegment.ofArray(new byte[QpAttr.SIZE]);
        QpAttr.qpState(s, 0, transition.target().code());
        switch (transition) {
            case Transition.Init init -> {
                QpAttr.portNum(s, 0, init.port());
                QpAttr.pkeyIndex(s, 0, init.pkeyIndex());
                QpAttr.qpAccessFlags(s, 0, Attributes.accessFlags(init.access()));
            }
            case Transition.ReadyToReceive ready -> {
                write(ready.route(), s, QpAttr.AH_ATTR_OFFSET);
                QpAttr.destQpNum(s, 0, ready.remoteQpn());
                QpAttr.rqPsn(s, 0, ready.psn());
                QpAttr.pathMtu(s, 0, ready.mtu().code());
                QpAttr.maxDestRdAtomic(s, 0, ready.maxReads());
                QpAttr.minRnrTimer(s, 0, ready.rnrTimer().code());
            }
            case Transition.ReadyToSend ready -> {
                QpAttr.sqPsn(s, 0, ready.psn());
                QpAttr.timeout(s, 0, ready.timeout().code());
                QpAttr.retryCnt(s, 0, ready.retries());
                QpAttr.rnrRetry(s, 0, ready.rnrRetries());
                QpAttr.maxRdAtomic(s, 0, ready.maxReads());
            }
            case Transition.DatagramInit init -> {
                QpAttr.portNum(s, 0, init.port());
                QpAttr.pkeyIndex(s, 0, init.pkeyIndex());
                QpAttr.qkey(s, 0, init.qkey());
            }
            case Transition.DatagramReadyToReceive ready -> {}
            case Transition.DatagramReadyToSend ready -> QpAttr.sqPsn(s, 0, ready.psn());
            case Transition.UnreliableReadyToReceive ready -> {
                write(ready.route(), s, QpAttr.AH_ATTR_OFFSET);
                QpAttr.destQpNum(s, 0, ready.remoteQpn());
                QpAttr.rqPsn(s, 0, ready.psn());
                QpAttr.pathMtu(s, 0, ready.mtu().code());
            }
            case Transition.UnreliableReadyToSend ready -> QpAttr.sqPsn(s, 0, ready.psn());
            case Transition.XrcReceiveReadyToSend ready -> {
                QpAttr.sqPsn(s, 0, ready.psn());
                QpAttr.timeout(s, 0, ready.timeout().code());
            }
            case Transition.DrainSend drain -> QpAttr.enSqdAsyncNotify(s, 0, drain.raiseEvent() ? 1 : 0);
            case Transition.Resume resume -> {}
            case Transition.ToError error -> {}
            case Transition.ToReset reset -> {}
        }
        return s;
    }

    /** Writes an {@link AhAttr}. */
    static void write(Route route, MemorySegment s, long ah) {
        AhAttr.dlid(s, ah, route.destinationLid());
        AhAttr.sl(s, ah, route.serviceLevel());
        AhAttr.portNum(s, ah, route.port());
        if (route.isGlobal()) {
            AhAttr.ahFlags(s, ah, AH_GRH);
            long grh = ah + AhAttr.GRH_OFFSET;
            GlobalRoute.dgidHigh(s, grh, route.destination().high());
            GlobalRoute.dgidLow(s, grh, route.destination().low());
            GlobalRoute.flowLabel(s, grh, route.flowLabel());
            GlobalRoute.sgidIndex(s, grh, route.sourceGidIndex());
            GlobalRoute.hopLimit(s, grh, route.hopLimit());
            GlobalRoute.trafficClass(s, grh, route.trafficClass());
        }
    }

    /**
     * Reads a {@link QpAttr}.
     *
     * @param s what the device answered
     * @param capacity the sizes, which the provider knows itself
     */
    static QueuePairAttributes read(MemorySegment s, QueuePairCapacity capacity) {
        int mtu = QpAttr.pathMtu(s, 0);
        return new QueuePairAttributes(
                QueuePairState.ofCode(QpAttr.qpState(s, 0)),
                capacity,
                Attributes.access(QpAttr.qpAccessFlags(s, 0)),
                QpAttr.pkeyIndex(s, 0),
                QpAttr.portNum(s, 0),
                mtu == 0 ? null : Mtu.ofCode(mtu),
                route(s),
                QpAttr.destQpNum(s, 0),
                QpAttr.qkey(s, 0),
                QpAttr.rqPsn(s, 0),
                QpAttr.sqPsn(s, 0),
                QpAttr.maxDestRdAtomic(s, 0),
                QpAttr.maxRdAtomic(s, 0),
                new RnrTimer(QpAttr.minRnrTimer(s, 0)),
                new AckTimeout(QpAttr.timeout(s, 0)),
                QpAttr.retryCnt(s, 0),
                QpAttr.rnrRetry(s, 0));
    }

    private static @Nullable Route route(MemorySegment s) {
        long ah = QpAttr.AH_ATTR_OFFSET;
        if (AhAttr.portNum(s, ah) == 0) {
            return null;
        }
        long grh = ah + AhAttr.GRH_OFFSET;
        return new Route(
                AhAttr.portNum(s, ah),
                GlobalRoute.sgidIndex(s, grh),
                new Gid(GlobalRoute.dgidHigh(s, grh), GlobalRoute.dgidLow(s, grh)),
                AhAttr.dlid(s, ah),
                GlobalRoute.hopLimit(s, grh),
                GlobalRoute.trafficClass(s, grh),
                GlobalRoute.flowLabel(s, grh),
                AhAttr.sl(s, ah));
    }

    private QueuePairForm() {}
}
