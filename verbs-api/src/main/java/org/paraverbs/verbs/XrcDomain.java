// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * A domain of extended reliable connections ({@code ibv_open_xrcd(3)}; InfiniBand Architecture Specification, volume 1, annex
 * A14). A program that talks to many peers has a connection to each machine instead of one to each of its threads or
 * processes: messages that arrive at a receiving queue pair of a domain go to whichever shared receive queue of the domain
 * they name by its number.
 *
 * <p>All methods may be called by any thread.
 */
public interface XrcDomain extends VerbsResource {

    /**
     * Creates a queue pair that receives for the domain, in state RESET ({@code ibv_create_qp_ex(3)}, {@code IBV_QPT_XRC_RECV}).
     * It is connected to a queue pair of type {@link QueuePairType#XRC_SEND} and has neither a send nor a receive queue: {@link
     * QueuePair#sendQueue()} and {@link QueuePair#receiveQueue()} throw {@link IllegalStateException}.
     *
     * @return the queue pair
     * @throws VerbsException if the device or a limit refuses
     */
    QueuePair createReceivingQueuePair();

    /**
     * Creates a queue of receives of the domain ({@code ibv_create_srq_ex(3)}, {@code IBV_SRQT_XRC}). Peers name it by its
     * {@link SharedReceiveQueue#number()}.
     *
     * @param domain the protection domain of its memory, of the same context
     * @param completions where its receives complete, whatever queue pair they came through
     * @param receives as for {@link ProtectionDomain#createSharedReceiveQueue}
     * @param elements likewise
     * @return the queue, possibly larger
     * @throws IllegalArgumentException if the protection domain or the completion queue is of another context
     * @throws VerbsException if the device or a limit refuses
     */
    SharedReceiveQueue createSharedReceiveQueue(
            ProtectionDomain domain, CompletionQueue completions, int receives, int elements);
}
