// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.WorkCompletion;

/** The data path allocates nothing: a steady loop of posting and polling, by the JVM's own count of a thread's bytes. */
public abstract class AllocationContract extends VerbsContract {

    private static final int OPERATIONS = 100_000;

    /** Rounds of which one has to be free of allocation: the first ones load classes, and the JIT may interfere once. */
    private static final int ROUNDS = 8;

    private static final int BATCH = 4;

    /** Whether what was polled was a success; a field, so that checking it costs nothing. */
    private boolean allWell = true;

    @Test
    void writingAllocatesNothing() {
        Pair pair = connected();
        RemoteBuffer remote = pair.there().memory.remote();
        assertAllocatesNothing(() -> write(pair.here(), remote));
    }

    @Test
    void sendingAndReceivingAllocateNothing() {
        Pair pair = connected();
        assertAllocatesNothing(() -> send(pair.here(), pair.there()));
    }

    @Test
    void pollingAnEmptyQueueAllocatesNothing() {
        Pair pair = connected();
        assertAllocatesNothing(() -> {
            if (pair.here().sendCompletions.poll() != null) {
                allWell = false;
            }
        });
    }

    @Test
    void backPressureAllocatesNothing() {
        Pair pair = connected();
        for (int i = pair.here().sends.available(); i > 0; i--) {
            pair.here().sends.send(i);
        }
        // nobody receives them, so the queue stays full
        pair.here().sends.post();
        assertAllocatesNothing(() -> {
            pair.here().sends.send(1).local(pair.here().memory, 0, 8).signaled();
            if (pair.here().sends.tryPost() != 0) {
                allWell = false;
            }
        });
    }

    @Test
    void atomicsAllocateNothing() {
        require(first(), Feature.ATOMICS);
        require(second(), Feature.ATOMICS);
        Pair pair =
                connected(Shape.DEFAULT.memory(4096, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC));
        RemoteBuffer remote = pair.there().memory.remote();
        assertAllocatesNothing(() -> change(pair.here(), remote));
    }

    @Test
    void datagramsAllocateNothing() {
        require(first(), Feature.UNRELIABLE_DATAGRAM);
        require(second(), Feature.UNRELIABLE_DATAGRAM);
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        AddressHandle handle = here.to(there);
        assertAllocatesNothing(() -> send(here, there, handle));
    }

    @Test
    void receivingFromASharedQueueAllocatesNothing() {
        require(second(), Feature.SHARED_RECEIVE_QUEUE);
        SharedReceivers receivers = new SharedReceivers(second(), BATCH).connected(first());
        Side sender = receivers.senders.getFirst();
        assertAllocatesNothing(() -> {
            receivers.receives.receive(1).local(receivers.memory, 0, 8);
            receivers.receives.post();
            sender.sends.send(2).local(sender.memory, 0, 8).signaled();
            sender.sends.post();
            take(sender.sendCompletions);
            take(receivers.completions);
        });
    }

    private void change(Side side, RemoteBuffer remote) {
        side.sends.fetchAndAdd(1, remote, 0, 1).local(side.memory, 0, 8);
        side.sends.compareAndSwap(2, remote, 8, 3, 4).local(side.memory, 8, 8).signaled();
        side.sends.post();
        take(side.sendCompletions);
    }

    private void send(DatagramSide sender, DatagramSide receiver, AddressHandle handle) {
        receiver.receives.receive(1).local(receiver.memory, 0, DatagramSide.HEADER + 8);
        receiver.receives.post();
        sender.sends
                .send(2)
                .local(sender.memory, 0, 8)
                .to(handle, receiver.qp.qpn(), QueuePair.DATAGRAM_QKEY)
                .signaled();
        sender.sends.post();
        take(sender.sendCompletions);
        take(receiver.receiveCompletions);
    }

    private void write(Side side, RemoteBuffer remote) {
        for (int i = 0; i < BATCH; i++) {
            side.sends.write(i, remote, 8L * i).local(side.memory, 8L * i, 8);
        }
        side.sends.write(BATCH, remote, 0).local(side.memory, 0, 8).signaled();
        side.sends.post();
        take(side.sendCompletions);
    }

    private void send(Side sender, Side receiver) {
        receiver.receives.receive(1).local(receiver.memory, 0, 8);
        receiver.receives.post();
        sender.sends.sendWithImmediate(2, 3).local(sender.memory, 0, 8).signaled();
        sender.sends.post();
        take(sender.sendCompletions);
        take(receiver.receiveCompletions);
    }

    private void take(CompletionQueue queue) {
        WorkCompletion completion = queue.poll();
        while (completion == null) {
            Waiting.pause();
            completion = queue.poll();
        }
        allWell &= completion.isSuccess() && completion.status() == CompletionStatus.SUCCESS && completion.id() > 0;
    }

    private void assertAllocatesNothing(Runnable operation) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int operations = Math.max(1_000, repetitions(OPERATIONS));
        long fewest = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && fewest > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < operations; i++) {
                operation.run();
            }
            fewest = Math.min(fewest, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(allWell).as("every operation succeeded").isTrue();
        assertThat(fewest)
                .as("bytes that %d operations allocate, in the best of %d rounds", operations, ROUNDS)
                .isZero();
    }
}
