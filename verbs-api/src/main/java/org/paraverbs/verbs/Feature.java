// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * What a device and its provider may or may not be able to do; asked before use with {@link Context#supports(Feature)}.
 * What a context does not support is answered with {@link UnsupportedVerbException}.
 */
public enum Feature {
    /** Reliable connected queue pairs. */
    RELIABLE_CONNECTION,
    /** Unreliable connected queue pairs. */
    UNRELIABLE_CONNECTION,
    /** Unreliable datagram queue pairs and address handles. */
    UNRELIABLE_DATAGRAM,
    /** Shared receive queues. */
    SHARED_RECEIVE_QUEUE,
    /** Compare-and-swap and fetch-and-add. */
    ATOMICS,
    /** RDMA READ. */
    READ,
    /** Inline data in send requests ({@code IBV_SEND_INLINE}). The vmw_pvrdma provider has none. */
    INLINE,
    /** Completion channels and notification. */
    COMPLETION_CHANNEL,
    /** Asynchronous events. */
    ASYNC_EVENTS,
    /** Changing the size of a completion queue. */
    RESIZE_COMPLETION_QUEUE,
    /** Memory windows of type 2, local invalidation, and SENDs that invalidate. */
    MEMORY_WINDOW,
    /** Multicast groups of datagram queue pairs. */
    MULTICAST,
    /** Attributes beyond {@link DeviceAttributes}, of libibverbs only. */
    EXTENDED_ATTRIBUTES,
    /** Regions whose address in requests is not that of the memory, of libibverbs only. */
    REGISTER_AT_ADDRESS,
    /** Changing the memory, the protection domain or the rights of a region. The vmw_pvrdma provider has none of it. */
    REREGISTRATION,
    /** Regions of a dma-buf: memory of another device, such as a graphics card. */
    DMA_BUF,
    /** Extended reliable connections: domains, queue pairs and shared receive queues of XRC. */
    XRC,
    /** Completions that say when they were made. */
    COMPLETION_TIMESTAMP
}
