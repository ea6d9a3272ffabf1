// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.paraverbs.pvrdma.front.uverbs.Protocol.INT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.front.uverbs.Uverbs.Destination;
import org.paraverbs.pvrdma.front.uverbs.Uverbs.ModifyQp;
import org.paraverbs.pvrdma.front.uverbs.Uverbs.QueryQp;

/** The attributes of a queue pair in the layouts of uverbs and of the device. */
final class QueuePairAttributesForm {
    private static final int AH_GRH = 1;
    private static final int GID_BYTES = 16;

    /** What a program wants to modify. Fields that the mask does not name are whatever the program's stack held. */
    static void read(Commands.Call call, MemorySegment attributes) {
        QpAttr.qpState(attributes, 0, call.int8(ModifyQp.QP_STATE));
        QpAttr.curQpState(attributes, 0, call.int8(ModifyQp.CUR_QP_STATE));
        QpAttr.pathMtu(attributes, 0, call.int8(ModifyQp.PATH_MTU));
        QpAttr.pathMigState(attributes, 0, call.int8(ModifyQp.PATH_MIG_STATE));
        QpAttr.qkey(attributes, 0, call.int32(ModifyQp.QKEY));
        QpAttr.rqPsn(attributes, 0, call.int32(ModifyQp.RQ_PSN));
        QpAttr.sqPsn(attributes, 0, call.int32(ModifyQp.SQ_PSN));
        QpAttr.destQpNum(attributes, 0, call.int32(ModifyQp.DEST_QP_NUM));
        QpAttr.qpAccessFlags(attributes, 0, call.int32(ModifyQp.QP_ACCESS_FLAGS));
        QpAttr.pkeyIndex(attributes, 0, call.int16(ModifyQp.PKEY_INDEX));
        QpAttr.altPkeyIndex(attributes, 0, call.int16(ModifyQp.ALT_PKEY_INDEX));
        QpAttr.enSqdAsyncNotify(attributes, 0, call.int8(ModifyQp.EN_SQD_ASYNC_NOTIFY));
        QpAttr.maxRdAtomic(attributes, 0, call.int8(ModifyQp.MAX_RD_ATOMIC));
        QpAttr.maxDestRdAtomic(attributes, 0, call.int8(ModifyQp.MAX_DEST_RD_ATOMIC));
        QpAttr.minRnrTimer(attributes, 0, call.int8(ModifyQp.MIN_RNR_TIMER));
        QpAttr.portNum(attributes, 0, call.int8(ModifyQp.PORT_NUM));
        QpAttr.timeout(attributes, 0, call.int8(ModifyQp.TIMEOUT));
        QpAttr.retryCnt(attributes, 0, call.int8(ModifyQp.RETRY_CNT));
        QpAttr.rnrRetry(attributes, 0, call.int8(ModifyQp.RNR_RETRY));
        QpAttr.altPortNum(attributes, 0, call.int8(ModifyQp.ALT_PORT_NUM));
        QpAttr.altTimeout(attributes, 0, call.int8(ModifyQp.ALT_TIMEOUT));
        read(call, ModifyQp.DEST, attributes, QpAttr.AH_ATTR_OFFSET);
        read(call, ModifyQp.ALT_DEST, attributes, QpAttr.ALT_AH_ATTR_OFFSET);
    }

    private static void read(Commands.Call call, long from, MemorySegment attributes, long ah) {
        long grh = ah + AhAttr.GRH_OFFSET;
        MemorySegment.copy(call.in, from + Destination.DGID, attributes, grh + GlobalRoute.DGID_OFFSET, GID_BYTES);
        GlobalRoute.flowLabel(attributes, grh, call.int32(from + Destination.FLOW_LABEL));
        GlobalRoute.sgidIndex(attributes, grh, call.int8(from + Destination.SGID_INDEX));
        GlobalRoute.hopLimit(attributes, grh, call.int8(from + Destination.HOP_LIMIT));
        GlobalRoute.trafficClass(attributes, grh, call.int8(from + Destination.TRAFFIC_CLASS));
        AhAttr.dlid(attributes, ah, call.int16(from + Destination.DLID));
        AhAttr.sl(attributes, ah, call.int8(from + Destination.SL));
        AhAttr.srcPathBits(attributes, ah, call.int8(from + Destination.SRC_PATH_BITS));
        AhAttr.staticRate(attributes, ah, call.int8(from + Destination.STATIC_RATE));
        AhAttr.ahFlags(attributes, ah, call.int8(from + Destination.IS_GLOBAL) != 0 ? AH_GRH : 0);
        AhAttr.portNum(attributes, ah, call.int8(from + Destination.PORT_NUM));
    }

    /** {@code struct ib_uverbs_query_qp_resp}. */
    static void write(MemorySegment attributes, RingObject pair, Commands.Call call) {
        MemorySegment out = call.out;
        write(attributes, QpAttr.AH_ATTR_OFFSET, out, QueryQp.DEST);
        write(attributes, QpAttr.ALT_AH_ATTR_OFFSET, out, QueryQp.ALT_DEST);
        out.set(INT, QueryQp.MAX_SEND_WR, pair.capacity(0));
        out.set(INT, QueryQp.MAX_RECV_WR, pair.capacity(1));
        out.set(INT, QueryQp.MAX_SEND_SGE, pair.capacity(2));
        out.set(INT, QueryQp.MAX_RECV_SGE, pair.capacity(3));
        out.set(INT, QueryQp.QKEY, QpAttr.qkey(attributes, 0));
        out.set(INT, QueryQp.RQ_PSN, QpAttr.rqPsn(attributes, 0));
        out.set(INT, QueryQp.SQ_PSN, QpAttr.sqPsn(attributes, 0));
        out.set(INT, QueryQp.DEST_QP_NUM, QpAttr.destQpNum(attributes, 0));
        out.set(INT, QueryQp.QP_ACCESS_FLAGS, QpAttr.qpAccessFlags(attributes, 0));
        out.set(ValueLayout.JAVA_SHORT_UNALIGNED, QueryQp.PKEY_INDEX, (short) QpAttr.pkeyIndex(attributes, 0));
        out.set(ValueLayout.JAVA_SHORT_UNALIGNED, QueryQp.ALT_PKEY_INDEX, (short) QpAttr.altPkeyIndex(attributes, 0));
        set(out, QueryQp.QP_STATE, QpAttr.qpState(attributes, 0));
        set(out, QueryQp.CUR_QP_STATE, QpAttr.qpState(attributes, 0));
        set(out, QueryQp.PATH_MTU, QpAttr.pathMtu(attributes, 0));
        set(out, QueryQp.PATH_MIG_STATE, QpAttr.pathMigState(attributes, 0));
        set(out, QueryQp.SQ_DRAINING, QpAttr.sqDraining(attributes, 0));
        set(out, QueryQp.MAX_RD_ATOMIC, QpAttr.maxRdAtomic(attributes, 0));
        set(out, QueryQp.MAX_DEST_RD_ATOMIC, QpAttr.maxDestRdAtomic(attributes, 0));
        set(out, QueryQp.MIN_RNR_TIMER, QpAttr.minRnrTimer(attributes, 0));
        set(out, QueryQp.PORT_NUM, QpAttr.portNum(attributes, 0));
        set(out, QueryQp.TIMEOUT, QpAttr.timeout(attributes, 0));
        set(out, QueryQp.RETRY_CNT, QpAttr.retryCnt(attributes, 0));
        set(out, QueryQp.RNR_RETRY, QpAttr.rnrRetry(attributes, 0));
        set(out, QueryQp.ALT_PORT_NUM, QpAttr.altPortNum(attributes, 0));
        set(out, QueryQp.ALT_TIMEOUT, QpAttr.altTimeout(attributes, 0));
        set(out, QueryQp.SQ_SIG_ALL, pair.capacity(4));
        call.length = QueryQp.RESPONSE_SIZE;
    }

    private static void write(MemorySegment attributes, long ah, MemorySegment out, long to) {
        long grh = ah + AhAttr.GRH_OFFSET;
        MemorySegment.copy(attributes, grh + GlobalRoute.DGID_OFFSET, out, to + Destination.DGID, GID_BYTES);
        out.set(INT, to + Destination.FLOW_LABEL, GlobalRoute.flowLabel(attributes, grh));
        out.set(ValueLayout.JAVA_SHORT_UNALIGNED, to + Destination.DLID, (short) AhAttr.dlid(attributes, ah));
        set(out, to + Destination.SGID_INDEX, GlobalRoute.sgidIndex(attributes, grh));
        set(out, to + Destination.HOP_LIMIT, GlobalRoute.hopLimit(attributes, grh));
        set(out, to + Destination.TRAFFIC_CLASS, GlobalRoute.trafficClass(attributes, grh));
        set(out, to + Destination.SL, AhAttr.sl(attributes, ah));
        set(out, to + Destination.SRC_PATH_BITS, AhAttr.srcPathBits(attributes, ah));
        set(out, to + Destination.STATIC_RATE, AhAttr.staticRate(attributes, ah));
        set(out, to + Destination.IS_GLOBAL, AhAttr.ahFlags(attributes, ah) & AH_GRH);
        set(out, to + Destination.PORT_NUM, AhAttr.portNum(attributes, ah));
    }

    private static void set(MemorySegment out, long at, int value) {
        out.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    private QueuePairAttributesForm() {}
}
