// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.SendQueue;

/** One side of a connection: a connected queue pair with a completion queue for each direction, and memory. */
final class Side {
    final Context context;
    final ProtectionDomain domain;
    final @Nullable CompletionChannel channel;
    final CompletionQueue sendCompletions;
    final CompletionQueue receiveCompletions;
    final MemoryRegion memory;
    final QueuePair qp;
    final SendQueue sends;
    final ReceiveQueue receives;

    Side(Context context, Shape shape) {
        this.context = context;
        domain = context.allocateProtectionDomain();
        channel = shape.withChannel() ? context.createCompletionChannel() : null;
        sendCompletions = context.createCompletionQueue(shape.depth(), channel, 0);
        receiveCompletions = context.createCompletionQueue(shape.depth(), channel, 0);
        memory = domain.allocate(shape.memorySize(), shape.memoryAccess().toArray(new Access[0]));
        QueuePairSpec spec = QueuePairSpec.of(shape.type(), sendCompletions, receiveCompletions)
                .withDepth(shape.depth())
                .withElements(shape.elements(), shape.elements())
                .withInline(shape.inlineSize());
        qp = domain.createQueuePair(shape.signalAll() ? spec.withSignalAll() : spec);
        sends = qp.sendQueue();
        receives = qp.receiveQueue();
    }

    /** Posts a receive into a part of the memory. */
    void receive(long id, long offset, long length) {
        receives.receive(id).local(memory, offset, length);
        receives.post();
    }

    /** Waits for the next completion of the send queue. */
    CompletionRecord sent() {
        return Waiting.completion(sendCompletions);
    }

    /** Waits for the next completion of the send queue, which must be a success. */
    CompletionRecord sentWell() {
        return sent().requireSuccess().copy();
    }

    /** Waits for the next completion of the receive queue. */
    CompletionRecord received() {
        return Waiting.completion(receiveCompletions);
    }

    /** Waits for the next completion of the receive queue, which must be a success. */
    CompletionRecord receivedWell() {
        return received().requireSuccess().copy();
    }
}
