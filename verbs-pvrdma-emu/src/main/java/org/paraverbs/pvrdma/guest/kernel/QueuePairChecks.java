// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpAttrMask;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.spi.QueuePairStateTable;

/**
 * What the verbs core and the driver check before they ask the device to modify a queue pair (uverbs_cmd.c
 * {@code modify_qp}, core/verbs.c {@code _ib_modify_qp}, pvrdma_qp.c), and what they can say after a refusal.
 */
final class QueuePairChecks {
    private static final int AH_GRH = 1;
    private static final int MAX_RNR_TIMER = 31;
    private static final int STANDARD_BITS = (1 << 21) - 1;

    private final MemorySegment caps;
    private final GidTable gids;

    QueuePairChecks(MemorySegment caps, GidTable gids) {
        this.caps = caps;
        this.gids = gids;
    }

    void check(Call call, KernelQueuePair pair, int from, int to, int mask, MemorySegment attributes) {
        if ((mask & ~STANDARD_BITS) != 0) {
            throw call.failure(Errno.EOPNOTSUPP, "unknown attributes: 0x" + Integer.toHexString(mask & ~STANDARD_BITS));
        }
        if (isNamed(mask, QpAttrMask.PORT)) {
            requirePort(call, QpAttr.portNum(attributes, 0));
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

    private void checkRoute(Call call, KernelQueuePair pair, int to, MemorySegment attributes) {
        long ah = QpAttr.AH_ATTR_OFFSET;
        int port = AhAttr.portNum(attributes, ah);
        requirePort(call, port);
        if (to == QpState.RTR && pair.port != 0 && port != pair.port) {
            throw call.failure(
                    Errno.EINVAL, "the route leaves port " + port + ", but the queue pair is bound to " + pair.port);
        }
        if ((AhAttr.ahFlags(attributes, ah) & AH_GRH) == 0) {
            throw call.failure(Errno.EINVAL, "on RoCE the route needs the GID of the peer, see Route.to");
        }
        int index = GlobalRoute.sgidIndex(attributes, ah);
        if (index >= gids.length()) {
            throw call.failure(
                    Errno.EINVAL, "there is no GID index " + index + ": the table has " + gids.length() + " entries");
        }
        GidTableEntry source = gids.get(index);
        if (source == null) {
            throw call.failure(Errno.ENODATA, "the entry of GID index " + index + " is empty");
        }
        Gid destination = destination(attributes);
        if (destination.isEmpty()) {
            throw call.failure(Errno.EINVAL, "the destination GID is empty");
        }
        // The neighbour is looked up with both addresses, which fails if they are of different families.
        if (destination.isIpv4Mapped() != source.gid().isIpv4Mapped()) {
            throw call.failure(
                    Errno.EINVAL,
                    "the GID at index " + index + " is " + source.gid() + " and the peer's is " + destination
                            + ": one is an IPv4 address and the other is not");
        }
    }

    private static Gid destination(MemorySegment attributes) {
        return new Gid(
                GlobalRoute.dgidHigh(attributes, QpAttr.AH_ATTR_OFFSET),
                GlobalRoute.dgidLow(attributes, QpAttr.AH_ATTR_OFFSET));
    }

    private void requirePort(Call call, int port) {
        int ports = DeviceCaps.physPortCnt(caps, 0);
        if (port < 1 || port > ports) {
            throw call.failure(Errno.EINVAL, "there is no port " + port + ", the device has ports 1 to " + ports);
        }
    }

    /**
     * Fills in the peer's MAC address where it is part of a link-local GID; where the system would ask the network, it
     * stays 0, since there is no Ethernet below the emulated device.
     */
    static void fillMacAddress(MemorySegment s, long attr) {
        Gid destination = new Gid(
                GlobalRoute.dgidHigh(s, attr + QpAttr.AH_ATTR_OFFSET),
                GlobalRoute.dgidLow(s, attr + QpAttr.AH_ATTR_OFFSET));
        long to = attr + QpAttr.AH_ATTR_OFFSET + AhAttr.DMAC_OFFSET;
        long low = destination.isLinkLocal() ? destination.low() ^ 0x0200_0000_0000_0000L : 0;
        // RFC 4291, appendix A: the address around ff:fe, with one bit turned
        for (int i = 0; i < 6; i++) {
            int shift = i < 3 ? 56 - 8 * i : 40 - 8 * i;
            s.set(ValueLayout.JAVA_BYTE, to + i, (byte) (low >>> shift));
        }
    }

    /** What to say when the device answers that it does not modify a queue pair. */
    String refusal(int err, int mask, MemorySegment attributes) {
        Errno known = Errno.of(err);
        String cause = likelyCause(mask, attributes);
        return "the device does not take the step (its answer: " + err + (known == Errno.UNKNOWN ? "" : ", " + known)
                + ")" + (cause == null ? "" : ": " + cause);
    }

    private @Nullable String likelyCause(int mask, MemorySegment attributes) {
        int asTarget = DeviceCaps.maxQpRdAtom(caps, 0);
        if (isNamed(mask, QpAttrMask.MAX_DEST_RD_ATOMIC) && QpAttr.maxDestRdAtomic(attributes, 0) > asTarget) {
            return "it takes at most " + asTarget + " READs as their target, not "
                    + QpAttr.maxDestRdAtomic(attributes, 0);
        }
        int asInitiator = DeviceCaps.maxQpInitRdAtom(caps, 0);
        if (isNamed(mask, QpAttrMask.MAX_QP_RD_ATOMIC) && QpAttr.maxRdAtomic(attributes, 0) > asInitiator) {
            return "it has at most " + asInitiator + " READs outstanding, not " + QpAttr.maxRdAtomic(attributes, 0);
        }
        return null;
    }

    /** Why a device refuses to create a queue pair: the driver does not check a program's sizes, the device does. */
    String likelyCause(QueuePairRequest request) {
        StringBuilder causes = new StringBuilder();
        exceeds(causes, "max_send_wr", request.maxSends(), "max_qp_wr", DeviceCaps.maxQpWr(caps, 0));
        exceeds(causes, "max_recv_wr", request.maxReceives(), "max_qp_wr", DeviceCaps.maxQpWr(caps, 0));
        exceeds(causes, "max_send_sge", request.maxSendElements(), "max_sge", DeviceCaps.maxSge(caps, 0));
        exceeds(causes, "max_recv_sge", request.maxReceiveElements(), "max_sge", DeviceCaps.maxSge(caps, 0));
        return causes.toString();
    }

    private static void exceeds(StringBuilder causes, String what, int value, String limitName, int limit) {
        if (value > limit) {
            causes.append(causes.isEmpty() ? "" : ", ")
                    .append(what)
                    .append(" is ")
                    .append(value)
                    .append(" and ")
                    .append(limitName)
                    .append(' ')
                    .append(limit);
        }
    }

    private static boolean isNamed(int mask, int bit) {
        return (mask & bit) != 0;
    }
}
