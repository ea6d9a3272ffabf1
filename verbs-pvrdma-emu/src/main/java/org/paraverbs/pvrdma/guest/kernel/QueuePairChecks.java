// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.spi.QueuePairStateTable;

/**
 * What the verbs core and the driver check before they ask the device to modify a queue pair (uverbs_cmd.c
 * {@code modify_qp}, core/verbs.c {@code _ib_modify_qp}, pvrdma_qp.c), and what they can say after a refusal.
 */
final class QueuePairChecks {
    private static final int MAX_RNR_TIMER = 31;
    private static final int STANDARD_BITS = (1 << 21) - 1;

    private final MemorySegment caps;
    private final RouteChecks routes;

    QueuePairChecks(MemorySegment caps, RouteChecks routes) {
        this.caps = caps;
        this.routes = routes;
    }

    void check(Call call, KernelQueuePair pair, int from, int to, int mask, MemorySegment attributes) {
        if ((mask & ~STANDARD_BITS) != 0) {
            throw call.failure(Errno.EOPNOTSUPP, "unknown attributes: 0x" + Integer.toHexString(mask & ~STANDARD_BITS));
        }
        if (isNamed(mask, QpAttrMask.PORT)) {
            routes.requirePort(call, QpAttr.portNum(attributes, 0));
        }
        if (isNamed(mask, QpAttrMask.AV)) {
            checkRoute(call, pair, to, attributes);
        }
        if (isNamed(mask, QpAttrMask.ALT_PATH)) {
            throw call.failure(Errno.EINVAL, "RoCE has no alternate paths");
        }
        Optional<String> fault =
                QueuePairStateTable.of(pair.type).fault(QueuePairState.ofCode(from), QueuePairState.ofCode(to), mask);
        if (fault.isPresent()) {
            throw call.failure(Errno.EINVAL, fault.get());
        }
        if (isNamed(mask, QpAttrMask.MIN_RNR_TIMER) && QpAttr.minRnrTimer(attributes, 0) > MAX_RNR_TIMER) {
            throw call.failure(Errno.EINVAL, "an RNR timer has a code of 0 to " + MAX_RNR_TIMER);
        }
        if (isNamed(mask, QpAttrMask.PKEY_INDEX) && QpAttr.pkeyIndex(attributes, 0) >= DeviceCaps.maxPkeys(caps, 0)) {
            throw call.failure(
                    Errno.EINVAL,
                    "there is no pkey index " + QpAttr.pkeyIndex(attributes, 0) + ": the device has "
                            + DeviceCaps.maxPkeys(caps, 0) + " partition keys");
        }
    }

    /** What only users with CAP_NET_RAW may ask for. */
    void requireOrdinary(Call call, int mask, MemorySegment attributes) {
        if (isNamed(mask, QpAttrMask.QKEY) && QpAttr.qkey(attributes, 0) < 0) {
            throw call.failure(
                    Errno.EPERM,
                    "a Q_Key with the highest bit set is for privileged users, 0x"
                            + Integer.toHexString(QpAttr.qkey(attributes, 0)) + " has it: choose another");
        }
    }

    private void checkRoute(Call call, KernelQueuePair pair, int to, MemorySegment attributes) {
        long ah = QpAttr.AH_ATTR_OFFSET;
        int port = AhAttr.portNum(attributes, ah);
        if (to == QpState.RTR && pair.port != 0 && port != pair.port) {
            routes.requirePort(call, port);
            throw call.failure(
                    Errno.EINVAL, "the route leaves port " + port + ", but the queue pair is bound to " + pair.port);
        }
        routes.check(call, attributes, ah);
    }

    /**
     * What to say when the device answers that it does not modify a queue pair.
     *
     * @param reason the device's own, if it is known
     */
    String refusal(int err, int mask, MemorySegment attributes, @Nullable String reason) {
        Errno known = Errno.of(err);
        String cause = likelyCause(mask, attributes);
        return "the device does not take the step (its answer: " + err + (known == Errno.UNKNOWN ? "" : ", " + known)
                + ")" + (cause == null ? "" : ": " + cause)
                + (reason == null ? "" : "; the device says: " + reason);
    }

    private @Nullable String likelyCause(int mask, MemorySegment attributes) {
        int asTarget = DeviceCaps.maxQpRdAtom(caps, 0);
        if (isNamed(mask, QpAttrMask.MAX_DEST_RD_ATOMIC) && QpAttr.maxDestRdAtomic(attributes, 0) > asTarget) {
            return "it takes at most " + asTarget + " READs as their target, not "
                    + QpAttr.maxDestRdAtomic(attributes, 0) + " (DeviceConfiguration.maxReads raises it)";
        }
        int asInitiator = DeviceCaps.maxQpInitRdAtom(caps, 0);
        if (isNamed(mask, QpAttrMask.MAX_QP_RD_ATOMIC) && QpAttr.maxRdAtomic(attributes, 0) > asInitiator) {
            return "it has at most " + asInitiator + " READs outstanding, not " + QpAttr.maxRdAtomic(attributes, 0)
                    + " (DeviceConfiguration.maxReads raises it)";
        }
        return null;
    }

    /** Why a device refuses to create a queue pair: the driver does not check a program's sizes, the device does. */
    String likelyCause(QueuePairRequest request) {
        StringJoiner causes = new StringJoiner(", ");
        int requests = DeviceCaps.maxQpWr(caps, 0);
        int elements = DeviceCaps.maxSge(caps, 0);
        exceeds(causes, "max_send_wr", request.maxSends(), "max_qp_wr", requests, "maxQpWr");
        exceeds(causes, "max_recv_wr", request.maxReceives(), "max_qp_wr", requests, "maxQpWr");
        exceeds(causes, "max_send_sge", request.maxSendElements(), "max_sge", elements, "maxSge");
        exceeds(causes, "max_recv_sge", request.maxReceiveElements(), "max_sge", elements, "maxSge");
        return causes.toString();
    }

    private static void exceeds(
            StringJoiner causes, String what, int value, String limitName, int limit, String option) {
        if (value > limit) {
            causes.add(what + " is " + value + " and " + limitName + " " + limit + " (DeviceConfiguration." + option
                    + " raises it)");
        }
    }

    private static boolean isNamed(int mask, int bit) {
        return (mask & bit) != 0;
    }
}
