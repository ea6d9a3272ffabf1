// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.Context;

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

    /** An event of a type among those that come while one looks for a while; null if there is none, as is hoped. */
    static @Nullable AsyncEvent among(Context context, AsyncEventType type) {
        for (int look = 0; look < LOOKS_FOR_SILENCE; look++) {
            @Nullable AsyncEvent event = context.pollAsyncEvent();
            if (event != null && event.type() == type) {
                return event;
            }
            Waiting.pause();
        }
        return null;
    }
}
