// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.QueuePairType;

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
    READ(4),
    /** Compare-and-swap. */
    COMPARE_AND_SWAP(5),
    /** Fetch-and-add. */
    FETCH_AND_ADD(6),
    /** Taking back a local key. */
    LOCAL_INVALIDATE(7),
    /** Binding a memory window. */
    BIND_MEMORY_WINDOW(8),
    /** SEND that takes back a key of the peer's. */
    SEND_WITH_INVALIDATE(9);

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
        return this == WRITE || this == WRITE_WITH_IMMEDIATE || isAnswered();
    }

    /** Whether it is answered with data, into elements that the local device writes. */
    public boolean isAnswered() {
        return this == READ || isAtomic();
    }

    /** Whether it is an atomic operation on 8 bytes. */
    public boolean isAtomic() {
        return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
    }

    /** Whether it takes a receive of the peer. */
    public boolean takesReceive() {
        return this == SEND
                || this == SEND_WITH_IMMEDIATE
                || this == SEND_WITH_INVALIDATE
                || this == WRITE_WITH_IMMEDIATE;
    }

    /** Whether it has elements or inline data. */
    public boolean hasData() {
        return this != LOCAL_INVALIDATE && this != BIND_MEMORY_WINDOW;
    }

    /**
     * Whether a type of queue pair has it (InfiniBand Architecture Specification, volume 1, table 44).
     *
     * @param type the type
     */
    public boolean isOf(QueuePairType type) {
        return switch (type) {
            case RELIABLE_CONNECTION, XRC_SEND -> true;
            case XRC_RECEIVE -> false;
            case UNRELIABLE_CONNECTION -> !isAnswered() && this != SEND_WITH_INVALIDATE;
            case UNRELIABLE_DATAGRAM -> this == SEND || this == SEND_WITH_IMMEDIATE;
        };
    }

    /** What a context must support for it, beyond the type of queue pair; null for what each can do. */
    public @Nullable Feature feature() {
        return switch (this) {
            case WRITE, WRITE_WITH_IMMEDIATE, SEND, SEND_WITH_IMMEDIATE -> null;
            case READ -> Feature.READ;
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> Feature.ATOMICS;
            case LOCAL_INVALIDATE, BIND_MEMORY_WINDOW, SEND_WITH_INVALIDATE -> Feature.MEMORY_WINDOW;
        };
    }
}
