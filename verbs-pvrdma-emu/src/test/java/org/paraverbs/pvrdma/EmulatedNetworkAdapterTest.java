// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.link.VirtualClock;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/** What happens to the network interface of a guest reaches its programs. */
class EmulatedNetworkAdapterTest {

    private final EmulatedMachine machine =
            EmulatedMachine.builder().clock(new VirtualClock()).build();
    private final EmulatedNetworkAdapter adapter = machine.networkAdapter(0);
    private final Context context = machine.device(0).open();

    @AfterEach
    void close() {
        machine.close();
    }

    private List<AsyncEventType> events() {
        List<AsyncEventType> types = new ArrayList<>();
        for (AsyncEvent event = context.pollAsyncEvent(); event != null; event = context.pollAsyncEvent()) {
            assertThat(event)
                    .isInstanceOfSatisfying(
                            AsyncEvent.OfPort.class,
                            ofPort -> assertThat(ofPort.port()).isEqualTo(1));
            types.add(event.type());
        }
        return types;
    }

    @Test
    void deviceAndDriverTellOfTheInterface() {
        adapter.takeDown();
        assertThat(events()).containsExactly(AsyncEventType.PORT_ERROR, AsyncEventType.PORT_ERROR);
        assertThat(context.port(1).state()).isEqualTo(PortState.DOWN);
        adapter.takeUp();
        assertThat(events()).containsExactly(AsyncEventType.PORT_ACTIVE, AsyncEventType.PORT_ACTIVE);
        assertThat(context.port(1).state()).isEqualTo(PortState.ACTIVE);
        adapter.takeUp();
        assertThat(events()).as("by the driver alone").containsExactly(AsyncEventType.PORT_ACTIVE);
    }

    @Test
    void workWaitsWhileTheInterfaceIsDown() {
        CompletionQueue queue = context.createCompletionQueue(8);
        var domain = context.allocateProtectionDomain();
        QueuePair pair = domain.createQueuePair(QueuePairSpec.reliable(queue).withDepth(4));
        try (Context there = machine.device(1).open()) {
            QueuePair peer = there.allocateProtectionDomain()
                    .createQueuePair(QueuePairSpec.reliable(there.createCompletionQueue(8))
                            .withDepth(4));
            Endpoint ours = pair.endpoint();
            pair.connect(peer.endpoint());
            peer.connect(ours);
            peer.receiveQueue().receive(1);
            peer.receiveQueue().post();
            adapter.takeDown();
            pair.sendQueue().send(2).signaled();
            pair.sendQueue().post();
            assertThat(queue.poll()).isNull();
            adapter.takeUp();
            WorkCompletion completion = queue.poll();
            assertThat(completion).isNotNull();
            assertThat(completion.requireSuccess().id()).isEqualTo(2);
        }
    }

    @Test
    void addressesComeAndGo() {
        Gid gid = new Gid(0, 0xffff_c633_6401L);
        adapter.addAddress(5, gid);
        assertThat(events()).containsExactly(AsyncEventType.GID_CHANGE);
        assertThat(context.gid(1, 5)).isEqualTo(gid);
        adapter.removeAddress(5);
        assertThat(events()).containsExactly(AsyncEventType.GID_CHANGE);
        assertThat(context.gid(1, 5)).isEqualTo(Gid.EMPTY);
        assertThatThrownBy(() -> adapter.removeAddress(5))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ENODATA));
        assertThatThrownBy(() -> adapter.addAddress(16, gid))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EINVAL));
        assertThat(events()).isEmpty();
    }

    @Test
    void aMachineThatHasBeenClosedHasNoNetwork() {
        machine.close();
        adapter.takeDown();
        adapter.takeUp();
        assertGone(() -> adapter.addAddress(1, new Gid(0, 0xffff_c633_6401L)));
        assertGone(() -> adapter.removeAddress(1));
        assertGone(() -> machine.networkAdapter(0));
    }

    private static void assertGone(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ENODEV));
    }
}
