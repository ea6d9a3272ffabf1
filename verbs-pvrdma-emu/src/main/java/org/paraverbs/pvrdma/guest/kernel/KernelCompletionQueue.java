// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import org.jspecify.annotations.Nullable;

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
        @Nullable Runnable onCompletion) {}
