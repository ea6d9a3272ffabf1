// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.paraverbs.verbs.Access.LOCAL_WRITE;

import java.util.ArrayList;
import java.util.List;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.SharedReceiveQueue;

/** Queue pairs that take their receives from one queue and complete on one completion queue, and a peer for each. */
final class SharedReceivers {
    final ProtectionDomain domain;
    final CompletionQueue completions;
    final MemoryRegion memory;
    final SharedReceiveQueue shared;
    final ReceiveQueue receives;
    final List<QueuePair> receivers = new ArrayList<>();
    final List<Side> senders = new ArrayList<>();

    /** On a context, with room for some receives. */
    SharedReceivers(Context context, int room) {
        domain = context.allocateProtectionDomain();
        shared = domain.createSharedReceiveQueue(room, 1);
        completions = context.createCompletionQueue(Math.max(64, 2 * shared.receives()));
        memory = domain.allocate(4096, LOCAL_WRITE);
        receives = shared.receiveQueue();
    }

    /** Adds a receiver that is in state RESET. */
    QueuePair receiver() {
        return domain.createQueuePair(
                QueuePairSpec.reliable(completions).withDepth(16).withSharedReceiveQueue(shared));
    }

    /** Adds a receiver and a peer that sends to it. */
    SharedReceivers connected(Context peers) {
        QueuePair receiver = receiver();
        Side sender = new Side(peers, Shape.DEFAULT);
        Endpoint theirs = sender.qp.endpoint();
        sender.qp.connect(receiver.endpoint());
        receiver.connect(theirs);
        receivers.add(receiver);
        senders.add(sender);
        return this;
    }

    /** Posts receives with the ids from one to before another. */
    void receive(int from, int to) {
        for (int id = from; id < to; id++) {
            receives.receive(id).local(memory, 0, 64);
        }
        receives.post();
    }

    /** Sends to a receiver and waits until that is acknowledged. */
    void send(int receiver) {
        begin(receiver);
        senders.get(receiver).sentWell();
    }

    /** Sends to a receiver. */
    void begin(int receiver) {
        Side sender = senders.get(receiver);
        sender.sends.send(receiver).local(sender.memory, 0, 8).signaled();
        sender.sends.post();
    }

    CompletionRecord receivedWell() {
        return Waiting.completion(completions).requireSuccess().copy();
    }
}
