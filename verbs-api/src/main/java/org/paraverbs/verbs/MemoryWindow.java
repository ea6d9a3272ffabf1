// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * A memory window of type 2 ({@code ibv_alloc_mw(3)}): a remote key to a part of a memory region, given and taken back by
 * requests of a send queue, without the kernel. It is bound to the queue pair that binds it: only that one's peer can use
 * the key.
 *
 * <p>{@link SendQueue#bind} gives it a part of a region and a new key; {@link SendQueue#invalidate}, or the peer's {@link
 * SendQueue#sendWithInvalidate}, takes them back, after which it can be bound again. A window that is bound when its queue
 * pair or its region is closed goes with it.
 *
 * <p>Any thread may close it. It belongs to the thread that posts the requests that bind it.
 */
public interface MemoryWindow extends VerbsResource {

    /**
     * The key that peers use from the completion of the bind on that was described last; before the first one it leads
     * nowhere.
     */
    int rkey();
}
