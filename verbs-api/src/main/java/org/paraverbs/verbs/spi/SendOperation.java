// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

/** The operations of a send queue. The codes are those of {@code enum ibv_wr_opcode}. */
public enum SendOperation {
    /** RDMA WRITE. */
    WRITE(0),
    /** RDMA WRITE with immediate data. */
    WRITE_WITH_IMMEDIATE(1),
    /** SEND. */
    SEND(2),
    /** SEND with immediate data. */
    SEND_WITH_IMMEDIATE(3),
    /** RDMA READ. */
    READ(4);

    private final int code;

    SendOperation(int code) {
        this.code = code;
    }

    /** The code of the verbs interface. */
    public int code() {
        return code;
    }

    /** Whether it names memory of the peer. */
    public boolean isRemote() {
        return this == WRITE || this == WRITE_WITH_IMMEDIATE || this == READ;
    }
}
