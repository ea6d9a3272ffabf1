// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpCap;
import org.paraverbs.pvrdma.abi.QpState;

/** Writes what QUERY_QP answers. */
final class QueuePairQuery {
    static void write(QueuePair pair, MemorySegment s, long attr) {
        QueuePairAttributes attributes = pair.attributes;
        Connection peer = pair.connection;
        QpAttr.qpState(s, attr, pair.state);
        QpAttr.curQpState(s, attr, pair.state);
        QpAttr.pathMtu(s, attr, attributes.pathMtu);
        QpAttr.pathMigState(s, attr, attributes.pathMigState);
        QpAttr.qkey(s, attr, attributes.qkey);
        QpAttr.rqPsn(s, attr, pair.responder.expectedPsn());
        QpAttr.sqPsn(s, attr, pair.isDatagram() ? pair.datagramPsn : pair.requester.nextPsn());
        QpAttr.destQpNum(s, attr, peer == null ? 0 : peer.qpn());
        QpAttr.qpAccessFlags(s, attr, attributes.accessFlags);
        QpAttr.pkeyIndex(s, attr, attributes.pkeyIndex);
        QpAttr.enSqdAsyncNotify(s, attr, pair.notifyDrained ? 1 : 0);
        QpAttr.sqDraining(s, attr, pair.state == QpState.SQD && !pair.requester.isEmpty() ? 1 : 0);
        QpAttr.maxRdAtomic(s, attr, attributes.maxReads);
        QpAttr.maxDestRdAtomic(s, attr, attributes.maxReadsAsTarget);
        QpAttr.minRnrTimer(s, attr, attributes.minRnrTimer);
        QpAttr.portNum(s, attr, attributes.portNum);
        QpAttr.timeout(s, attr, attributes.timeout);
        QpAttr.retryCnt(s, attr, attributes.retryCount);
        QpAttr.rnrRetry(s, attr, attributes.rnrRetry);
        long cap = attr + QpAttr.CAP_OFFSET;
        QpCap.maxSendWr(s, cap, pair.size.maxSendWr());
        QpCap.maxRecvWr(s, cap, pair.size.maxRecvWr());
        QpCap.maxSendSge(s, cap, pair.size.maxSendSge());
        QpCap.maxRecvSge(s, cap, pair.size.maxRecvSge());
        MemorySegment.copy(
                MemorySegment.ofArray(attributes.addressVector),
                0,
                s,
                attr + QpAttr.AH_ATTR_OFFSET,
                attributes.addressVector.length);
    }

    private QueuePairQuery() {}
}
