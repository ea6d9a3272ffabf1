// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.SqWqe;

/**
 * What a queue pair holds and how its memory is divided: a page with the ring states, the send ring, and from the next
 * page on the receive ring (pvrdma_qp.c).
 *
 * @param sendPages pages of the send ring
 */
record QueuePairSize(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int sendPages) {

    /**
     * What is wrong with the sizes that a guest named.
     *
     * @param totalPages all pages, header page included
     * @param sharedReceives whether receives come from elsewhere, so that there is no receive ring
     * @return null if nothing is
     */
    @Nullable
    String fault(DeviceLimits limits, int totalPages, boolean sharedReceives) {
        if (!isCount(maxSendWr, limits.maxQpWr()) || !(sharedReceives || isCount(maxRecvWr, limits.maxQpWr()))) {
            return "work requests: " + maxSendWr + " and " + maxRecvWr + "; powers of two up to " + limits.maxQpWr();
        }
        if (maxSendSge < 1 || maxSendSge > limits.maxSge() || maxRecvSge < 0 || maxRecvSge > limits.maxSge()) {
            return "elements: " + maxSendSge + " and " + maxRecvSge + "; the limit is " + limits.maxSge();
        }
        int sendNeeded = pages(maxSendWr, SqWqe.stride(maxSendSge));
        int receiveNeeded = sharedReceives ? 0 : pages(maxRecvWr, RqWqe.stride(maxRecvSge));
        int sendMost = pages(limits.maxQpWr(), SqWqe.stride(limits.maxSge()));
        if (sendPages > sendMost) {
            return "pages for sending: " + sendPages + "; the largest send ring takes " + sendMost;
        }
        if (sendPages < sendNeeded || totalPages - 1 - sendPages < receiveNeeded) {
            return "pages: " + totalPages + " with " + sendPages + " for sending; needed are 1 + " + sendNeeded + " + "
                    + receiveNeeded;
        }
        return null;
    }

    /** Pages that are used, header page included. */
    int usedPages(boolean sharedReceives) {
        return 1 + sendPages + (sharedReceives ? 0 : pages(maxRecvWr, RqWqe.stride(maxRecvSge)));
    }

    private static boolean isCount(int count, int limit) {
        return count >= 1 && count <= limit && Integer.bitCount(count) == 1;
    }

    private static int pages(int count, int stride) {
        // at most 2^16 work requests of one page each
        return (count * stride + PageDirectory.PAGE_SIZE - 1) >>> PageDirectory.PAGE_SHIFT;
    }

    WorkRing sendRing(GuestPages pages) {
        return new WorkRing(pages, RingState.TX_OFFSET, PageDirectory.PAGE_SIZE, maxSendWr, SqWqe.stride(maxSendSge));
    }

    WorkRing receiveRing(GuestPages pages) {
        return new WorkRing(
                pages,
                RingState.RX_OFFSET,
                (long) (1 + sendPages) << PageDirectory.PAGE_SHIFT,
                maxRecvWr,
                RqWqe.stride(maxRecvSge));
    }
}
