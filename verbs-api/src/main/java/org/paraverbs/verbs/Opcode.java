// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** What completed ({@code enum ibv_wc_opcode}). */
public enum Opcode {
    /** A SEND, with or without immediate data. */
    SEND(0),
    /** An RDMA WRITE, with or without immediate data. */
    WRITE(1),
    /** An RDMA READ. */
    READ(2),
    /** A compare-and-swap. */
    COMPARE_AND_SWAP(3),
    /** A fetch-and-add. */
    FETCH_AND_ADD(4),
    /** The binding of a memory window. */
    BIND_MEMORY_WINDOW(5),
    /** A local invalidation. */
    LOCAL_INVALIDATE(6),
    /** A receive, filled by a SEND. */
    RECEIVE(128),
    /** A receive, consumed by an RDMA WRITE with immediate data. */
    RECEIVE_WRITE_WITH_IMMEDIATE(129),
    /** A code that this version does not know, or the code of a failed request, which means nothing. */
    UNKNOWN(-1);

    private static final int RECEIVE_BIT = 128;
    private static final Opcode[] SENDS = {
        SEND, WRITE, READ, COMPARE_AND_SWAP, FETCH_AND_ADD, BIND_MEMORY_WINDOW, LOCAL_INVALIDATE
    };

    private final int code;

    Opcode(int code) {
        this.code = code;
    }

    /** The code of the verbs interface; -1 for {@link #UNKNOWN}. */
    public int code() {
        return code;
    }

    /** Whether a receive completed. */
    public boolean isReceive() {
        return this == RECEIVE || this == RECEIVE_WRITE_WITH_IMMEDIATE;
    }

    /**
     * The opcode of a code of the verbs interface. Allocates nothing.
     *
     * @param code as in {@code struct ibv_wc}
     * @return the opcode
     */
    public static Opcode ofCode(int code) {
        if (code >= 0 && code < SENDS.length) {
            return SENDS[code];
        }
        return switch (code) {
            case RECEIVE_BIT -> RECEIVE;
            case RECEIVE_BIT + 1 -> RECEIVE_WRITE_WITH_IMMEDIATE;
            default -> UNKNOWN;
        };
    }
}
