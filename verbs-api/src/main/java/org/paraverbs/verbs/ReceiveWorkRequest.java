// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * The receive that was begun last on a {@link ReceiveQueue} ({@code struct ibv_recv_wr}): always the same object, valid
 * until the next call on the queue.
 */
public interface ReceiveWorkRequest {

    /**
     * Adds a scatter/gather element to receive into.
     *
     * @param region a region of the queue pair's protection domain with {@link Access#LOCAL_WRITE}
     * @param offset the first byte within the region
     * @param length the number of bytes, 0 to 2^32 - 1
     * @return this
     * @throws IndexOutOfBoundsException if that is outside the region
     * @throws IllegalArgumentException if the request has the most elements of its queue already
     */
    ReceiveWorkRequest local(MemoryRegion region, long offset, long length);
}
