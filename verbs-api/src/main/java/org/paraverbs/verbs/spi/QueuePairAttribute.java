// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

/** The attributes of a queue pair that a modification may name ({@code enum ibv_qp_attr_mask}). */
public enum QueuePairAttribute {
    /** The next state. */
    STATE(0),
    /** The state that the caller takes it to be in. */
    CURRENT_STATE(1),
    /** Whether the end of draining raises an event. */
    DRAINED_NOTIFICATION(2),
    /** What peers may do. */
    ACCESS_FLAGS(3),
    /** The index of the partition key. */
    PKEY_INDEX(4),
    /** The port. */
    PORT(5),
    /** The Q_Key of datagrams. */
    QKEY(6),
    /** The address vector: the way to the peer. */
    ADDRESS_VECTOR(7),
    /** The path MTU. */
    PATH_MTU(8),
    /** The acknowledge timeout. */
    TIMEOUT(9),
    /** The number of retries. */
    RETRY_COUNT(10),
    /** The number of retries when the peer has no receive. */
    RNR_RETRY(11),
    /** The packet sequence number expected first. */
    RECEIVE_PSN(12),
    /** Outstanding READs and atomics as their initiator. */
    MAX_READS_AS_INITIATOR(13),
    /** The alternate path. */
    ALTERNATE_PATH(14),
    /** The time that a peer is asked to wait when it finds no receive. */
    MIN_RNR_TIMER(15),
    /** The packet sequence number sent first. */
    SEND_PSN(16),
    /** Outstanding READs and atomics as their target. */
    MAX_READS_AS_TARGET(17),
    /** The state of path migration. */
    PATH_MIGRATION_STATE(18),
    /** The sizes of the queues. */
    CAPACITY(19),
    /** The peer's queue pair number. */
    REMOTE_QPN(20);

    private final int mask;

    QueuePairAttribute(int bit) {
        this.mask = 1 << bit;
    }

    /** The attribute's bit in an {@code attr_mask}. */
    public int mask() {
        return mask;
    }
}
