// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.paraverbs.verbs.Access.LOCAL_WRITE;

import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.SendQueue;

/** One that sends and receives datagrams: a UD queue pair with a completion queue for each direction, and memory. */
final class DatagramSide {

    /** What stands in front of each datagram received. */
    static final int HEADER = QueuePair.GLOBAL_ROUTE_HEADER_BYTES;

    static final int DEPTH = 16;

    final Context context;
    final ProtectionDomain domain;
    final @Nullable CompletionChannel channel;
    final CompletionQueue sendCompletions;
    final CompletionQueue receiveCompletions;
    final MemoryRegion memory;
    final QueuePair qp;
    final SendQueue sends;
    final ReceiveQueue receives;

    private DatagramSide(Context context, boolean withChannel) {
        this.context = context;
        domain = context.allocateProtectionDomain();
        channel = withChannel ? context.createCompletionChannel() : null;
        sendCompletions = context.createCompletionQueue(DEPTH, channel, 0);
        receiveCompletions = context.createCompletionQueue(DEPTH, channel, 0);
        memory = domain.allocate(64 << 10, LOCAL_WRITE);
        qp = domain.createQueuePair(
                QueuePairSpec.of(QueuePairType.UNRELIABLE_DATAGRAM, sendCompletions, receiveCompletions)
                        .withDepth(DEPTH));
        sends = qp.sendQueue();
        receives = qp.receiveQueue();
    }

    /** One in state RESET. */
    static DatagramSide inReset(Context context) {
        return new DatagramSide(context, false);
    }

    /** One that is ready to send. */
    static DatagramSide active(Context context) {
        DatagramSide side = new DatagramSide(context, false);
        side.activate();
        return side;
    }

    /** One that is ready to send and has a completion channel. */
    static DatagramSide withChannel(Context context) {
        DatagramSide side = new DatagramSide(context, true);
        side.activate();
        return side;
    }

    void activate() {
        qp.endpoint();
        qp.activate();
    }

    /** The way to a peer, whose endpoint goes through its byte form. */
    AddressHandle to(DatagramSide peer) {
        return domain.createAddressHandle(
                qp.routeTo(Endpoint.of(peer.qp.endpoint().toBytes())));
    }

    /** Posts a receive for a message of some length into a part of the memory, the header in front. */
    void receive(long id, long offset, long length) {
        receives.receive(id).local(memory, offset, HEADER + length);
        receives.post();
    }

    /** Sends a part of the memory, signaled. */
    void send(long id, long offset, long length, AddressHandle handle, DatagramSide peer) {
        sends.send(id)
                .local(memory, offset, length)
                .to(handle, peer.qp.qpn(), QueuePair.DATAGRAM_QKEY)
                .signaled();
        sends.post();
    }

    CompletionRecord sent() {
        return Waiting.completion(sendCompletions);
    }

    CompletionRecord sentWell() {
        return sent().requireSuccess().copy();
    }

    CompletionRecord receivedWell() {
        return Waiting.completion(receiveCompletions).requireSuccess().copy();
    }
}
