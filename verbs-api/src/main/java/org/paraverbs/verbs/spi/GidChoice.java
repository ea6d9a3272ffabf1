// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.util.List;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.VerbsException;

/**
 * The port and GID of an endpoint.
 *
 * @param port the port
 * @param entry the entry of its GID table
 * @param reason why, in one sentence
 */
record GidChoice(PortAttributes port, GidEntry entry, String reason) {

    private static final String VERB = "ibv_query_gid";

    /** The first active port and its best GID. */
    static GidChoice best(Context context) {
        int portCount = context.attributes().portCount();
        StringBuilder states = new StringBuilder();
        for (int number = 1; number <= portCount; number++) {
            PortAttributes port = context.port(number);
            if (port.state() == PortState.ACTIVE) {
                return bestOfPort(context, port);
            }
            states.append(states.isEmpty() ? "" : ", ")
                    .append("port ")
                    .append(number)
                    .append(" is ")
                    .append(port.state());
        }
        throw new VerbsException(
                "ibv_query_port",
                context.device().name(),
                Errno.ENETDOWN,
                "no port is active (" + (states.isEmpty() ? "the device has none" : states)
                        + "): bring its network interface up");
    }

    /** A given entry. */
    static GidChoice given(Context context, int portNumber, int gidIndex) {
        PortAttributes port = context.port(portNumber);
        String name = context.device().name() + " port " + portNumber;
        if (port.state() != PortState.ACTIVE) {
            throw new VerbsException(
                    "ibv_query_port",
                    name,
                    Errno.ENETDOWN,
                    "the port is " + port.state() + ", not ACTIVE: bring its network interface up");
        }
        for (GidEntry entry : context.gids(portNumber)) {
            if (entry.index() == gidIndex) {
                return new GidChoice(
                        port, entry, "GID index " + gidIndex + " of port " + portNumber + " was asked for");
            }
        }
        throw new VerbsException(
                VERB,
                name + " GID index " + gidIndex,
                Errno.ENODATA,
                "the entry is empty; entries in use: " + describe(context.gids(portNumber)));
    }

    private static GidChoice bestOfPort(Context context, PortAttributes port) {
        List<GidEntry> entries = context.gids(port.port());
        if (entries.isEmpty()) {
            if (port.linkLayer() == LinkLayer.INFINIBAND) {
                GidEntry none = new GidEntry(0, port.port(), Gid.EMPTY, GidType.INFINIBAND);
                return new GidChoice(port, none, "port " + port.port() + " is addressed by LID " + port.lid());
            }
            throw new VerbsException(
                    VERB,
                    context.device().name() + " port " + port.port(),
                    Errno.ENODATA,
                    "the port has no GID: give its network interface, in this network namespace, an IP address");
        }
        GidEntry best = entries.get(0);
        for (GidEntry entry : entries) {
            if (rank(entry) > rank(best)) {
                best = entry;
            }
        }
        return new GidChoice(
                port,
                best,
                "GID index " + best.index() + " (" + best.type() + ", "
                        + best.gid().toInetAddress().getHostAddress()
                        + ") of port " + port.port() + ", the first active one, is the best of "
                        + describe(entries));
    }

    /** A routable one first, then RoCE v2 before v1, then IPv4; at a tie the first of the table. */
    private static int rank(GidEntry entry) {
        return (entry.gid().isLinkLocal() ? 0 : 4)
                + (entry.type() == GidType.ROCE_V2 ? 2 : 0)
                + (entry.gid().isIpv4Mapped() ? 1 : 0);
    }

    private static String describe(List<GidEntry> entries) {
        StringBuilder text = new StringBuilder();
        for (GidEntry entry : entries) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(entry.index())
                    .append(' ')
                    .append(entry.type())
                    .append(' ')
                    .append(entry.gid());
        }
        return text.isEmpty() ? "none" : text.toString();
    }
}
