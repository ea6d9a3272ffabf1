// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** The transport service of a queue pair ({@code enum ibv_qp_type}). */
public enum QueuePairType {
    /** Reliable connection: in order, acknowledged; SEND, RDMA WRITE and READ, atomics. */
    RELIABLE_CONNECTION("RC", Feature.RELIABLE_CONNECTION),
    /** Unreliable connection: in order, not acknowledged; SEND and RDMA WRITE. */
    UNRELIABLE_CONNECTION("UC", Feature.UNRELIABLE_CONNECTION),
    /** Unreliable datagram: messages of one packet to any peer. */
    UNRELIABLE_DATAGRAM("UD", Feature.UNRELIABLE_DATAGRAM);

    private final String abbreviation;
    private final Feature feature;

    QueuePairType(String abbreviation, Feature feature) {
        this.abbreviation = abbreviation;
        this.feature = feature;
    }

    /** The name that the man pages use: RC, UC or UD. */
    public String abbreviation() {
        return abbreviation;
    }

    /** What a context must support for queue pairs of this type. */
    public Feature feature() {
        return feature;
    }
}
