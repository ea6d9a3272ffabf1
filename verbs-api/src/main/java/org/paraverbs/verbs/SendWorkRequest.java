// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.lang.foreign.MemorySegment;

/**
 * The request that was begun last on a {@link SendQueue} ({@code struct ibv_send_wr}): always the same object, valid
 * until the next call on the queue.
 */
public interface SendWorkRequest {

    /**
     * Adds a scatter/gather element: the bytes to send or write, or where to put the bytes read.
     *
     * @param region a region of the queue pair's protection domain
     * @param offset the first byte within the region
     * @param length the number of bytes, 0 to 2^32 - 1
     * @return this
     * @throws IndexOutOfBoundsException if that is outside the region
     * @throws IllegalArgumentException if the request has the most elements of its queue already, the message becomes
     *     longer than the peer's memory that it is for, or the request has inline data
     */
    SendWorkRequest local(MemoryRegion region, long offset, long length);

    /**
     * Puts data in the request itself: it is copied now and needs no memory region. The device must have room for it, see
     * {@link QueuePairCapacity#maxInlineSize()}.
     *
     * @param data any memory
     * @param offset the first byte within it
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if that is outside the memory
     * @throws IllegalArgumentException if it is longer than the queue pair allows, the request has data already, or it is
     *     a READ
     */
    SendWorkRequest inline(MemorySegment data, long offset, long length);

    /** Asks for a completion of this request ({@code IBV_SEND_SIGNALED}). */
    SendWorkRequest signaled();

    /**
     * Marks the message as solicited: it wakes a peer that waits for solicited ones only ({@code IBV_SEND_SOLICITED}).
     */
    SendWorkRequest solicited();

    /** Waits for all READs and atomics posted before ({@code IBV_SEND_FENCE}). */
    SendWorkRequest fenced();

    /**
     * Says where a datagram goes (UD); each request needs it.
     *
     * @param handle the way to the peer, of the queue pair's protection domain
     * @param remoteQpn the peer's queue pair number, 24 bits
     * @param qkey the Q_Key of the peer's queue pair, see {@link QueuePair#DATAGRAM_QKEY}; with the highest bit set, that of
     *     the sending queue pair is sent instead
     * @return this
     * @throws IllegalArgumentException if the queue pair is not UD, the number has more bits, or the handle is not one of
     *     this provider's
     * @throws IllegalStateException if the handle is closed
     */
    SendWorkRequest to(AddressHandle handle, int remoteQpn, int qkey);

    /**
     * Says which shared receive queue of the peer the message is for ({@link QueuePairType#XRC_SEND}); each request that takes a
     * receive of the peer needs it.
     *
     * @param number its {@link SharedReceiveQueue#number()}, 24 bits
     * @return this
     * @throws IllegalArgumentException if the queue pair is of another type, or the number has more bits
     */
    default SendWorkRequest toSharedReceiveQueue(int number) {
        throw new IllegalArgumentException("only XRC_SEND queue pairs name a shared receive queue of the peer");
    }
}
