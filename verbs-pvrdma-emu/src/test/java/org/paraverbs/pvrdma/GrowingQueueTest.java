// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.WorkCompletion;

/** A completion queue size of 0: queues grow as needed, and a program gets every completion in order. */
class GrowingQueueTest {

    @Test
    void aQueueThatIsTooSmallDoesNotOverrunAlsoWhenItIsResizedOrItsQueuePairClosed() {
        DeviceConfiguration growing = DeviceConfiguration.builder().cqSize(0).build();
        try (EmulatedMachine machine = EmulatedMachine.builder()
                        .devices(1)
                        .configuration(growing)
                        .build();
                Context context = machine.device(0).open()) {
            CompletionQueue queue = context.createCompletionQueue(4);
            var domain = context.allocateProtectionDomain();
            var memory = domain.allocate(4096, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            QueuePair pair =
                    domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(64));
            QueuePair other =
                    domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(64));
            pair.connect(pair.endpoint());
            other.connect(other.endpoint());
            for (int i = 0; i < 60; i++) {
                QueuePair sender = i % 4 == 3 ? other : pair;
                sender.sendQueue()
                        .write(i, memory.remote(), 8)
                        .local(memory, 0, 8)
                        .signaled();
                sender.sendQueue().post();
            }
            other.close();
            queue.resize(16);
            for (int i = 0; i < 60; i++) {
                if (i % 4 != 3) {
                    assertThat(next(queue)).isEqualTo(i);
                }
            }
            assertThat(queue.poll()).isNull();
            assertThat(context.pollAsyncEvent()).isNull();
        }
    }

    private static long next(CompletionQueue queue) {
        for (int i = 0; i < 10_000_000; i++) {
            WorkCompletion completion = queue.poll();
            if (completion != null) {
                return completion.requireSuccess().id();
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no completion came");
    }
}
