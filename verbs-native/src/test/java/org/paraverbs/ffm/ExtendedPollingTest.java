// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/**
 * An extended completion queue of a real provider, without timestamps, which that of Soft-RoCE does not have: the functions for
 * polling and for each field are those of {@code ibv_create_cq_ex(3)} all the same. Two queue pairs of one device.
 */
class ExtendedPollingTest {
    private static final int POLLS_MAX = 20_000_000;

    @Test
    void completionsAreThoseOfAPlainQueue() {
        LibibverbsProvider provider = new LibibverbsProvider();
        List<Device> devices = provider.devices();
        assumeTrue(!devices.isEmpty(), () -> provider.unavailability().orElse("libibverbs lists no device"));
        try (NativeContext context = (NativeContext) devices.get(0).open()) {
            CompletionQueue queue = extended(context);
            ProtectionDomain domain = context.allocateProtectionDomain();
            MemoryRegion memory = domain.allocate(64, Access.LOCAL_WRITE);
            QueuePair here =
                    domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(8));
            QueuePair there =
                    domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(8));
            there.endpoint();
            there.connect(here.endpoint());
            here.connect(there.endpoint());
            for (int i = 0; i < 3; i++) {
                there.receiveQueue().receive(10 + i).local(memory, 32, 8);
            }
            there.receiveQueue().post();
            memory.memory().set(JAVA_LONG, 0, 4711);
            here.sendQueue()
                    .sendWithImmediate(1, 0x0102_0304)
                    .local(memory, 0, 8)
                    .signaled();
            here.sendQueue().post();

            CompletionRecord first = completion(queue);
            CompletionRecord second = completion(queue);
            CompletionRecord sent = first.qpn() == here.qpn() ? first : second;
            CompletionRecord received = first.qpn() == here.qpn() ? second : first;
            assertThat(sent.requireSuccess().id()).isEqualTo(1);
            assertThat(sent.opcode()).isEqualTo(Opcode.SEND);
            assertThat(received.requireSuccess().id()).isEqualTo(10);
            assertThat(received.opcode()).isEqualTo(Opcode.RECEIVE);
            assertThat(received.byteLength()).isEqualTo(8);
            assertThat(received.hasImmediate()).isTrue();
            assertThat(received.immediate()).isEqualTo(0x0102_0304);
            assertThat(received.qpn()).isEqualTo(there.qpn());
            assertThat(received.hasTimestamp()).isFalse();
            assertThat(memory.memory().get(JAVA_LONG, 32)).isEqualTo(4711);
            assertThat(queue.poll()).isNull();

            there.modify(new Transition.ToError());
            for (int i = 1; i < 3; i++) {
                CompletionRecord flushed = completion(queue);
                assertThat(flushed.id()).isEqualTo(10 + i);
                assertThat(flushed.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
            }
        }
    }

    private static CompletionQueue extended(NativeContext context) {
        try {
            return context.createExtendedCompletionQueue(16, null, 0, 0);
        } catch (VerbsException e) {
            if (e.code() == Errno.EOPNOTSUPP) {
                abort(context.device().name() + " has no extended completion queues");
            }
            throw e;
        }
    }

    /** Bounded, so that a completion that never comes is a failure. */
    private static CompletionRecord completion(CompletionQueue queue) {
        for (int i = 0; i < POLLS_MAX; i++) {
            WorkCompletion completion = queue.poll();
            if (completion != null) {
                return completion.copy();
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no completion came");
    }
}
