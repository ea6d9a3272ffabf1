// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A completion queue ({@code ibv_create_cq(3)}).
 *
 * <p><b>Threads.</b> One thread polls at a time, since the completion handed out is a view that the next poll moves: two
 * threads that poll at the same moment get {@link IllegalStateException}. Any thread may close or ask for notification.
 *
 * <p>Completions of a queue pair that has been closed are not delivered any more.
 */
public interface CompletionQueue extends VerbsResource {

    /** The number of entries, at least as many as asked for. */
    int entries();

    /**
     * Gives the queue another size ({@code ibv_resize_cq(3)}); the completions in it stay. Polling may go on meanwhile.
     *
     * @param entries the least number of entries, from 1, and not less than the completions in it
     * @throws UnsupportedVerbException if the device does not have {@link Feature#RESIZE_COMPLETION_QUEUE}
     * @throws VerbsException if the device or a limit refuses
     * @throws IllegalStateException if the queue is closed
     */
    default void resize(int entries) {
        throw UnsupportedVerbException.of("ibv_resize_cq", this, Feature.RESIZE_COMPLETION_QUEUE);
    }

    /** The channel that notifies, or null if there is none. */
    @Nullable
    CompletionChannel channel();

    /**
     * Takes the next completion ({@code ibv_poll_cq(3)}). Allocates nothing and never blocks.
     *
     * @return a view that is valid until the next poll, or null if there is none
     * @throws IllegalStateException if the queue is closed, or another thread is polling it
     * @throws VerbsException if the queue is lost
     */
    @Nullable
    WorkCompletion poll();

    /**
     * Hands completions to a handler until there are no more or the limit is reached. The handler may post, and may
     * close resources, this queue included.
     *
     * @param handler is called for each completion; what it throws ends the call, and the completion counts as handled
     * @param limit the largest number of completions to handle
     * @return how many were handled
     * @throws IllegalStateException as for {@link #poll()}
     */
    default int poll(CompletionHandler handler, int limit) {
        int handled = 0;
        while (handled < limit) {
            WorkCompletion completion = poll();
            if (completion == null) {
                break;
            }
            handled++;
            handler.onCompletion(completion);
            if (!isOpen()) {
                break;
            }
        }
        return handled;
    }

    /**
     * Arms the queue: the next completion that arrives is notified once through the channel
     * ({@code ibv_req_notify_cq(3)}). Legal at any time and from any thread. A completion that arrived before may
     * go without, so arm, poll once more, and only then sleep.
     *
     * @param solicitedOnly true to be notified only of a message that its sender marked as solicited, and of errors
     * @throws IllegalStateException if the queue is closed or has no channel
     */
    void requestNotification(boolean solicitedOnly);
}
