// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import java.lang.foreign.MemorySegment;

/**
 * A protection domain ({@code ibv_alloc_pd(3)}): memory regions and queue pairs work together only within one. All
 * methods may be called by any thread.
 */
public interface ProtectionDomain extends VerbsResource {

    /**
     * Allocates memory and registers it. The memory is page aligned and zero; it is deregistered and then freed when
     * the region is closed.
     *
     * @param byteSize the number of bytes, from 1
     * @param access what may be done with it; reading by the local device is always allowed
     * @return the region
     * @throws IllegalArgumentException if the size is not positive, or a remote right to write lacks
     *     {@link Access#LOCAL_WRITE}
     * @throws VerbsException if the device or a limit refuses
     */
    default MemoryRegion allocate(long byteSize, Access... access) {
        return allocate(byteSize, PageSize.BASE, access);
    }

    /**
     * Allocates memory with an alignment that suits pages of a size, and registers it.
     *
     * @param byteSize the number of bytes, from 1
     * @param pageSize the alignment, and the pages that the system is asked for; it may fall short of them
     * @param access as for {@link #allocate(long, Access...)}
     * @return the region
     * @throws IllegalArgumentException as for {@link #allocate(long, Access...)}
     * @throws VerbsException if the device or a limit refuses
     */
    MemoryRegion allocate(long byteSize, PageSize pageSize, Access... access);

    /**
     * Registers memory of the caller, <b>which must outlive the region</b>: where it is freed earlier, an emulated device
     * answers with protection errors, while a real device goes on using the pages.
     *
     * @param memory native memory that every thread may access
     * @param access as for {@link #allocate(long, Access...)}
     * @return the region
     * @throws IllegalArgumentException if the memory is empty, on the heap, read-only although writing is asked for, or
     *     confined to a thread; or if a remote right to write lacks {@link Access#LOCAL_WRITE}
     * @throws IllegalStateException if the memory has been freed
     * @throws VerbsException if the device or a limit refuses
     */
    MemoryRegion register(MemorySegment memory, Access... access);

    /**
     * Registers memory of the caller under an address of the caller's choice: {@link MemoryRegion#address()}, by which
     * peers name it, and {@link MemoryRegion#remote()} are that one ({@code ibv_reg_mr_iova(3)}).
     *
     * @param address the address of the first byte in requests; it must have the same place within a page as the memory
     * @param memory as for {@link #register}
     * @param access as for {@link #allocate(long, Access...)}
     * @return the region
     * @throws IllegalArgumentException as for {@link #register}
     * @throws IllegalStateException if the memory has been freed
     * @throws UnsupportedVerbException if the device does not have {@link Feature#REGISTER_AT_ADDRESS}
     * @throws VerbsException if the device or a limit refuses; another place within the page is EINVAL
     */
    default MemoryRegion registerAt(long address, MemorySegment memory, Access... access) {
        throw UnsupportedVerbException.of("ibv_reg_mr_iova", this, Feature.REGISTER_AT_ADDRESS);
    }

    /**
     * Registers a part of a dma-buf ({@code ibv_reg_dmabuf_mr(3)}): memory that another device or driver owns, without a copy
     * in the host's memory. The region has no {@link MemoryRegion#memory()}, and cannot be re-registered.
     *
     * @param descriptor the file descriptor of the dma-buf, which may be closed afterwards
     * @param offset the first byte within the dma-buf
     * @param byteSize the number of bytes, from 1
     * @param address the address of the first byte in requests; it must have the same place within a page as the offset
     * @param access local and remote rights; not {@link Access#MEMORY_WINDOW_BIND}
     * @return the region
     * @throws IllegalArgumentException if the size is not positive, or a remote right to write lacks
     *     {@link Access#LOCAL_WRITE}
     * @throws UnsupportedVerbException if the device does not have {@link Feature#DMA_BUF}
     * @throws VerbsException if the device or a limit refuses; another place within the page or another right is EINVAL, and
     *     what is no open descriptor EBADF
     */
    default MemoryRegion registerDmaBuf(int descriptor, long offset, long byteSize, long address, Access... access) {
        throw UnsupportedVerbException.of("ibv_reg_dmabuf_mr", this, Feature.DMA_BUF);
    }

    /**
     * Creates a queue pair in state RESET ({@code ibv_create_qp(3)}).
     *
     * @param spec its type, completion queues and sizes
     * @return the queue pair, possibly with larger sizes, see {@link QueuePair#capacity()}
     * @throws IllegalArgumentException if a completion queue is of another context, or the shared receive queue of another
     *     protection domain or of an {@link XrcDomain}; for {@link QueuePairType#XRC_RECEIVE}, see there
     * @throws UnsupportedVerbException if the device does not have the type
     * @throws VerbsException if the device or a limit refuses
     */
    QueuePair createQueuePair(QueuePairSpec spec);

    /**
     * Creates a queue of receives that several queue pairs take from ({@code ibv_create_srq(3)}).
     *
     * @param receives the least number of outstanding receives, from 1
     * @param elements the least number of scatter/gather elements of a receive, from 1
     * @return the queue, possibly larger
     * @throws UnsupportedVerbException if the device does not have {@link Feature#SHARED_RECEIVE_QUEUE}
     * @throws VerbsException if the device or a limit refuses
     */
    default SharedReceiveQueue createSharedReceiveQueue(int receives, int elements) {
        throw UnsupportedVerbException.of("ibv_create_srq", this, Feature.SHARED_RECEIVE_QUEUE);
    }

    /**
     * Allocates a memory window of type 2 ({@code ibv_alloc_mw(3)}).
     *
     * @return the window, not bound to anything
     * @throws UnsupportedVerbException if the device does not have {@link Feature#MEMORY_WINDOW}
     * @throws VerbsException if the device or a limit refuses
     */
    default MemoryWindow allocateMemoryWindow() {
        throw UnsupportedVerbException.of("ibv_alloc_mw", this, Feature.MEMORY_WINDOW);
    }

    /**
     * Creates an address handle: the way to a peer, for datagrams ({@code ibv_create_ah(3)}).
     *
     * @param route the way; see {@link QueuePair#routeTo} and {@link Context#replyRoute}
     * @return the address handle
     * @throws UnsupportedVerbException if the device does not have {@link Feature#UNRELIABLE_DATAGRAM}
     * @throws VerbsException if there is no such port or GID, or the device or a limit refuses
     */
    default AddressHandle createAddressHandle(Route route) {
        throw UnsupportedVerbException.of("ibv_create_ah", this, Feature.UNRELIABLE_DATAGRAM);
    }
}
