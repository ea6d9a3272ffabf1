// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;

/**
 * What a queue pair is made of, and stays.
 *
 * @param type one of {@link org.paraverbs.pvrdma.abi.QpType}
 * @param srq where its receives come from, or null when it has a ring of its own
 * @param signalAll whether every send work request completes
 * @param pages its memory
 */
record QueuePairPlan(
        int type,
        ProtectionDomain pd,
        CompletionQueue sendCq,
        CompletionQueue receiveCq,
        @Nullable SharedReceiveQueue srq,
        QueuePairSize size,
        boolean signalAll,
        GuestPages pages) {}
