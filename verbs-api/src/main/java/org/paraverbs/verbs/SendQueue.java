// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.util.Set;

/**
 * The send queue of a queue pair ({@code ibv_post_send(3)}).
 *
 * <p>Requests are described one after the other and posted together, with one doorbell:
 *
 * <pre>{@code
 * sends.write(1, peer, 0).local(mr, 0, 32);
 * sends.write(2, peer, 32).local(mr, 32, 32).signaled();
 * sends.post();
 * }</pre>
 *
 * <p>A batch begins with its first request. Requests beyond the free slots of the queue are counted, but not written:
 * {@link #tryPost()} posts those that were accepted and answers how many they were, {@link #post()} throws when they were
 * not all. A request whose description throws is taken out of the batch; the others stay.
 *
 * <p>UC has neither READs nor atomics, and UD has only SENDs: beginning another request on them throws {@link
 * IllegalArgumentException}.
 *
 * <p>A slot is free again when the completion of its request, or of a later one of this queue, has been polled: ask for a
 * completion ({@link SendWorkRequest#signaled()}) at least once in as many requests as the queue holds.
 *
 * <p><b>Threads.</b> One thread at a time. Two threads that post at the same moment get {@link IllegalStateException}; so
 * does every call after the queue pair was closed. No method allocates or blocks.
 */
public interface SendQueue {

    /**
     * Begins a SEND.
     *
     * @param id comes back in the completion
     * @return the request, to be described further
     */
    SendWorkRequest send(long id);

    /**
     * Begins a SEND with immediate data.
     *
     * @param id comes back in the completion
     * @param immediate goes to the peer's completion
     * @return the request, to be described further
     */
    SendWorkRequest sendWithImmediate(long id, int immediate);

    /**
     * Begins an RDMA WRITE. The number of bytes is the sum of its local elements.
     *
     * @param id comes back in the completion
     * @param remote the peer's memory
     * @param offset where to write in it, 0 to its length
     * @return the request, to be described further
     * @throws IndexOutOfBoundsException if the offset lies outside the peer's memory
     */
    SendWorkRequest write(long id, RemoteBuffer remote, long offset);

    /**
     * Begins an RDMA WRITE that also consumes a receive of the peer and gives it immediate data.
     *
     * @param id comes back in the completion
     * @param remote the peer's memory
     * @param offset where to write in it, 0 to its length
     * @param immediate goes to the peer's completion
     * @return the request, to be described further
     * @throws IndexOutOfBoundsException if the offset lies outside the peer's memory
     */
    SendWorkRequest writeWithImmediate(long id, RemoteBuffer remote, long offset, int immediate);

    /**
     * Begins an RDMA READ. The number of bytes is the sum of its local elements, whose regions need
     * {@link Access#LOCAL_WRITE}.
     *
     * @param id comes back in the completion
     * @param remote the peer's memory
     * @param offset where to read in it, 0 to its length
     * @return the request, to be described further
     * @throws IndexOutOfBoundsException if the offset lies outside the peer's memory
     */
    SendWorkRequest read(long id, RemoteBuffer remote, long offset);

    /**
     * Begins a compare-and-swap: replaces 8 bytes of the peer if they are what is expected. What they were before comes
     * into the local element, 8 bytes with {@link Access#LOCAL_WRITE}. All numbers are in host order.
     *
     * @param id comes back in the completion
     * @param remote the peer's memory, with {@link Access#REMOTE_ATOMIC}
     * @param offset where in it, 0 to its length - 8; the address must be a multiple of 8
     * @param expected what is compared with
     * @param replacement what is written if they are equal
     * @return the request, to be described further
     * @throws IndexOutOfBoundsException if that lies outside the peer's memory
     * @throws IllegalArgumentException if the address is not a multiple of 8
     * @throws UnsupportedVerbException if the device does not have {@link Feature#ATOMICS}
     */
    SendWorkRequest compareAndSwap(long id, RemoteBuffer remote, long offset, long expected, long replacement);

    /**
     * Begins a fetch-and-add: adds to 8 bytes of the peer. What they were before comes into the local element, 8 bytes with
     * {@link Access#LOCAL_WRITE}. All numbers are in host order.
     *
     * @param id comes back in the completion
     * @param remote the peer's memory, with {@link Access#REMOTE_ATOMIC}
     * @param offset where in it, 0 to its length - 8; the address must be a multiple of 8
     * @param addend what is added, modulo 2^64
     * @return the request, to be described further
     * @throws IndexOutOfBoundsException if that lies outside the peer's memory
     * @throws IllegalArgumentException if the address is not a multiple of 8
     * @throws UnsupportedVerbException if the device does not have {@link Feature#ATOMICS}
     */
    SendWorkRequest fetchAndAdd(long id, RemoteBuffer remote, long offset, long addend);

    /**
     * Begins the binding of a memory window ({@code IBV_WR_BIND_MW}, type 2): gives it a part of a region and a new {@link
     * MemoryWindow#rkey()}. Peers may use the key once the request has completed; with {@code fenced} requests after it in
     * the same queue, such as the SEND that tells them, need not wait for that. The request has no data. A window is bound
     * at most once in a batch.
     *
     * @param id comes back in the completion, {@link Opcode#BIND_MEMORY_WINDOW}
     * @param window a window of the queue pair's protection domain that is not bound
     * @param region a region of the same protection domain with {@link Access#MEMORY_WINDOW_BIND}
     * @param offset the first byte within the region
     * @param length the number of bytes, from 1
     * @param access what the peer may do: remote rights only, those to write need {@link Access#LOCAL_WRITE} of the region
     * @return the request, to be described further
     * @throws IndexOutOfBoundsException if that is outside the region
     * @throws IllegalArgumentException if the region or the rights do not allow it, or they are of other protection domains
     * @throws IllegalStateException if one of them is closed
     * @throws UnsupportedVerbException if the device does not have {@link Feature#MEMORY_WINDOW}
     */
    default SendWorkRequest bind(
            long id, MemoryWindow window, MemoryRegion region, long offset, long length, Set<Access> access) {
        throw UnsupportedVerbException.of("ibv_post_send", this, Feature.MEMORY_WINDOW);
    }

    /**
     * Begins a local invalidation ({@code IBV_WR_LOCAL_INV}): the key leads nowhere from then on. The request has no data.
     *
     * @param id comes back in the completion, {@link Opcode#LOCAL_INVALIDATE}
     * @param rkey the key of a window that is bound through this queue pair
     * @return the request, to be described further
     * @throws UnsupportedVerbException if the device does not have {@link Feature#MEMORY_WINDOW}
     */
    default SendWorkRequest invalidate(long id, int rkey) {
        throw UnsupportedVerbException.of("ibv_post_send", this, Feature.MEMORY_WINDOW);
    }

    /**
     * Begins a SEND that also takes back a key of the peer's ({@code IBV_WR_SEND_WITH_INV}): what a window gave to us is told
     * to be used no more. The peer finds it in {@link WorkCompletion#invalidatedKey()}. RC only.
     *
     * @param id comes back in the completion
     * @param remoteKey the key of a window that the peer's queue pair has bound
     * @return the request, to be described further
     * @throws UnsupportedVerbException if the device does not have {@link Feature#MEMORY_WINDOW}
     */
    default SendWorkRequest sendWithInvalidate(long id, int remoteKey) {
        throw UnsupportedVerbException.of("ibv_post_send", this, Feature.MEMORY_WINDOW);
    }

    /**
     * Posts the batch.
     *
     * @throws IllegalStateException if the last request is a datagram without {@linkplain SendWorkRequest#to destination}, or
     *     a message without {@linkplain SendWorkRequest#toSharedReceiveQueue shared receive queue} on XRC; it is taken out of
     *     the batch
     * @throws PostException if not all requests were accepted; those before were posted
     */
    void post();

    /**
     * Posts what was accepted of the batch and forgets the rest: a full queue is back pressure, not an error.
     *
     * @return how many requests were posted, from the first one on; 0 for an empty batch
     * @throws PostException if the device refused a request for another reason than a full queue
     */
    int tryPost();

    /** Forgets the batch ({@code ibv_wr_abort(3)}). */
    void abandon();

    /** How many more requests the queue can take at this moment, those of the unposted batch counted as taken. */
    int available();
}
