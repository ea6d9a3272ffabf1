// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import java.util.List;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;

/**
 * Two sides that talk to each other.
 *
 * @param here the side on the first device
 * @param there the side on the second device
 */
record Pair(Side here, Side there) {

    /** How a side bears with a peer that does not answer. */
    record Patience(AckTimeout timeout, int retries, int rnrRetries) {
        static final Patience DEFAULT = new Patience(AckTimeout.DEFAULT, 7, 7);

        /** Gives up soon: 16 ms for an acknowledgement, tried twice, and no second chance without a receive. */
        static final Patience LITTLE = new Patience(new AckTimeout(12), 1, 0);
    }

    /** The same seen from the other side. */
    Pair reversed() {
        return new Pair(there, here);
    }

    /** Connects as programs do, the endpoints going through their byte form. */
    void connect() {
        Endpoint ours = Endpoint.of(here.qp.endpoint().toBytes());
        Endpoint theirs = Endpoint.of(there.qp.endpoint().toBytes());
        here.qp.connect(theirs);
        there.qp.connect(ours);
    }

    /** Connects step by step, with other patience than {@link QueuePair#connect} has. */
    void connect(Patience patience) {
        connect(patience, readDepth(here.qp.endpoint(), there.qp.endpoint()));
    }

    /** The same with as many READs and atomics of the peer as may be outstanding here; the peer believes in more. */
    void connect(Patience patience, int readsAllowedHere) {
        Endpoint ours = here.qp.endpoint();
        Endpoint theirs = there.qp.endpoint();
        Transition.ReadyToReceive step = readyToReceive(here, ours, theirs);
        here.qp.modify(new Transition.ReadyToReceive(
                step.route(), step.remoteQpn(), step.psn(), step.mtu(), readsAllowedHere, step.rnrTimer()));
        there.qp.modify(readyToReceive(there, theirs, ours));
        here.qp.modify(readyToSend(patience, ours, theirs));
        there.qp.modify(readyToSend(patience, theirs, ours));
    }

    static Transition.ReadyToReceive readyToReceive(Side side, Endpoint local, Endpoint remote) {
        int port = side.qp.query().port();
        Route route = Route.to(port, gidIndex(side.context.gids(port), local), remote.gid())
                .withDestinationLid(remote.lid());
        return new Transition.ReadyToReceive(
                route, remote.qpn(), remote.psn(), mtu(local, remote), readDepth(local, remote), RnrTimer.DEFAULT);
    }

    static Transition.ReadyToSend readyToSend(Patience patience, Endpoint local, Endpoint remote) {
        return new Transition.ReadyToSend(
                local.psn(), patience.timeout(), patience.retries(), patience.rnrRetries(), readDepth(local, remote));
    }

    static Mtu mtu(Endpoint local, Endpoint remote) {
        return Mtu.min(local.mtu(), remote.mtu());
    }

    static int readDepth(Endpoint local, Endpoint remote) {
        return Math.min(local.readDepth(), remote.readDepth());
    }

    private static int gidIndex(List<GidEntry> entries, Endpoint local) {
        return entries.stream()
                .filter(entry -> entry.gid().equals(local.gid()) && entry.type() == local.gidType())
                .mapToInt(GidEntry::index)
                .findFirst()
                .orElse(0);
    }
}
