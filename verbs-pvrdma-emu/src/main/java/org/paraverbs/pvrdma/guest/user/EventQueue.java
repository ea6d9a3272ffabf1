// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.guest.kernel.EventListener;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The asynchronous events of a context that its program has not read yet. */
final class EventQueue implements EventListener {
    private static final Logger LOG = LoggerFactory.getLogger(EventQueue.class);

    /** A program that never reads its events must not fill the memory with them. */
    private static final int MAX_UNREAD = 4096;

    private static final int PERMITS_FOR_ALL = 1 << 30;

    private final String device;
    private final HandleTable<PvrdmaQueuePair> queuePairs;
    private final HandleTable<PvrdmaCompletionQueue> completionQueues;
    private final HandleTable<PvrdmaSharedReceiveQueue> sharedReceiveQueues;

    private final Queue<AsyncEvent> unread = new ConcurrentLinkedQueue<>();
    private final AtomicInteger lost = new AtomicInteger();

    /** One permit for each event. */
    private final Semaphore arrived = new Semaphore(0);

    EventQueue(
            String device,
            HandleTable<PvrdmaQueuePair> queuePairs,
            HandleTable<PvrdmaCompletionQueue> completionQueues,
            HandleTable<PvrdmaSharedReceiveQueue> sharedReceiveQueues) {
        this.device = device;
        this.queuePairs = queuePairs;
        this.completionQueues = completionQueues;
        this.sharedReceiveQueues = sharedReceiveQueues;
    }

    @Override
    public void onQueuePairEvent(int type, int handle) {
        add(new AsyncEvent.OfQueuePair(AsyncEventType.ofCode(type), type, queuePairs.get(handle)));
    }

    @Override
    public void onCompletionQueueEvent(int type, int handle) {
        PvrdmaCompletionQueue queue = completionQueues.get(handle);
        if (queue != null) {
            queue.onError();
        }
        add(new AsyncEvent.OfCompletionQueue(AsyncEventType.ofCode(type), type, queue));
    }

    @Override
    public void onSharedReceiveQueueEvent(int type, int handle) {
        add(new AsyncEvent.OfSharedReceiveQueue(AsyncEventType.ofCode(type), type, sharedReceiveQueues.get(handle)));
    }

    @Override
    public void onPortEvent(int type, int port) {
        AsyncEventType known = AsyncEventType.ofCode(type);
        add(
                type == EventType.DEVICE_FATAL
                        ? new AsyncEvent.OfDevice(known, type)
                        : new AsyncEvent.OfPort(known, type, port));
    }

    /** Any thread; the bound is exceeded by as many events as threads, at most. */
    private void add(AsyncEvent event) {
        if (arrived.availablePermits() >= MAX_UNREAD) {
            lost.incrementAndGet();
            return;
        }
        unread.add(event);
        arrived.release();
    }

    /** The next event, or null. */
    @Nullable
    AsyncEvent poll() {
        return arrived.tryAcquire() ? next() : null;
    }

    /** The next event, or null after the timeout or when the queue was closed. */
    @Nullable
    AsyncEvent await(Duration timeout) throws InterruptedException {
        return arrived.tryAcquire(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS) ? next() : null;
    }

    private @Nullable AsyncEvent next() {
        int missing = lost.getAndSet(0);
        if (missing > 0) {
            LOG.warn(
                    "{}: {} asynchronous events are lost, since {} had not been read: read them as they come, with"
                            + " Context.awaitAsyncEvent",
                    device,
                    missing,
                    MAX_UNREAD);
        }
        AsyncEvent event = unread.poll();
        // what was closed in the meantime is not handed out
        return switch (event) {
            case AsyncEvent.OfQueuePair(var type, var rawType, var pair)
            when pair != null && !pair.isOpen() -> new AsyncEvent.OfQueuePair(type, rawType, null);
            case AsyncEvent.OfCompletionQueue(var type, var rawType, var queue)
            when queue != null && !queue.isOpen() -> new AsyncEvent.OfCompletionQueue(type, rawType, null);
            case AsyncEvent.OfSharedReceiveQueue(var type, var rawType, var queue)
            when queue != null && !queue.isOpen() -> new AsyncEvent.OfSharedReceiveQueue(type, rawType, null);
            case null, default -> event;
        };
    }

    /** Wakes everybody who waits. */
    void close() {
        arrived.release(PERMITS_FOR_ALL);
    }
}
