// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.VerbsResource;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.contract.Covers;

/** A program gets as much as the attributes of the device promise, is refused more, and gets it again after closing. */
class ProgramLimitsTest {
    private final EmulatedMachine machine = EmulatedMachine.builder()
            .configuration(DeviceConfiguration.builder()
                    .maxPd(4)
                    .maxMr(8)
                    .maxCq(5)
                    .maxQp(6)
                    .maxMrSize(1 << 20)
                    .maxMessageSize(8192)
                    .maxSge(5)
                    .build())
            .build();
    private final Context context = machine.device(0).open();
    private final DeviceAttributes attributes = context.attributes();

    @AfterEach
    void close() {
        machine.close();
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxProtectionDomains")
    void protectionDomains() {
        assertLimited("ibv_alloc_pd", 4, attributes.maxProtectionDomains(), context::allocateProtectionDomain);
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxCompletionQueues")
    void completionQueues() {
        assertLimited("ibv_create_cq", 5, attributes.maxCompletionQueues(), () -> context.createCompletionQueue(4));
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxQueuePairs")
    void queuePairs() {
        ProtectionDomain domain = context.allocateProtectionDomain();
        QueuePairSpec spec = QueuePairSpec.reliable(context.createCompletionQueue(4));
        assertLimited("ibv_create_qp", 6, attributes.maxQueuePairs(), () -> domain.createQueuePair(spec));
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxMemoryRegions")
    void memoryRegions() {
        ProtectionDomain domain = context.allocateProtectionDomain();
        assertLimited("ibv_reg_mr", 8, attributes.maxMemoryRegions(), () -> domain.allocate(64));
    }

    private static void assertLimited(String verb, int configured, int promised, Supplier<VerbsResource> create) {
        assertThat(promised).isEqualTo(configured);
        for (int turn = 0; turn < 3; turn++) {
            List<VerbsResource> created = new ArrayList<>();
            for (int i = 0; i < promised; i++) {
                created.add(create.get());
            }
            assertThatThrownBy(create::get).isInstanceOf(VerbsException.class).hasMessageContaining(verb);
            created.forEach(VerbsResource::close);
        }
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxMemoryRegionSize")
    void sizesOfMemoryRegions() {
        ProtectionDomain domain = context.allocateProtectionDomain();
        long largest = attributes.maxMemoryRegionSize();
        assertThat(largest).isEqualTo(1 << 20);
        assertThat(domain.allocate(largest).length()).isEqualTo(largest);
        assertThatThrownBy(() -> domain.allocate(largest + 1))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_reg_mr");
    }

    @Test
    @Covers.Limit("PortAttributes.maxMessageSize")
    void lengthsOfMessages() {
        Connection connection = new Connection();
        long longest = context.port(1).maxMessageSize();
        assertThat(longest).isEqualTo(8192);
        connection.write(longest);
        assertThat(connection.completion().status()).isEqualTo(CompletionStatus.SUCCESS);
        connection.write(longest + 1);
        assertThat(connection.completion().status()).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxReadElements")
    void elementsOfAReadAreScattered() {
        Connection connection = new Connection();
        int elements = attributes.maxReadElements();
        assertThat(elements).isEqualTo(5);
        for (int i = 0; i < elements; i++) {
            connection.target.memory().set(JAVA_BYTE, i, (byte) (i + 1));
        }
        SendWorkRequest read =
                connection.qp.sendQueue().read(1, connection.remote, 0).signaled();
        for (int i = 0; i < elements; i++) {
            read.local(connection.memory, 100L * i, 1);
        }
        connection.qp.sendQueue().post();
        assertThat(connection.completion().status()).isEqualTo(CompletionStatus.SUCCESS);
        for (int i = 0; i < elements; i++) {
            assertThat(connection.memory.memory().get(JAVA_BYTE, 100L * i)).isEqualTo((byte) (i + 1));
        }
        SendWorkRequest tooMany = connection.qp.sendQueue().read(2, connection.remote, 0);
        for (int i = 0; i < elements; i++) {
            tooMany.local(connection.memory, i, 1);
        }
        assertThatThrownBy(() -> tooMany.local(connection.memory, 9, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Two queue pairs of the device, of which one writes to and reads from the other. */
    private final class Connection {
        private final ProtectionDomain domain = context.allocateProtectionDomain();
        private final CompletionQueue completions = context.createCompletionQueue(8);
        private final MemoryRegion memory = domain.allocate(16 << 10, Access.LOCAL_WRITE);
        private final MemoryRegion target =
                domain.allocate(16 << 10, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        private final RemoteBuffer remote = target.remote();
        private final QueuePair qp;

        Connection() {
            QueuePairSpec spec =
                    QueuePairSpec.reliable(completions).withDepth(4).withElements(attributes.maxElements(), 1);
            qp = domain.createQueuePair(spec);
            QueuePair peer = domain.createQueuePair(spec);
            Endpoint ours = qp.endpoint();
            qp.connect(peer.endpoint());
            peer.connect(ours);
        }

        void write(long length) {
            qp.sendQueue().write(1, remote, 0).local(memory, 0, length).signaled();
            qp.sendQueue().post();
        }

        /** In process, a request is over when it has been posted. */
        WorkCompletion completion() {
            WorkCompletion completion = completions.poll();
            assertThat(completion).isNotNull();
            return completion;
        }
    }
}
