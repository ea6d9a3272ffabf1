// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.QueuePair;

/** Waiting for asynchronous events. Some devices report more than what a test asks for, so others are passed over. */
final class Events {
    private static final int LOOKS_FOR_SILENCE = 500;

    private Events() {}

    /** Waits for the next event of a type. */
    static AsyncEvent await(Context context, AsyncEventType type) throws InterruptedException {
        for (int i = 0; i < 1_000; i++) {
            @Nullable AsyncEvent event = context.awaitAsyncEvent(Waiting.DEADLINE);
            assertThat(event).as("an event %s before the deadline", type).isNotNull();
            if (event.type() == type) {
                return event;
            }
        }
        throw new AssertionError("1000 events, but no " + type);
    }

    /** Polls for the next event of a type. */
    static AsyncEvent next(Context context, AsyncEventType type) {
        long start = System.nanoTime();
        @Nullable AsyncEvent event = context.pollAsyncEvent();
        while (event == null || event.type() != type) {
            Waiting.checkDeadline(start, "an event " + type);
            Waiting.pause();
            event = context.pollAsyncEvent();
        }
        return event;
    }

    /** An event of a type among those that come while one looks for a while; null if there is none, as is hoped. */
    static @Nullable AsyncEvent among(Context context, AsyncEventType type) {
        return among(context, event -> event.type() == type);
    }

    /** The same with an event that concerns a queue pair. */
    static @Nullable AsyncEvent ofQueuePair(Context context, QueuePair pair) {
        return among(context, event -> concerns(event, pair));
    }

    /** Polls for the next event that concerns a queue pair. */
    static AsyncEvent next(Context context, QueuePair pair) {
        long start = System.nanoTime();
        @Nullable AsyncEvent event = context.pollAsyncEvent();
        while (event == null || !concerns(event, pair)) {
            Waiting.checkDeadline(start, "an event of " + pair);
            Waiting.pause();
            event = context.pollAsyncEvent();
        }
        return event;
    }

    /** Whether an event is a queue pair's, but for a first message, of which devices may tell in several states. */
    @SuppressWarnings("ReferenceEquality") // an event names the object itself
    private static boolean concerns(AsyncEvent event, QueuePair pair) {
        return event instanceof AsyncEvent.OfQueuePair of
                && of.queuePair() == pair
                && of.type() != AsyncEventType.COMMUNICATION_ESTABLISHED;
    }

    private static @Nullable AsyncEvent among(Context context, Predicate<AsyncEvent> wanted) {
        for (int look = 0; look < LOOKS_FOR_SILENCE; look++) {
            @Nullable AsyncEvent event = context.pollAsyncEvent();
            if (event != null && wanted.test(event)) {
                return event;
            }
            Waiting.pause();
        }
        return null;
    }
}
