// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** The logical state of a port ({@code enum ibv_port_state}). */
public enum PortState {
    /** The state cannot change. */
    NOP,
    /** The port is down: no link, or its network interface is down. */
    DOWN,
    /** The link is up, the port is not configured yet. */
    INIT,
    /** The port is configured, but may not carry data yet. */
    ARMED,
    /** The port carries data. */
    ACTIVE,
    /** Active, with a temporary loss of the link. */
    ACTIVE_DEFER,
    /** A code that this version does not know. */
    UNKNOWN;

    private static final PortState[] VALUES = values();

    /**
     * The state of a code of the verbs interface.
     *
     * @param code 0 to 5; any other gives {@link #UNKNOWN}
     * @return the state
     */
    public static PortState ofCode(int code) {
        return code >= 0 && code < VALUES.length - 1 ? VALUES[code] : UNKNOWN;
    }
}
