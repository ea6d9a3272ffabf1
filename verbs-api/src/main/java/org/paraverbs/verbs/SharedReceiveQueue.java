// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * A queue of receives that several queue pairs of one protection domain take from ({@code ibv_create_srq(3)}), each the
 * oldest one when a message arrives. All methods may be called by any thread; {@link #receiveQueue()} belongs to one thread
 * at a time.
 */
public interface SharedReceiveQueue extends VerbsResource {

    /** How many receives can be outstanding, at least as many as asked for. */
    int receives();

    /** How many scatter/gather elements a receive can have, at least as many as asked for. */
    int elements();

    /**
     * The number by which messages of extended reliable connections name it ({@code ibv_get_srq_num(3)}), 24 bits.
     *
     * @throws UnsupportedVerbException if it is not of an {@link XrcDomain}
     */
    default int number() {
        throw new UnsupportedVerbException(
                "ibv_get_srq_num", toString(), "only queues of an XrcDomain have a number, see there");
    }

    /**
     * Where receives are posted ({@code ibv_post_srq_recv(3)}), always the same object. A slot is free again when the
     * completion of a receive that was taken from this queue, by whatever queue pair, has been polled.
     */
    ReceiveQueue receiveQueue();

    /**
     * Asks for {@link AsyncEventType#SHARED_RECEIVE_QUEUE_LIMIT_REACHED}, once, when fewer receives are left
     * ({@code ibv_modify_srq(3)}).
     *
     * @param limit the number of receives, 0 for never
     * @throws VerbsException if the device refuses; a limit beyond the size of the queue is EINVAL
     */
    void setLimit(int limit);

    /**
     * The limit that is still armed ({@code ibv_query_srq(3)}).
     *
     * @return the limit, 0 once the event was raised
     */
    int limit();
}
