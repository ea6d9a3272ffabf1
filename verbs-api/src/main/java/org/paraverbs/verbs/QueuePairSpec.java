// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How to create a queue pair ({@code struct ibv_qp_init_attr}).
 *
 * <p>{@code QueuePairSpec.reliable(cq).withDepth(64)} is an RC queue pair with room for 64 requests in each direction.
 *
 * @param type the transport service
 * @param sendCompletions where requests of the send queue complete
 * @param receiveCompletions where receives complete
 * @param capacity the sizes of its queues
 * @param signalAll whether every send request completes with a completion, also without
 *     {@link SendWorkRequest#signaled()} ({@code sq_sig_all})
 * @param sharedReceives the queue that its receives come from, of the same protection domain; null if it has a receive
 *     queue of its own
 */
public record QueuePairSpec(
        QueuePairType type,
        CompletionQueue sendCompletions,
        CompletionQueue receiveCompletions,
        QueuePairCapacity capacity,
        boolean signalAll,
        @Nullable SharedReceiveQueue sharedReceives) {

    private static final QueuePairCapacity DEFAULT_CAPACITY = new QueuePairCapacity(128, 128, 1, 1, 0);

    /** Checks that nothing is null but the shared receive queue. */
    public QueuePairSpec {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(sendCompletions, "sendCompletions");
        Objects.requireNonNull(receiveCompletions, "receiveCompletions");
        Objects.requireNonNull(capacity, "capacity");
    }

    /**
     * An RC queue pair of depth 128 with one element a request, both of whose queues complete on one completion queue.
     *
     * @param completions the completion queue
     * @return the specification
     */
    public static QueuePairSpec reliable(CompletionQueue completions) {
        return reliable(completions, completions);
    }

    /**
     * An RC queue pair of depth 128 with one element a request.
     *
     * @param sendCompletions where requests of the send queue complete
     * @param receiveCompletions where receives complete
     * @return the specification
     */
    public static QueuePairSpec reliable(CompletionQueue sendCompletions, CompletionQueue receiveCompletions) {
        return of(QueuePairType.RELIABLE_CONNECTION, sendCompletions, receiveCompletions);
    }

    /**
     * A UC queue pair of depth 128 with one element a request, both of whose queues complete on one completion queue.
     *
     * @param completions the completion queue
     * @return the specification
     */
    public static QueuePairSpec unreliable(CompletionQueue completions) {
        return of(QueuePairType.UNRELIABLE_CONNECTION, completions, completions);
    }

    /**
     * A UD queue pair of depth 128 with one element a request, both of whose queues complete on one completion queue.
     *
     * @param completions the completion queue
     * @return the specification
     */
    public static QueuePairSpec datagram(CompletionQueue completions) {
        return of(QueuePairType.UNRELIABLE_DATAGRAM, completions, completions);
    }

    /**
     * The sending end of an extended reliable connection, of depth 128 with one element a request.
     *
     * @param completions where its requests complete
     * @return the specification
     */
    public static QueuePairSpec xrcSend(CompletionQueue completions) {
        return of(QueuePairType.XRC_SEND, completions, completions).withDepth(DEFAULT_CAPACITY.maxSends(), 0);
    }

    /**
     * A queue pair of depth 128 with one element a request.
     *
     * @param type the transport service
     * @param sendCompletions where requests of the send queue complete
     * @param receiveCompletions where receives complete
     * @return the specification
     */
    public static QueuePairSpec of(
            QueuePairType type, CompletionQueue sendCompletions, CompletionQueue receiveCompletions) {
        return new QueuePairSpec(type, sendCompletions, receiveCompletions, DEFAULT_CAPACITY, false, null);
    }

    /**
     * The same with room for as many outstanding requests in each queue.
     *
     * @param depth requests, from 1
     * @return the changed specification
     */
    public QueuePairSpec withDepth(int depth) {
        return withDepth(depth, depth);
    }

    /**
     * The same with room for as many outstanding requests.
     *
     * @param sendDepth requests of the send queue, from 1
     * @param receiveDepth receives, from 0
     * @return the changed specification
     */
    public QueuePairSpec withDepth(int sendDepth, int receiveDepth) {
        return withCapacity(new QueuePairCapacity(
                sendDepth,
                receiveDepth,
                capacity.maxSendElements(),
                capacity.maxReceiveElements(),
                capacity.maxInlineSize()));
    }

    /**
     * The same with as many scatter/gather elements a request.
     *
     * @param sendElements elements of a send request, from 1
     * @param receiveElements elements of a receive, from 1
     * @return the changed specification
     */
    public QueuePairSpec withElements(int sendElements, int receiveElements) {
        return withCapacity(new QueuePairCapacity(
                capacity.maxSends(), capacity.maxReceives(), sendElements, receiveElements, capacity.maxInlineSize()));
    }

    /**
     * The same with as much inline data. What the device really gives is in {@link QueuePair#capacity()} and may be 0.
     *
     * @param byteSize bytes of inline data of a request, from 0
     * @return the changed specification
     */
    public QueuePairSpec withInline(int byteSize) {
        return withCapacity(new QueuePairCapacity(
                capacity.maxSends(),
                capacity.maxReceives(),
                capacity.maxSendElements(),
                capacity.maxReceiveElements(),
                byteSize));
    }

    /**
     * The same with other sizes.
     *
     * @param newCapacity the sizes
     * @return the changed specification
     */
    public QueuePairSpec withCapacity(QueuePairCapacity newCapacity) {
        return new QueuePairSpec(type, sendCompletions, receiveCompletions, newCapacity, signalAll, sharedReceives);
    }

    /** The same with a completion for every send request. */
    public QueuePairSpec withSignalAll() {
        return new QueuePairSpec(type, sendCompletions, receiveCompletions, capacity, true, sharedReceives);
    }

    /**
     * The same with receives from a shared queue; the depth and the elements of receives count no more.
     *
     * @param queue a queue of the protection domain that the queue pair is created in
     * @return the changed specification
     */
    public QueuePairSpec withSharedReceiveQueue(SharedReceiveQueue queue) {
        return new QueuePairSpec(type, sendCompletions, receiveCompletions, capacity, signalAll, queue);
    }
}
