// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.InterruptVector;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.pvrdma.device.DeviceStatistics.Interrupts;
import org.paraverbs.pvrdma.device.InterruptModeration;
import org.paraverbs.pvrdma.device.PvrdmaDevice;
import org.paraverbs.pvrdma.link.VirtualClock;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;

/** A program that sleeps on a completion channel is woken later when its host moderates interrupts, but not too late. */
class ModerationTest {

    @Test
    void moderationIsSwitchedWhileAProgramRuns() {
        VirtualClock clock = new VirtualClock();
        try (EmulatedMachine machine =
                        EmulatedMachine.builder().devices(1).clock(clock).build();
                Context context = machine.device(0).open()) {
            PvrdmaDevice host = machine.pvrdmaDevice(0);
            CompletionChannel channel = context.createCompletionChannel();
            CompletionQueue queue = context.createCompletionQueue(64, channel);
            var domain = context.allocateProtectionDomain();
            MemoryRegion memory = domain.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            QueuePair pair =
                    domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(32));
            pair.connect(pair.endpoint());

            complete(pair, queue, memory, 1);
            assertThat(channel.poll()).as("not moderated at first").isSameAs(queue);

            host.moderate(
                    InterruptVector.CQ,
                    new InterruptModeration(8, Duration.ofMillis(5).toNanos()));
            complete(pair, queue, memory, 7);
            assertThat(channel.poll()).as("7 of 8").isNull();
            complete(pair, queue, memory, 1);
            assertThat(channel.poll()).as("8 of 8").isSameAs(queue);
            assertThat(channel.poll()).as("of each time it was asked for").isSameAs(queue);

            complete(pair, queue, memory, 1);
            assertThat(channel.poll()).isNull();
            clock.advanceTo(clock.nanoTime() + Duration.ofMillis(4).toNanos());
            machine.fabric().runDue(10);
            assertThat(channel.poll()).as("after 4 of 5 ms").isNull();
            clock.advanceTo(clock.nanoTime() + Duration.ofMillis(1).toNanos());
            machine.fabric().runDue(10);
            assertThat(channel.poll()).as("after 5 of 5 ms").isSameAs(queue);

            complete(pair, queue, memory, 1);
            assertThat(channel.poll()).isNull();
            host.moderate(InterruptVector.CQ, InterruptModeration.OFF);
            assertThat(channel.poll()).as("what was held back").isSameAs(queue);
            complete(pair, queue, memory, 1);
            assertThat(channel.poll()).isSameAs(queue);

            Interrupts interrupts = host.statistics().completionNotifications();
            assertThat(interrupts.raised()).isEqualTo(5);
            assertThat(interrupts.suppressed()).isPositive();
        }
    }

    /** The programs of a machine can be given hosts that moderate from the start. */
    @Test
    void aMachineIsConfiguredWithModeration() {
        VirtualClock clock = new VirtualClock();
        DeviceConfiguration byTime = DeviceConfiguration.builder()
                .moderate(InterruptVector.CQ, InterruptModeration.after(Duration.ofMillis(1)))
                .build();
        try (EmulatedMachine machine = EmulatedMachine.builder()
                        .devices(1)
                        .configuration(byTime)
                        .clock(clock)
                        .build();
                Context context = machine.device(0).open()) {
            CompletionChannel channel = context.createCompletionChannel();
            CompletionQueue queue = context.createCompletionQueue(64, channel);
            var domain = context.allocateProtectionDomain();
            MemoryRegion memory = domain.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            QueuePair pair =
                    domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(32));
            pair.connect(pair.endpoint());
            complete(pair, queue, memory, 20);
            assertThat(channel.poll()).isNull();
            clock.advanceTo(clock.nanoTime() + Duration.ofMillis(1).toNanos());
            machine.fabric().runDue(10);
            assertThat(channel.poll()).isSameAs(queue);
        }
    }

    /** Asks to be told of the next completion, and brings some about. */
    private static void complete(QueuePair pair, CompletionQueue queue, MemoryRegion memory, int count) {
        queue.requestNotification(false);
        for (int i = 0; i < count; i++) {
            pair.sendQueue().write(i, memory.remote(), 8).local(memory, 0, 8).signaled();
        }
        pair.sendQueue().post();
    }
}
