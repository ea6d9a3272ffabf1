// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.abi.WrOpcode;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.spi.SendOperation;

/** Atomics as the provider writes them in the ring, on a device that has them and on one that does not. */
class AtomicRequestTest {

    /** A header page, 128 requests of 128 bytes, 128 receives of 32 bytes: a size that no other mapping has. */
    private static final int RINGS_BYTES = 4096 + 128 * 128 + 128 * 32;

    private static final long TARGET = 64;

    @Test
    void bothOperationsAnswerWithWhatWasThere() {
        try (OpenGuest guest = new OpenGuest()) {
            assertThat(guest.context.supports(Feature.ATOMICS)).isTrue();
            assertThat(guest.context.attributes().atomicCapability()).isEqualTo(1);
            CompletionQueue queue = guest.context.createCompletionQueue(16);
            QueuePair pair = guest.loop(queue, 128);
            MemoryRegion region =
                    guest.domain.allocate(4096, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);
            MemorySegment memory = region.memory();
            memory.set(ValueLayout.JAVA_LONG, TARGET, 40);

            pair.sendQueue()
                    .fetchAndAdd(1, region.remote(), TARGET, 2)
                    .local(region, 0, 8)
                    .signaled();
            pair.sendQueue()
                    .compareAndSwap(2, region.remote(), TARGET, 42, -7)
                    .local(region, 8, 8)
                    .signaled();
            pair.sendQueue()
                    .compareAndSwap(3, region.remote(), TARGET, 42, 1)
                    .local(region, 16, 8)
                    .signaled();
            pair.sendQueue().post();

            assertCompletion(queue, 1, Opcode.FETCH_AND_ADD);
            assertCompletion(queue, 2, Opcode.COMPARE_AND_SWAP);
            assertCompletion(queue, 3, Opcode.COMPARE_AND_SWAP);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(40);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(-7);
            assertThat(memory.get(ValueLayout.JAVA_LONG, TARGET)).isEqualTo(-7);

            MemorySegment rings = guest.mappingOf(RINGS_BYTES);
            assertThat(SqWqe.opcode(rings, 4096 + 128)).isEqualTo(5);
            assertThat(SqWqe.atomicRemoteAddr(rings, 4096 + 128)).isEqualTo(region.address() + TARGET);
            assertThat(SqWqe.atomicRkey(rings, 4096 + 128)).isEqualTo(region.rkey());
            assertThat(SqWqe.atomicCompareAdd(rings, 4096 + 128)).isEqualTo(42);
            assertThat(SqWqe.atomicSwap(rings, 4096 + 128)).isEqualTo(-7);
            assertThat(SqWqe.opcode(rings, 4096)).isEqualTo(6);
            assertThat(SqWqe.atomicCompareAdd(rings, 4096)).isEqualTo(2);
        }
    }

    private static void assertCompletion(CompletionQueue queue, long id, Opcode opcode) {
        WorkCompletion completion = queue.poll();
        assertThat(completion).isNotNull();
        assertThat(completion.requireSuccess().id()).isEqualTo(id);
        assertThat(completion.opcode()).isEqualTo(opcode);
        assertThat(completion.byteLength()).isEqualTo(8);
    }

    /**
     * The provider passes on a program's opcodes as they are, though from 7 up the numbers of the ring mean something else: so
     * none of these gets there.
     */
    @Test
    void operationsHaveTheSameNumbersInTheRingAndTheOthersAreRefused() {
        try (OpenGuest guest = new OpenGuest()) {
            assertThat(Arrays.stream(SendOperation.values())
                            .filter(operation ->
                                    operation.feature() == null || guest.context.supports(operation.feature())))
                    .extracting(SendOperation::code)
                    .containsExactly(
                            WrOpcode.RDMA_WRITE,
                            WrOpcode.RDMA_WRITE_WITH_IMM,
                            WrOpcode.SEND,
                            WrOpcode.SEND_WITH_IMM,
                            WrOpcode.RDMA_READ,
                            WrOpcode.ATOMIC_CMP_AND_SWP,
                            WrOpcode.ATOMIC_FETCH_AND_ADD);
            QueuePair pair = guest.loop(guest.context.createCompletionQueue(16), 4);
            assertThatThrownBy(() -> pair.sendQueue().invalidate(1, guest.memory.rkey()))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("MEMORY_WINDOW");
            assertThat(pair.sendQueue().tryPost()).isZero();
        }
    }

    @Test
    void aDeviceWithoutThemSaysSoBeforeUse() {
        try (OpenGuest guest =
                new OpenGuest(DeviceConfiguration.builder().atomics(false).build())) {
            assertThat(guest.context.supports(Feature.ATOMICS)).isFalse();
            assertThat(guest.context.attributes().atomicCapability()).isZero();
            QueuePair pair = guest.loop(guest.context.createCompletionQueue(16), 4);
            assertThatThrownBy(() -> pair.sendQueue().fetchAndAdd(1, guest.memory.remote(), 0, 1))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ATOMICS");
        }
    }
}
