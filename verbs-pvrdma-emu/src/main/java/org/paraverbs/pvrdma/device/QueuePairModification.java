// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.roce.Psn;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.spi.QueuePairStateTable;

/**
 * MODIFY_QP: everything is checked before anything is changed. Attributes that the mask does not name are never looked
 * at: drivers leave garbage in them.
 */
final class QueuePairModification {
    private static final int AH_GRH = 1;
    private static final int MAX_TIMER_CODE = 31;
    private static final int MAX_RETRIES = 7;
    private static final int MAX_QPN = 0xff_ffff;
    private static final int REMOTE_ACCESS = AccessFlags.ACCESS_LOCAL_WRITE
            | AccessFlags.ACCESS_REMOTE_WRITE
            | AccessFlags.ACCESS_REMOTE_READ
            | AccessFlags.ACCESS_REMOTE_ATOMIC;

    private static final QueuePairStateTable CONNECTED = QueuePairStateTable.of(QueuePairType.RELIABLE_CONNECTION);
    private static final QueuePairStateTable DATAGRAM = QueuePairStateTable.of(QueuePairType.UNRELIABLE_DATAGRAM);

    /** {@code IB_QP_ATTR_STANDARD_BITS} of the kernel: what lies beyond is no attribute of the specification. */
    private static final int STANDARD_BITS = (QpAttrMask.DEST_QPN << 1) - 1;

    private final DeviceCore core;

    QueuePairModification(DeviceCore core) {
        this.core = core;
    }

    void apply(QueuePair pair, int mask, MemorySegment s, long attr) throws RefusedException {
        if ((mask & ~STANDARD_BITS) != 0) {
            throw new RefusedException(
                    Errno.EOPNOTSUPP,
                    "attributes beyond the specification's: mask 0x" + Integer.toHexString(mask & ~STANDARD_BITS));
        }
        int from = pair.state;
        if (named(mask, QpAttrMask.CUR_STATE) && QpAttr.curQpState(s, attr) != from) {
            throw RefusedException.invalid("the queue pair is in " + name(from));
        }
        int to = named(mask, QpAttrMask.STATE) ? QpAttr.qpState(s, attr) : from;
        String fault = fault(pair, from, to, mask);
        if (fault != null) {
            throw RefusedException.invalid(name(from) + " -> " + name(to) + ": " + fault);
        }
        check(mask, s, attr);
        if (from == QpState.SQD && to == QpState.SQD && named(mask, QpAttrMask.AV) && !pair.requester.isEmpty()) {
            // what has begun would go on to another peer
            throw RefusedException.invalid("the send queue is not drained: wait for the event SQ_DRAINED before its"
                    + " address vector is changed");
        }
        store(pair, mask, s, attr);
        switch (to) {
            case QpState.RESET -> core.modifyToReset(pair);
            case QpState.ERR -> core.modifyToError(pair);
            default -> step(pair, from, to, mask, s, attr);
        }
    }

    private static @Nullable String fault(QueuePair pair, int from, int to, int mask) {
        QueuePairState before = state(from);
        QueuePairState after = state(to);
        if (!pair.isDatagram()) {
            return CONNECTED.fault(before, after, mask).orElse(null);
        }
        // GSI's row of the table is UD's, but that its port was named by its creation
        boolean hasPort = pair.type == QpType.GSI && from == QpState.RESET && to == QpState.INIT;
        return DATAGRAM.fault(before, after, hasPort ? mask | QpAttrMask.PORT : mask)
                .orElse(null);
    }

    private void check(int mask, MemorySegment s, long attr) throws RefusedException {
        if (named(mask, QpAttrMask.PORT)) {
            RefusedException.unless(QpAttr.portNum(s, attr) == 1, "no such port", QpAttr.portNum(s, attr));
        }
        if (named(mask, QpAttrMask.PKEY_INDEX)) {
            RefusedException.unless(QpAttr.pkeyIndex(s, attr) == 0, "no such partition key", QpAttr.pkeyIndex(s, attr));
        }
        if (named(mask, QpAttrMask.ACCESS_FLAGS)) {
            int access = QpAttr.qpAccessFlags(s, attr);
            RefusedException.unless((access & ~REMOTE_ACCESS) == 0, "access flags", access);
        }
        if (named(mask, QpAttrMask.PATH_MTU)) {
            int mtu = QpAttr.pathMtu(s, attr);
            RefusedException.unless(Mtu.isValid(mtu), "path MTU", mtu);
            RefusedException.unless(
                    mtu <= core.configuration.activeMtu(),
                    "the port's MTU is " + Mtu.bytes(core.configuration.activeMtu()) + " bytes, the path's",
                    Mtu.bytes(mtu));
        }
        if (named(mask, QpAttrMask.DEST_QPN)) {
            long qpn = Integer.toUnsignedLong(QpAttr.destQpNum(s, attr));
            RefusedException.unless(qpn <= MAX_QPN, "remote queue pair number", qpn);
        }
        checkLimit(mask, QpAttrMask.MIN_RNR_TIMER, QpAttr.minRnrTimer(s, attr), MAX_TIMER_CODE, "RNR timer");
        checkLimit(mask, QpAttrMask.TIMEOUT, QpAttr.timeout(s, attr), MAX_TIMER_CODE, "timeout");
        checkLimit(mask, QpAttrMask.RETRY_CNT, QpAttr.retryCnt(s, attr), MAX_RETRIES, "retry count");
        checkLimit(mask, QpAttrMask.RNR_RETRY, QpAttr.rnrRetry(s, attr), MAX_RETRIES, "RNR retry count");
        int maxReads = core.configuration.limits().maxReads();
        checkLimit(mask, QpAttrMask.MAX_QP_RD_ATOMIC, QpAttr.maxRdAtomic(s, attr), maxReads, "max_rd_atomic");
        checkLimit(
                mask, QpAttrMask.MAX_DEST_RD_ATOMIC, QpAttr.maxDestRdAtomic(s, attr), maxReads, "max_dest_rd_atomic");
        if (named(mask, QpAttrMask.AV)) {
            checkAddressVector(s, attr + QpAttr.AH_ATTR_OFFSET);
        }
    }

    private void checkAddressVector(MemorySegment s, long ah) throws RefusedException {
        long route = ah + AhAttr.GRH_OFFSET;
        RefusedException.unless(
                (AhAttr.ahFlags(s, ah) & AH_GRH) != 0, "RoCE needs a global route; flags", AhAttr.ahFlags(s, ah));
        RefusedException.unless(AhAttr.portNum(s, ah) == 1, "no such port", AhAttr.portNum(s, ah));
        RefusedException.unless(
                (GlobalRoute.dgidHigh(s, route) | GlobalRoute.dgidLow(s, route)) != 0, "destination GID", 0);
        int index = GlobalRoute.sgidIndex(s, route);
        if (!core.gids.isBound(index)) {
            throw new RefusedException(Errno.ENODATA, "no GID at index " + index);
        }
        boolean sameFamily = DatagramHeader.isIpv4(core.gids.high(index), core.gids.low(index))
                == DatagramHeader.isIpv4(GlobalRoute.dgidHigh(s, route), GlobalRoute.dgidLow(s, route));
        RefusedException.unless(
                sameFamily,
                "one of source and destination GID is an IPv4 address and the other is not; source GID index",
                index);
    }

    private static void checkLimit(int mask, int bit, int value, int limit, String what) throws RefusedException {
        if (named(mask, bit)) {
            RefusedException.unless(value <= limit, what, value);
        }
    }

    private void store(QueuePair pair, int mask, MemorySegment s, long attr) {
        QueuePairAttributes attributes = pair.attributes;
        if (named(mask, QpAttrMask.ACCESS_FLAGS)) {
            attributes.accessFlags = QpAttr.qpAccessFlags(s, attr);
        }
        if (named(mask, QpAttrMask.QKEY)) {
            attributes.qkey = QpAttr.qkey(s, attr);
        }
        if (named(mask, QpAttrMask.PKEY_INDEX)) {
            attributes.pkeyIndex = QpAttr.pkeyIndex(s, attr);
        }
        if (named(mask, QpAttrMask.PORT)) {
            attributes.portNum = QpAttr.portNum(s, attr);
        }
        if (named(mask, QpAttrMask.PATH_MTU)) {
            attributes.pathMtu = QpAttr.pathMtu(s, attr);
        }
        if (named(mask, QpAttrMask.PATH_MIG_STATE)) {
            attributes.pathMigState = QpAttr.pathMigState(s, attr);
        }
        if (named(mask, QpAttrMask.MIN_RNR_TIMER)) {
            attributes.minRnrTimer = QpAttr.minRnrTimer(s, attr);
        }
        if (named(mask, QpAttrMask.TIMEOUT)) {
            attributes.timeout = QpAttr.timeout(s, attr);
        }
        if (named(mask, QpAttrMask.RETRY_CNT)) {
            attributes.retryCount = QpAttr.retryCnt(s, attr);
        }
        if (named(mask, QpAttrMask.RNR_RETRY)) {
            attributes.rnrRetry = QpAttr.rnrRetry(s, attr);
        }
        if (named(mask, QpAttrMask.MAX_QP_RD_ATOMIC)) {
            attributes.maxReads = QpAttr.maxRdAtomic(s, attr);
        }
        if (named(mask, QpAttrMask.MAX_DEST_RD_ATOMIC)) {
            attributes.maxReadsAsTarget = QpAttr.maxDestRdAtomic(s, attr);
        }
        if (named(mask, QpAttrMask.AV)) {
            attributes.addressVector =
                    s.asSlice(attr + QpAttr.AH_ATTR_OFFSET, AhAttr.SIZE).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** A step between working states, or within one. */
    private void step(QueuePair pair, int from, int to, int mask, MemorySegment s, long attr) {
        if (pair.isDatagram()) {
            if (from == QpState.RTR && to == QpState.RTS) {
                pair.datagramPsn = Psn.of(QpAttr.sqPsn(s, attr));
            }
        } else {
            stepConnected(pair, from, to, mask, s, attr);
        }
        pair.notifyDrained = to == QpState.SQD
                && named(mask, QpAttrMask.EN_SQD_ASYNC_NOTIFY)
                && QpAttr.enSqdAsyncNotify(s, attr) != 0;
        DeviceEvents.queuePairState(core, pair.qpn, pair.state, to);
        pair.state = to;
        core.fabric().changed();
        core.tell(core, pair.letter()); // work requests may have been waiting for this state
    }

    private static void stepConnected(QueuePair pair, int from, int to, int mask, MemorySegment s, long attr) {
        QueuePairAttributes attributes = pair.attributes;
        if (from == QpState.INIT && to == QpState.RTR) {
            pair.responder.start(QpAttr.rqPsn(s, attr));
        }
        if (named(mask, QpAttrMask.AV)) {
            MemorySegment vector = MemorySegment.ofArray(attributes.addressVector);
            Connection before = pair.connection;
            pair.connection = new Connection(
                    GlobalRoute.dgidHigh(vector, AhAttr.GRH_OFFSET),
                    GlobalRoute.dgidLow(vector, AhAttr.GRH_OFFSET),
                    before == null ? Psn.of(QpAttr.destQpNum(s, attr)) : before.qpn());
        }
        if (from == QpState.RTR && to == QpState.RTS) {
            pair.requester.start(QpAttr.sqPsn(s, attr), Mtu.bytes(attributes.pathMtu));
        }
        pair.requester.limits(
                timeoutNs(attributes.timeout), attributes.retryCount, attributes.rnrRetry, attributes.maxReads);
    }

    private static long timeoutNs(int code) {
        return new AckTimeout(code).duration().toNanos();
    }

    private static boolean named(int mask, int bit) {
        return (mask & bit) != 0;
    }

    private static QueuePairState state(int code) {
        return QueuePairState.ofCode(code);
    }

    private static String name(int code) {
        return state(code).abbreviation();
    }
}
