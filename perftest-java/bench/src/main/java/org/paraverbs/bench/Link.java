// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.bench;

import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.WorkCompletion;

/** Two emulated devices with a connected queue pair and a buffer each. */
final class Link implements AutoCloseable {
    final Side here;
    final Side there;

    Link(int depth, long bufferSize) {
        here = new Side("emu:emu0", depth, bufferSize);
        there = new Side("emu:emu1", depth, bufferSize);
        Endpoint ours = here.pair.endpoint();
        Endpoint theirs = there.pair.endpoint();
        here.pair.connect(theirs);
        there.pair.connect(ours);
    }

    @Override
    public void close() {
        here.context.close();
        there.context.close();
    }

    /** One of the two. */
    static final class Side {
        final Context context;
        final CompletionQueue completions;
        final MemoryRegion buffer;
        final QueuePair pair;

        Side(String device, int depth, long bufferSize) {
            context = Verbs.open(device);
            ProtectionDomain domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(2 * depth);
            buffer = domain.allocate(bufferSize, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            pair = domain.createQueuePair(QueuePairSpec.reliable(completions).withDepth(depth));
        }

        /** Polls until the next completion is there, which must be a success. */
        WorkCompletion await() {
            while (true) {
                WorkCompletion completion = completions.poll();
                if (completion != null) {
                    return completion.requireSuccess();
                }
                Thread.onSpinWait();
            }
        }
    }
}
