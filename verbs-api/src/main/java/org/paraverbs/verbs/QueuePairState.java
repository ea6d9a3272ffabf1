// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** The state of a queue pair ({@code enum ibv_qp_state}, {@code ibv_modify_qp(3)}). */
public enum QueuePairState {
    /** As created. Nothing may be posted. */
    RESET(0, "RESET"),
    /** Bound to a port. Receives may be posted. */
    INIT(1, "INIT"),
    /** Ready to receive. */
    READY_TO_RECEIVE(2, "RTR"),
    /** Ready to send: fully working. */
    READY_TO_SEND(3, "RTS"),
    /** The send queue is being drained. */
    SEND_QUEUE_DRAINED(4, "SQD"),
    /** A send failed on an unreliable queue pair; receives still work. */
    SEND_QUEUE_ERROR(5, "SQE"),
    /** Failed: all requests are flushed. */
    ERROR(6, "ERR"),
    /** A code that this version does not know. */
    UNKNOWN(7, "?");

    private static final QueuePairState[] VALUES = values();

    private final int code;
    private final String abbreviation;

    QueuePairState(int code, String abbreviation) {
        this.code = code;
        this.abbreviation = abbreviation;
    }

    /** The name that the man pages use: RESET, INIT, RTR, RTS, SQD, SQE, ERR. */
    public String abbreviation() {
        return abbreviation;
    }

    /**
     * The state of a code of the verbs interface.
     *
     * @param code 0 to 6; any other gives {@link #UNKNOWN}
     * @return the state
     */
    public static QueuePairState ofCode(int code) {
        return code >= 0 && code < VALUES.length - 1 ? VALUES[code] : UNKNOWN;
    }

    /** The code of the verbs interface; 7 for {@link #UNKNOWN}, which no device accepts. */
    public int code() {
        return code;
    }
}
