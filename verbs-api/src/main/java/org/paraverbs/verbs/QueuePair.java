// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A queue pair ({@code ibv_create_qp(3)}). Its queues belong to one thread at a time each; everything else may be called
 * by any thread.
 */
public interface QueuePair extends VerbsResource {

    /** What is set aside in front of each datagram received, for its global route header. */
    int GLOBAL_ROUTE_HEADER_BYTES = 40;

    /**
     * The Q_Key of datagram queue pairs that {@link #endpoint()} opened. Its highest bit is clear: such keys are for
     * privileged users.
     */
    int DATAGRAM_QKEY = 0x1111_1111;

    /** The queue pair number that datagrams to a multicast group are sent to. */
    int MULTICAST_QPN = 0xff_ffff;

    /** The queue pair number, 24 bits. */
    int qpn();

    /** The transport service. */
    QueuePairType type();

    /** The sizes of its queues as the device gave them. */
    QueuePairCapacity capacity();

    /**
     * The state. Asks the device, since a queue pair goes to {@link QueuePairState#ERROR} by itself.
     *
     * @return the state at this moment
     */
    QueuePairState state();

    /**
     * Asks the device for the attributes ({@code ibv_query_qp(3)}).
     *
     * @return the attributes at this moment
     */
    QueuePairAttributes query();

    /**
     * What the peer needs to connect, on the first active port and its best GID: RoCE v2 over IPv4 first, never an empty
     * one, a link-local one only if there is nothing else. Takes the queue pair from RESET to INIT, so that receives may
     * be posted before the peer sends; every remote access that the device supports is allowed through the queue pair, so
     * that the keys of memory regions decide. A datagram queue pair takes datagrams with {@link #DATAGRAM_QKEY}.
     *
     * <p>The answer is the same each time until the queue pair is reset.
     *
     * @return the endpoint
     * @throws VerbsException if no port is active (ENETDOWN) or has a usable GID (ENODATA)
     */
    Endpoint endpoint();

    /**
     * The same for a port and GID of the caller's choice.
     *
     * @param port from 1
     * @param gidIndex an index of its GID table
     * @return the endpoint
     * @throws VerbsException if the port is not active or the entry is empty
     */
    Endpoint endpoint(int port, int gidIndex);

    /**
     * Why {@link #endpoint()} took the port and GID that it took, in one sentence for people.
     *
     * @return the sentence
     * @throws IllegalStateException if {@link #endpoint()} has not been called
     */
    String endpointChoice();

    /**
     * Connects to a peer: goes from INIT to RTR and RTS with the smaller path MTU of both sides and, if it is reliable, the
     * smaller read depth of both, the default acknowledge timeout and RNR timer, 7 retries, and RNR retries without end.
     *
     * @param remote the peer's endpoint
     * @throws IllegalStateException if {@link #endpoint()} has not been called, or this is a datagram queue pair
     * @throws VerbsException if the peer's GID does not go with ours (EINVAL), or the device refuses
     */
    void connect(Endpoint remote);

    /**
     * Takes a datagram queue pair from INIT to RTR and RTS: from then on it sends to and receives from any peer.
     *
     * @throws IllegalStateException if {@link #endpoint()} has not been called, or this is not a datagram queue pair
     * @throws VerbsException if the device refuses
     */
    void activate();

    /**
     * The way to a peer from the port and GID that {@link #endpoint()} took, for {@link
     * ProtectionDomain#createAddressHandle}.
     *
     * @param remote the peer's endpoint
     * @return the way
     * @throws IllegalStateException if {@link #endpoint()} has not been called
     * @throws VerbsException if the peer's GID does not go with ours (EINVAL)
     */
    Route routeTo(Endpoint remote);

    /**
     * Takes one step ({@code ibv_modify_qp(3)}).
     *
     * @param transition the step
     * @throws QueuePairStateException if the specification has no such step from the present state
     * @throws VerbsException if the device refuses
     */
    void modify(Transition transition);

    /**
     * Joins a multicast group: datagrams that are sent to it are received by this queue pair too ({@code
     * ibv_attach_mcast(3)}). A sender makes an address handle to the group and sends to {@link #MULTICAST_QPN}. On
     * InfiniBand the subnet manager has to be told as well, on Ethernet the host's network stack has to join the group (as
     * {@link java.net.MulticastSocket} does), which this does not do.
     *
     * @param group the group's GID: ff00::/8, or a mapped IPv4 multicast address
     * @param lid the group's LID on InfiniBand, 0 on Ethernet
     * @throws UnsupportedVerbException if the device does not have {@link Feature#MULTICAST}
     * @throws VerbsException EINVAL if the GID is no multicast one or this is not a datagram queue pair, or the device refuses
     */
    default void attachMulticast(Gid group, int lid) {
        throw UnsupportedVerbException.of("ibv_attach_mcast", this, Feature.MULTICAST);
    }

    /**
     * Leaves a multicast group ({@code ibv_detach_mcast(3)}); closing the queue pair leaves all.
     *
     * @param group as it was joined
     * @param lid likewise
     * @throws UnsupportedVerbException if the device does not have {@link Feature#MULTICAST}
     * @throws VerbsException EINVAL if it was not joined, or the device refuses
     */
    default void detachMulticast(Gid group, int lid) {
        throw UnsupportedVerbException.of("ibv_detach_mcast", this, Feature.MULTICAST);
    }

    /**
     * The first completion with an error that was polled for this queue pair, kept apart from the flushed ones that
     * follow it.
     *
     * @return the completion, or null if none failed
     */
    @Nullable
    CompletionRecord firstError();

    /** The send queue, always the same object. */
    SendQueue sendQueue();

    /**
     * The receive queue, always the same object.
     *
     * @throws IllegalStateException if the receives come from a {@link SharedReceiveQueue}: post there
     */
    ReceiveQueue receiveQueue();

    /** The queue that receives are taken from, or null if the queue pair has its own. */
    @Nullable
    SharedReceiveQueue sharedReceiveQueue();
}
