// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;

/**
 * Receives that several queue pairs take from, in the order in which they were posted. Its memory is a page with the ring
 * states, of which the receive one is used, and the ring (rdma-core's provider qp.c {@code pvrdma_create_srq}).
 */
final class SharedReceiveQueue {
    final int handle;

    /** What keys in its receives are checked against, whatever the protection domain of the queue pair. */
    final ProtectionDomain pd;

    final int maxWr;
    final int maxSge;
    final WorkRing ring;

    /** Queue pairs that take from it; it cannot go before them. */
    int users;

    /** Receives left below which the guest wants to be told, once; 0 for never. */
    int limit;

    /** Whether the guest was told that its ring cannot be used any more. */
    boolean failed;

    SharedReceiveQueue(int handle, ProtectionDomain pd, int maxWr, int maxSge, GuestPages pages) {
        this.handle = handle;
        this.pd = pd;
        this.maxWr = maxWr;
        this.maxSge = maxSge;
        ring = new WorkRing(pages, RingState.RX_OFFSET, PageDirectory.PAGE_SIZE, maxWr, RqWqe.stride(maxSge));
    }

    /** Pages that the driver must give, the one of the ring states counted. */
    static long pages(int maxWr, int maxSge) {
        return 1 + PageDirectory.pagesSpanned(0, (long) maxWr * RqWqe.stride(maxSge));
    }

    /** Records that a receive was taken; says whether the limit was reached, which disarms it. */
    boolean reachesLimit() {
        if (limit == 0 || ring.waiting() >= limit) {
            return false;
        }
        limit = 0;
        return true;
    }
}
