// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.paraverbs.pvrdma.abi.EventType;

/** What stops traffic and lets it go on: the port, the host, addresses that come and go. For control holders. */
final class Traffic {
    /** The one port. */
    private static final int PORT = 1;

    private final DeviceCore core;

    Traffic(DeviceCore core) {
        this.core = core;
    }

    /** Takes the port down or up: nothing gets through, and both ends find out by their timers. */
    void port(boolean up) {
        if (core.port.isUp() == up) {
            return;
        }
        core.port.up(up);
        changed();
        if (core.notifier.isActive()) {
            core.event(up ? EventType.PORT_ACTIVE : EventType.PORT_ERR, PORT);
            if (up) {
                core.event(EventType.GID_CHANGE, PORT);
            }
        }
    }

    /** Stops all work for queue pairs; afterwards neither the device nor a peer touches their memory. */
    void quiesce() {
        if (core.port.isQuiesced()) {
            return;
        }
        core.port.quiesced(true);
        core.fabric().changed();
        core.fabric().awaitRounds(core);
        for (int handle = 0; handle < core.queuePairs.limit(); handle++) {
            QueuePair pair = core.queuePairs.get(handle);
            if (pair != null && !pair.isDatagram()) {
                core.settle(pair);
            }
        }
        changed();
        if (core.notifier.isActive() && core.port.isUp()) {
            core.event(EventType.PORT_ERR, PORT);
        }
    }

    /** Goes on with what was stopped, and with what has been posted meanwhile. */
    void unquiesce() {
        if (!core.port.isQuiesced()) {
            return;
        }
        core.port.quiesced(false);
        changed();
        if (core.port.isUp()) {
            core.event(EventType.PORT_ACTIVE, PORT);
        }
    }

    /** A GID came or went: connections may be lost, which their queue pairs have to notice. */
    void gidsChanged() {
        core.fabric().changed();
        for (int handle = 0; handle < core.queuePairs.limit(); handle++) {
            QueuePair pair = core.queuePairs.get(handle);
            if (pair != null) {
                core.tell(core, pair.letter());
            }
        }
    }

    /** Both ends of every connection have to look whether they still reach each other. */
    private void changed() {
        gidsChanged();
        for (int handle = 0; handle < core.queuePairs.limit(); handle++) {
            QueuePair pair = core.queuePairs.get(handle);
            QueuePair peer = pair == null ? null : core.lookUp(pair.connection);
            if (peer != null) {
                core.tell(peer.core, peer.letter());
            }
        }
    }
}
