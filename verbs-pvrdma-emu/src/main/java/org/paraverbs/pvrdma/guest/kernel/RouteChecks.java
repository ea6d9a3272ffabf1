// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;

/**
 * What the verbs core asks of the way to a peer, and finds out about it, for queue pairs and address handles alike
 * (core/verbs.c {@code rdma_check_ah_attr}, {@code rdma_fill_sgid_attr}, {@code ib_resolve_eth_dmac}).
 */
final class RouteChecks {
    private static final int AH_GRH = 1;

    private final MemorySegment caps;
    private final GidTable gids;

    RouteChecks(MemorySegment caps, GidTable gids) {
        this.caps = caps;
        this.gids = gids;
    }

    void requirePort(Call call, int port) {
        int ports = DeviceCaps.physPortCnt(caps, 0);
        if (port < 1 || port > ports) {
            throw call.failure(Errno.EINVAL, "there is no port " + port + ", the device has ports 1 to " + ports);
        }
    }

    /**
     * Checks a route.
     *
     * @param s where it is
     * @param ah the offset of its {@link AhAttr}
     */
    void check(Call call, MemorySegment s, long ah) {
        requirePort(call, AhAttr.portNum(s, ah));
        if ((AhAttr.ahFlags(s, ah) & AH_GRH) == 0) {
            throw call.failure(Errno.EINVAL, "on RoCE the route needs the GID of the peer, see Route.to");
        }
        int index = GlobalRoute.sgidIndex(s, ah + AhAttr.GRH_OFFSET);
        if (index >= gids.length()) {
            throw call.failure(
                    Errno.EINVAL, "there is no GID index " + index + ": the table has " + gids.length() + " entries");
        }
        GidTableEntry source = gids.get(index);
        if (source == null) {
            throw call.failure(Errno.ENODATA, "the entry of GID index " + index + " is empty");
        }
        Gid destination = destination(s, ah);
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

    static Gid destination(MemorySegment s, long ah) {
        long grh = ah + AhAttr.GRH_OFFSET;
        return new Gid(GlobalRoute.dgidHigh(s, grh), GlobalRoute.dgidLow(s, grh));
    }

    /**
     * Fills in the peer's MAC address where it is part of a link-local GID; where the system would ask the network, it
     * stays 0, since there is no Ethernet below the emulated device.
     */
    static void fillMacAddress(MemorySegment s, long ah) {
        Gid destination = destination(s, ah);
        long to = ah + AhAttr.DMAC_OFFSET;
        long low = destination.isLinkLocal() ? destination.low() ^ 0x0200_0000_0000_0000L : 0;
        // RFC 4291, appendix A: the address around ff:fe, with one bit turned
        for (int i = 0; i < 6; i++) {
            int shift = i < 3 ? 56 - 8 * i : 40 - 8 * i;
            s.set(ValueLayout.JAVA_BYTE, to + i, (byte) (low >>> shift));
        }
    }
}
