// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.WorkCompletion;

/** Programs run on every version of the device interface: the driver speaks to each as it has to. */
class VersionsTest {

    private static final int ROUTE_HEADER = QueuePair.GLOBAL_ROUTE_HEADER_BYTES;

    private static EmulatedMachine machine(int version) {
        return EmulatedMachine.builder()
                .configuration(
                        DeviceConfiguration.builder().version(version).maxQp(8).build())
                .build();
    }

    private static GidType gidType(int version) {
        return version == 17 ? GidType.ROCE_V1 : GidType.ROCE_V2;
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    void reliableConnectionsOnASharedReceiveQueue(int version) {
        try (EmulatedMachine machine = machine(version);
                Context here = machine.device(0).open();
                Context there = machine.device(1).open()) {
            assertThat(here.gids(1)).allMatch(entry -> entry.type() == gidType(version));
            Side side = new Side(here);
            Side peer = new Side(there);
            SharedReceiveQueue receives = peer.domain.createSharedReceiveQueue(8, 1);
            // several, and some of them closed again, so that handles and numbers differ where they can
            for (int i = 0; i < 20; i++) {
                QueuePair pair = side.domain.createQueuePair(
                        QueuePairSpec.reliable(side.queue).withDepth(4));
                QueuePair receiver = peer.domain.createQueuePair(
                        QueuePairSpec.reliable(peer.queue).withDepth(4).withSharedReceiveQueue(receives));
                if (version < 20) {
                    assertThat(pair.qpn()).as("the handle").isLessThan(8);
                }
                Endpoint ours = pair.endpoint();
                assertThat(ours.gidType()).isEqualTo(gidType(version));
                pair.connect(receiver.endpoint());
                receiver.connect(ours);
                receives.receiveQueue().receive(i).local(peer.memory, 0, 64);
                receives.receiveQueue().post();
                pair.sendQueue().send(100 + i).local(side.memory, 0, 64).signaled();
                pair.sendQueue()
                        .fetchAndAdd(200 + i, peer.memory.remote(), 128, 1)
                        .local(side.memory, 64, 8)
                        .signaled();
                pair.sendQueue().post();

                assertThat(next(side.queue).qpn()).isEqualTo(pair.qpn());
                assertThat(next(side.queue).id()).isEqualTo(200 + i);
                CompletionRecord received = next(peer.queue);
                assertThat(received.id()).isEqualTo(i);
                assertThat(received.qpn()).isEqualTo(receiver.qpn());
                if (i % 7 != 0) {
                    pair.close();
                    receiver.close();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    void datagramsAndTheAnswerToThem(int version) {
        try (EmulatedMachine machine = machine(version);
                Context here = machine.device(0).open();
                Context there = machine.device(1).open()) {
            Side side = new Side(here);
            Side peer = new Side(there);
            QueuePair pair = side.domain.createQueuePair(
                    QueuePairSpec.datagram(side.queue).withDepth(4));
            QueuePair other = peer.domain.createQueuePair(
                    QueuePairSpec.datagram(peer.queue).withDepth(4));
            Endpoint ours = pair.endpoint();
            Endpoint theirs = other.endpoint();
            pair.activate();
            other.activate();
            for (QueuePair receiver : new QueuePair[] {pair, other}) {
                MemoryRegion memory = receiver.equals(pair) ? side.memory : peer.memory;
                receiver.receiveQueue().receive(1).local(memory, 256, 256);
                receiver.receiveQueue().post();
            }
            var way = side.domain.createAddressHandle(pair.routeTo(theirs));
            pair.sendQueue()
                    .send(2)
                    .local(side.memory, 0, 32)
                    .to(way, other.qpn(), QueuePair.DATAGRAM_QKEY)
                    .signaled();
            pair.sendQueue().post();
            assertThat(next(side.queue).id()).isEqualTo(2);
            CompletionRecord received = next(peer.queue);
            assertThat(received.byteLength()).isEqualTo(ROUTE_HEADER + 32);

            var back = peer.domain.createAddressHandle(
                    there.replyRoute(1, received, peer.memory.memory().asSlice(256, ROUTE_HEADER)));
            assertThat(back.route().destination()).isEqualTo(ours.gid());
            other.sendQueue().send(3).to(back, received.sourceQpn(), QueuePair.DATAGRAM_QKEY);
            other.sendQueue().post();
            assertThat(next(side.queue).sourceQpn()).isEqualTo(other.qpn());
        }
    }

    private static CompletionRecord next(CompletionQueue queue) {
        for (int i = 0; i < 10_000_000; i++) {
            WorkCompletion completion = queue.poll();
            if (completion != null) {
                return completion.requireSuccess().copy();
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no completion came");
    }

    /** What one of two devices is used with. */
    private static final class Side {
        final ProtectionDomain domain;
        final CompletionQueue queue;
        final MemoryRegion memory;

        Side(Context context) {
            domain = context.allocateProtectionDomain();
            queue = context.createCompletionQueue(64);
            memory = domain.allocate(4096, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);
        }
    }
}
