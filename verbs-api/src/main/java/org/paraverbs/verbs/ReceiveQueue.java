// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * The receive queue of a queue pair ({@code ibv_post_recv(3)}). Batches, back pressure and threads are as for
 * {@link SendQueue}; a slot is free again when its completion has been polled.
 */
public interface ReceiveQueue {

    /**
     * Begins a receive. Without elements it takes messages of no bytes and RDMA WRITEs with immediate data.
     *
     * @param id comes back in the completion
     * @return the request, to be described further
     */
    ReceiveWorkRequest receive(long id);

    /**
     * Posts the batch.
     *
     * @throws PostException if not all receives were accepted; those before were posted
     */
    void post();

    /**
     * Posts what was accepted of the batch and forgets the rest.
     *
     * @return how many receives were posted, from the first one on
     * @throws PostException if the device refused a receive for another reason than a full queue
     */
    int tryPost();

    /** Forgets the batch. */
    void abandon();

    /** How many more receives the queue can take at this moment, those of the unposted batch counted as taken. */
    int available();
}
