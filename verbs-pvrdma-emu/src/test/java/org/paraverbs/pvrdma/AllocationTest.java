// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.WorkCompletion;

/**
 * A million operations allocate nothing: program, provider, device, peer and interrupts, which all run on one thread
 * here. What is allocated before the JIT has compiled everything does not count.
 */
class AllocationTest {

    private static final int OPERATIONS = 1_000_000;
    private static final int WARM_UPS = 5;

    private long done;

    @Test
    void aMillionWritesAllocateNothing() {
        try (EmulatedMachine machine = EmulatedMachine.builder().build();
                Context here = machine.device(0).open();
                Context there = machine.device(1).open()) {
            Side side = new Side(here, here.createCompletionQueue(16));
            Side peer = new Side(there, there.createCompletionQueue(16));
            side.connect(peer);
            RemoteBuffer remote = peer.memory.remote();
            assertAllocatesNothing(() -> {
                side.pair
                        .sendQueue()
                        .write(1, remote, 0)
                        .local(side.memory, 0, 8)
                        .signaled();
                side.pair.sendQueue().post();
                take(side.queue);
            });
        }
    }

    @Test
    void aMillionNotificationsAllocateNothing() {
        try (EmulatedMachine machine = EmulatedMachine.builder().build();
                Context here = machine.device(0).open();
                Context there = machine.device(1).open()) {
            CompletionChannel channel = there.createCompletionChannel();
            Side side = new Side(here, here.createCompletionQueue(16));
            Side peer = new Side(there, there.createCompletionQueue(16, channel));
            side.connect(peer);
            assertAllocatesNothing(() -> {
                peer.queue.requestNotification(false);
                peer.pair.receiveQueue().receive(2).local(peer.memory, 0, 8);
                peer.pair.receiveQueue().post();
                side.pair
                        .sendQueue()
                        .sendWithImmediate(3, 4)
                        .local(side.memory, 0, 8)
                        .signaled();
                side.pair.sendQueue().post();
                if (peer.queue.equals(channel.poll())) {
                    done++;
                }
                take(peer.queue);
                take(side.queue);
            });
        }
    }

    @Test
    void aMillionAtomicsAllocateNothing() {
        try (EmulatedMachine machine = EmulatedMachine.builder().build();
                Context here = machine.device(0).open();
                Context there = machine.device(1).open()) {
            Side side = new Side(here, here.createCompletionQueue(16));
            Side peer = new Side(there, there.createCompletionQueue(16));
            side.connect(peer);
            RemoteBuffer remote = peer.memory.remote();
            assertAllocatesNothing(() -> {
                side.pair
                        .sendQueue()
                        .fetchAndAdd(1, remote, 8, 1)
                        .local(side.memory, 0, 8)
                        .signaled();
                side.pair
                        .sendQueue()
                        .compareAndSwap(2, remote, 16, 0, 1)
                        .local(side.memory, 8, 8)
                        .signaled();
                side.pair.sendQueue().post();
                take(side.queue);
                take(side.queue);
            });
        }
    }

    @Test
    void aMillionSharedReceivesAllocateNothing() {
        try (EmulatedMachine machine = EmulatedMachine.builder().build();
                Context here = machine.device(0).open();
                Context there = machine.device(1).open()) {
            Side side = new Side(here, here.createCompletionQueue(16));
            ProtectionDomain domain = there.allocateProtectionDomain();
            SharedReceiveQueue receives = domain.createSharedReceiveQueue(8, 1);
            CompletionQueue queue = there.createCompletionQueue(16);
            MemoryRegion memory = domain.allocate(64, Access.LOCAL_WRITE);
            QueuePair peer = domain.createQueuePair(
                    QueuePairSpec.reliable(queue).withDepth(8).withSharedReceiveQueue(receives));
            Endpoint ours = side.pair.endpoint();
            side.pair.connect(peer.endpoint());
            peer.connect(ours);
            assertAllocatesNothing(() -> {
                receives.receiveQueue().receive(1).local(memory, 0, 8);
                receives.receiveQueue().post();
                side.pair.sendQueue().send(2).local(side.memory, 0, 8).signaled();
                side.pair.sendQueue().post();
                take(queue);
                take(side.queue);
            });
        }
    }

    @Test
    void aMillionDatagramsAllocateNothing() {
        try (EmulatedMachine machine = EmulatedMachine.builder().build();
                Context here = machine.device(0).open();
                Context there = machine.device(1).open()) {
            Datagrams side = new Datagrams(here);
            Datagrams peer = new Datagrams(there);
            AddressHandle way = side.domain.createAddressHandle(side.pair.routeTo(peer.endpoint));
            int number = peer.pair.qpn();
            assertAllocatesNothing(() -> {
                peer.pair.receiveQueue().receive(1).local(peer.memory, 0, 64);
                peer.pair.receiveQueue().post();
                side.pair
                        .sendQueue()
                        .send(2)
                        .local(side.memory, 0, 8)
                        .to(way, number, QueuePair.DATAGRAM_QKEY)
                        .signaled();
                side.pair.sendQueue().post();
                take(peer.queue);
                take(side.queue);
            });
        }
    }

    private void take(CompletionQueue queue) {
        WorkCompletion completion = queue.poll();
        while (completion == null) {
            completion = queue.poll();
        }
        if (completion.isSuccess()) {
            done++;
        }
    }

    private void assertAllocatesNothing(Runnable operation) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int warmUp = 0; warmUp < WARM_UPS && allocated != 0; warmUp++) {
            done = 0;
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < OPERATIONS; i++) {
                operation.run();
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(done).as("successes").isGreaterThanOrEqualTo(OPERATIONS);
        assertThat(allocated).as("bytes that a million operations allocate").isZero();
    }

    /** One side of a connection. */
    private static final class Side {
        final CompletionQueue queue;
        final QueuePair pair;
        final MemoryRegion memory;

        Side(Context context, CompletionQueue queue) {
            this.queue = queue;
            ProtectionDomain domain = context.allocateProtectionDomain();
            pair = domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(8));
            memory = domain.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);
        }

        void connect(Side peer) {
            Endpoint ours = pair.endpoint();
            pair.connect(peer.pair.endpoint());
            peer.pair.connect(ours);
        }
    }

    /** A queue pair for datagrams. */
    private static final class Datagrams {
        final ProtectionDomain domain;
        final CompletionQueue queue;
        final QueuePair pair;
        final MemoryRegion memory;
        final Endpoint endpoint;

        Datagrams(Context context) {
            domain = context.allocateProtectionDomain();
            queue = context.createCompletionQueue(16);
            pair = domain.createQueuePair(QueuePairSpec.datagram(queue).withDepth(8));
            memory = domain.allocate(64, Access.LOCAL_WRITE);
            endpoint = pair.endpoint();
            pair.activate();
        }
    }
}
