// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** The transport service of a queue pair ({@code enum ibv_qp_type}). */
public enum QueuePairType {
    /** Reliable connection: in order, acknowledged; SEND, RDMA WRITE and READ, atomics. */
    RELIABLE_CONNECTION("RC", Feature.RELIABLE_CONNECTION),
    /** Unreliable connection: in order, not acknowledged; SEND and RDMA WRITE. */
    UNRELIABLE_CONNECTION("UC", Feature.UNRELIABLE_CONNECTION),
    /** Unreliable datagram: messages of one packet to any peer. */
    UNRELIABLE_DATAGRAM("UD", Feature.UNRELIABLE_DATAGRAM),
    /**
     * The sending end of an extended reliable connection: as {@link #RELIABLE_CONNECTION}, but each message says which of the
     * peer's shared receive queues it is for, and nothing is received.
     */
    XRC_SEND("XRC_SEND", Feature.XRC),
    /** Its receiving end, which has no queues of its own: {@link XrcDomain#createReceivingQueuePair}. */
    XRC_RECEIVE("XRC_RECV", Feature.XRC);

    private final String abbreviation;
    private final Feature feature;

    QueuePairType(String abbreviation, Feature feature) {
        this.abbreviation = abbreviation;
        this.feature = feature;
    }

    /** The name that the man pages use: RC, UC or UD, XRC_SEND or XRC_RECV. */
    public String abbreviation() {
        return abbreviation;
    }

    /** What a context must support for queue pairs of this type. */
    public Feature feature() {
        return feature;
    }
}
