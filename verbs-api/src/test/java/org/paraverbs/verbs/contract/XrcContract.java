// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.XrcDomain;

/** Extended reliable connections: one connection leads to several shared receive queues. */
public abstract class XrcContract extends VerbsContract {

    @BeforeEach
    final void requireXrc() {
        require(first(), Feature.XRC);
        require(second(), Feature.XRC);
    }

    @Test
    @Covers.Verb({
        "Context.openXrcDomain",
        "XrcDomain.createReceivingQueuePair",
        "XrcDomain.createSharedReceiveQueue",
        "SharedReceiveQueue.number",
        "SendWorkRequest.toSharedReceiveQueue",
        "Transition.XrcReceiveReadyToSend"
    })
    void eachMessageGoesToTheQueueThatItNames() {
        ProtectionDomain here = first().allocateProtectionDomain();
        CompletionQueue sent = first().createCompletionQueue(16);
        MemoryRegion source = here.allocate(64, Access.LOCAL_WRITE);
        QueuePair sending =
                here.createQueuePair(QueuePairSpec.xrcSend(sent).withDepth(4, 0).withSignalAll());

        ProtectionDomain there = second().allocateProtectionDomain();
        XrcDomain domain = second().openXrcDomain();
        MemoryRegion target = there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        QueuePair receiving = domain.createReceivingQueuePair();
        CompletionQueue[] received = new CompletionQueue[2];
        SharedReceiveQueue[] queues = new SharedReceiveQueue[2];
        for (int i = 0; i < 2; i++) {
            received[i] = second().createCompletionQueue(16);
            queues[i] = domain.createSharedReceiveQueue(there, received[i], 4, 1);
            queues[i].receiveQueue().receive(10 + i).local(target, 8L * i, 8);
            queues[i].receiveQueue().post();
        }
        assertThat(queues[0].number()).isNotEqualTo(queues[1].number());
        sending.endpoint();
        receiving.connect(sending.endpoint());
        sending.connect(receiving.endpoint());
        assertThat(receiving.state()).isEqualTo(QueuePairState.READY_TO_SEND);

        for (int i = 1; i >= 0; i--) {
            source.memory().set(JAVA_LONG, 8L * i, 100 + i);
            sending.sendQueue().send(i).toSharedReceiveQueue(queues[i].number()).local(source, 8L * i, 8);
            sending.sendQueue().post();
            assertThat(Waiting.completion(sent).requireSuccess().id()).isEqualTo(i);
            CompletionRecord arrived = Waiting.completion(received[i]);
            assertThat(arrived.requireSuccess().id()).isEqualTo(10 + i);
            assertThat(arrived.qpn()).isEqualTo(receiving.qpn());
            assertThat(target.memory().get(JAVA_LONG, 8L * i)).isEqualTo(100 + i);
        }
        // a WRITE takes no receive, and names no queue
        sending.sendQueue().write(5, target.remote(), 16).local(source, 0, 8);
        sending.sendQueue().post();
        assertThat(Waiting.completion(sent).requireSuccess().id()).isEqualTo(5);
        assertThat(target.memory().get(JAVA_LONG, 16)).isEqualTo(100);
    }

    @Test
    @Covers.Verb("Context.openXrcDomain")
    void aFileStandsForADomain(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("domain"));
        XrcDomain domain = first().openXrcDomain(file);
        XrcDomain same = first().openXrcDomain(file);
        QueuePair receiving = domain.createReceivingQueuePair();
        same.close();
        assertThat(receiving.isOpen()).isTrue();
        domain.close();
        assertThat(receiving.isOpen()).isFalse();
    }

    @Test
    @Covers.Verb("XrcDomain.createReceivingQueuePair")
    void theReceivingEndHasNoQueues() {
        QueuePair receiving = first().openXrcDomain().createReceivingQueuePair();
        assertThat(receiving.state()).isEqualTo(QueuePairState.RESET);
        assertThatIllegalStateException().isThrownBy(receiving::sendQueue);
        assertThatIllegalStateException().isThrownBy(receiving::receiveQueue);
        assertThat(receiving.sharedReceiveQueue()).isNull();
    }
}
