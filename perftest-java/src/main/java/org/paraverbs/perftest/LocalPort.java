// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;

/**
 * One port of an open device as a test uses it: chosen and checked before the peer is there, so that a port that is down
 * is told at once.
 *
 * @param context the open device
 * @param attributes the port
 * @param gid the GID in use, or null where a LID is enough
 * @param mtu the largest path MTU that this side will use
 */
record LocalPort(
        Context context,
        PortAttributes attributes,
        @Nullable GidEntry gid,
        Mtu mtu) {

    static LocalPort of(Context context, Settings.Path path, Notes notes) {
        PortAttributes port = context.port(path.port());
        if (port.state() != PortState.ACTIVE) {
            throw new PerftestException(
                    "Port number " + path.port() + " of " + context.device().name() + " state is " + port.state()
                            + ": bring its network interface up, or choose another port with -i");
        }
        return new LocalPort(context, port, gid(context, port, path.gidIndex()), mtu(port, path.mtu(), notes));
    }

    private static Mtu mtu(PortAttributes port, @Nullable Mtu wanted, Notes notes) {
        if (wanted == null) {
            return port.activeMtu();
        }
        if (wanted.compareTo(port.activeMtu()) > 0) {
            notes.add("Requested mtu is higher than active mtu; changing to active mtu - "
                    + port.activeMtu().bytes());
        }
        return Mtu.min(wanted, port.activeMtu());
    }

    private static @Nullable GidEntry gid(Context context, PortAttributes port, int index) {
        if (index == Settings.Path.ANY_GID && port.linkLayer() != LinkLayer.ETHERNET) {
            return null;
        }
        List<GidEntry> entries = context.gids(port.port());
        if (index != Settings.Path.ANY_GID) {
            return entries.stream()
                    .filter(entry -> entry.index() == index)
                    .findFirst()
                    .orElseThrow(() -> new PerftestException("GID index " + index + " of " + name(context, port)
                            + " is empty; in use are " + indices(entries)));
        }
        return entries.stream()
                .max(Comparator.comparingInt(LocalPort::rank)
                        // The first of equals: max() would take the last.
                        .thenComparing(Comparator.comparingInt(GidEntry::index).reversed()))
                .orElseThrow(() -> new PerftestException(name(context, port)
                        + " has no GID: give its network interface, in this network namespace, an IP address"));
    }

    /** The order of the newest C programs, so that both sides come to GIDs of one kind: family, reach, version. */
    private static int rank(GidEntry entry) {
        return (entry.gid().isIpv4Mapped() ? 4 : 0)
                + (entry.gid().isLinkLocal() ? 0 : 2)
                + (entry.type() == GidType.ROCE_V2 ? 1 : 0);
    }

    private static String name(Context context, PortAttributes port) {
        return "port " + port.port() + " of " + context.device().name();
    }

    private static String indices(List<GidEntry> entries) {
        var text = new StringBuilder();
        for (GidEntry entry : entries) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(entry.index())
                    .append(" (")
                    .append(entry.gid())
                    .append(')');
        }
        return text.isEmpty() ? "none" : text.toString();
    }

    int gidIndex() {
        return gid == null ? Settings.Path.ANY_GID : gid.index();
    }

    @Nullable
    Gid gidOrNull() {
        return gid == null ? null : gid.gid();
    }
}
