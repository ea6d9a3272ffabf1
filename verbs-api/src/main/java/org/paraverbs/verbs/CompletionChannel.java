// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where a program sleeps until completions arrive ({@code ibv_create_comp_channel(3)},
 * {@code ibv_get_cq_event(3)}). A channel may serve several completion queues. Any number of threads may wait; each
 * notification goes to one of them. Notifications need no acknowledgement.
 */
public interface CompletionChannel extends VerbsResource {

    /**
     * Takes a notification if there is one.
     *
     * @return the completion queue that was notified and is no longer armed, or null if there is none; a queue that has
     *     been closed in the meantime is not reported
     * @throws IllegalStateException if the channel is closed
     */
    @Nullable
    CompletionQueue poll();

    /**
     * Waits for a notification.
     *
     * @param timeout how long to wait at most
     * @return as {@link #poll()}, null after the timeout
     * @throws InterruptedException if the thread was interrupted
     * @throws IllegalStateException if the channel is closed, also by another thread in the meantime
     */
    @Nullable
    CompletionQueue await(Duration timeout) throws InterruptedException;
}
