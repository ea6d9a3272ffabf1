// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import org.jspecify.annotations.Nullable;

/** An asynchronous event of a device ({@code struct ibv_async_event}), by what it concerns. */
public sealed interface AsyncEvent {

    /** The kind of the event. */
    AsyncEventType type();

    /** The code of the kind as the device gave it. */
    int rawType();

    /**
     * An event of a queue pair.
     *
     * @param type the kind
     * @param rawType the code of the kind
     * @param queuePair the queue pair, or null if it was closed in the meantime
     */
    record OfQueuePair(
            AsyncEventType type, int rawType, @Nullable QueuePair queuePair) implements AsyncEvent {}

    /**
     * An event of a completion queue.
     *
     * @param type the kind
     * @param rawType the code of the kind
     * @param completionQueue the completion queue, or null if it was closed in the meantime
     */
    record OfCompletionQueue(
            AsyncEventType type, int rawType, @Nullable CompletionQueue completionQueue) implements AsyncEvent {}

    /**
     * An event of a shared receive queue.
     *
     * @param type the kind
     * @param rawType the code of the kind
     * @param sharedReceiveQueue the queue, or null if it was closed in the meantime
     */
    record OfSharedReceiveQueue(
            AsyncEventType type, int rawType, @Nullable SharedReceiveQueue sharedReceiveQueue) implements AsyncEvent {}

    /**
     * An event of a port.
     *
     * @param type the kind
     * @param rawType the code of the kind
     * @param port the port, from 1
     */
    record OfPort(AsyncEventType type, int rawType, int port) implements AsyncEvent {}

    /**
     * An event of the device, or one that concerns something this version does not know.
     *
     * @param type the kind
     * @param rawType the code of the kind
     */
    record OfDevice(AsyncEventType type, int rawType) implements AsyncEvent {}
}
