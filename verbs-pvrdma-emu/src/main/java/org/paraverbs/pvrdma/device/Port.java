// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.paraverbs.pvrdma.abi.PortState;

/**
 * The state of the port and of the device behind it. Written by the ticket's holder; peers look whether traffic flows.
 */
final class Port {
    // Codes of the physical state, IBTA volume 1, PortInfo.
    private static final int DISABLED = 3;
    private static final int LINK_UP = 5;

    private boolean up = true;
    private boolean quiesced;
    private volatile boolean flowing = true;

    /** Whether anything goes out or comes in. Any thread. */
    boolean isFlowing() {
        return flowing;
    }

    boolean isUp() {
        return up;
    }

    boolean isQuiesced() {
        return quiesced;
    }

    void up(boolean now) {
        up = now;
        flowing = up && !quiesced;
    }

    void quiesced(boolean now) {
        quiesced = now;
        flowing = up && !quiesced;
    }

    /** {@link PortState} for QUERY_PORT. */
    int state() {
        return flowing ? PortState.ACTIVE : PortState.DOWN;
    }

    /** The physical state for QUERY_PORT. */
    int physicalState() {
        return flowing ? LINK_UP : DISABLED;
    }
}
