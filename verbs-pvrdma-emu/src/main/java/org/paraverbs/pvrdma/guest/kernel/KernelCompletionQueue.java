// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.Cqe;
import org.paraverbs.pvrdma.abi.PageDirectory;

/**
 * A completion queue.
 *
 * @param onCompletion is run for each notification; null if nobody wants to know
 */
record KernelCompletionQueue(
        int handle,
        KernelContext context,
        PinnedMemory memory,
        Users users,
        @Nullable Runnable onCompletion) {

    /** The entries that its ring has room for, after the page with its state. */
    int room() {
        return Integer.highestOneBit((memory.pageCount() - 1) * (PageDirectory.PAGE_SIZE / Cqe.SIZE));
    }
}
