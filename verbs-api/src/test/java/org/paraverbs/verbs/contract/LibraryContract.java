// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.ExtendedDeviceAttributes;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.Reregistration;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.TimestampClock;
import org.paraverbs.verbs.VerbsException;

/** What only providers on libibverbs have: multicast, extended attributes, regions beyond plain registration. */
public abstract class LibraryContract extends VerbsContract {

    /** 239.1.2.3, of the block for private use. */
    private static final Gid GROUP = new Gid(0, 0xffff_ef01_0203L);

    private static final int PAGE = 4096;

    @Test
    @Covers.Verb("Context.extendedAttributes")
    void theExtendedAttributesGoWithThePlainOnes() {
        require(first(), Feature.EXTENDED_ATTRIBUTES);
        ExtendedDeviceAttributes extended = first().extendedAttributes();
        assertThat(extended.portCount()).isIn(0, first().attributes().portCount());
        assertThat((int) extended.capabilityFlags())
                .isIn(0, first().attributes().capabilityFlags());
    }

    @Test
    @Covers.Verb("ProtectionDomain.registerAt")
    void aRegionIsNamedByTheAddressThatItWasGiven() {
        require(first(), Feature.REGISTER_AT_ADDRESS);
        require(second(), Feature.REGISTER_AT_ADDRESS);
        Pair pair = connected(Shape.DEFAULT.memory(PAGE));
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(2 * PAGE, PAGE);
            MemoryRegion region =
                    pair.there().domain.registerAt(0x10_0000, memory, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            assertThat(region.address()).isEqualTo(0x10_0000);
            assertThat(region.remote()).isEqualTo(new RemoteBuffer(0x10_0000, 2 * PAGE, region.rkey()));
            pair.here().memory.memory().set(JAVA_BYTE, 7, (byte) 99);
            pair.here()
                    .sends
                    .write(1, region.remote(), PAGE + 5)
                    .local(pair.here().memory, 7, 1)
                    .signaled();
            pair.here().sends.post();
            pair.here().sentWell();
            assertThat(memory.get(JAVA_BYTE, PAGE + 5)).isEqualTo((byte) 99);

            // and by the local side, which names it in its elements
            memory.set(JAVA_BYTE, 3, (byte) 77);
            pair.there()
                    .sends
                    .write(2, pair.here().memory.remote(), 0)
                    .local(region, 3, 1)
                    .signaled();
            pair.there().sends.post();
            pair.there().sentWell();
            assertThat(pair.here().memory.memory().get(JAVA_BYTE, 0)).isEqualTo((byte) 77);
            region.close();
        }
    }

    @Test
    @Covers.Verb("ProtectionDomain.registerAt")
    void anAddressWithAnotherPlaceInItsPageIsRefused() {
        require(first(), Feature.REGISTER_AT_ADDRESS);
        ProtectionDomain domain = first().allocateProtectionDomain();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(PAGE, PAGE);
            assertThatThrownBy(() -> domain.registerAt(0x10_0008, memory, Access.LOCAL_WRITE))
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            refused -> assertThat(refused.code()).isEqualTo(Errno.EINVAL))
                    .hasMessageContaining("same place within a page");
        }
    }

    @Test
    @Covers.Verb("MemoryRegion.reregister")
    void aRegionGetsOtherMemoryAndOtherRights() {
        require(first(), Feature.REREGISTRATION);
        require(second(), Feature.REREGISTRATION);
        Pair pair = connected(Shape.DEFAULT.memory(PAGE));
        try (Arena arena = Arena.ofShared()) {
            MemorySegment before = arena.allocate(PAGE, PAGE);
            MemorySegment after = arena.allocate(2 * PAGE, PAGE);
            MemoryRegion old = pair.there().domain.register(before, Access.LOCAL_WRITE);
            MemoryRegion region =
                    old.reregister(Reregistration.ofMemory(after).withAccess(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
            assertThat(old.isOpen()).isFalse();
            assertThat(region.address()).isEqualTo(after.address());
            pair.here().memory.memory().set(JAVA_BYTE, 7, (byte) 99);
            describeWrite(pair, region, PAGE + 5);
            pair.here().sends.post();
            pair.here().sentWell();
            assertThat(after.get(JAVA_BYTE, PAGE + 5)).isEqualTo((byte) 99);
            assertThat(before.get(JAVA_BYTE, 5)).isZero();

            region = region.reregister(Reregistration.ofAccess(Access.LOCAL_WRITE));
            describeWrite(pair, region, 0);
            assertRefused(pair, CompletionStatus.REMOTE_ACCESS_ERROR);
            assertThat(after.get(JAVA_BYTE, 0)).isZero();
            region.close();
        }
    }

    private static void describeWrite(Pair pair, MemoryRegion target, long offset) {
        pair.here()
                .sends
                .write(1, target.remote(), offset)
                .local(pair.here().memory, 7, 1)
                .signaled();
    }

    @Test
    @Covers.Verb("MemoryRegion.reregister")
    void aRegionGoesToAnotherDomain() {
        require(first(), Feature.REREGISTRATION);
        ProtectionDomain domain = first().allocateProtectionDomain();
        ProtectionDomain other = first().allocateProtectionDomain();
        MemoryRegion region = domain.allocate(PAGE, Access.LOCAL_WRITE).reregister(Reregistration.ofDomain(other));
        domain.close();
        assertThat(region.isOpen()).isTrue();
        other.close();
        assertThat(region.isOpen()).isFalse();
    }

    @Test
    @Covers.Verb("ProtectionDomain.registerDmaBuf")
    void aDescriptorThatIsNoDmaBufIsRefused() {
        require(first(), Feature.DMA_BUF);
        ProtectionDomain domain = first().allocateProtectionDomain();
        assertThatThrownBy(() -> domain.registerDmaBuf(-1, 0, PAGE, 0, Access.LOCAL_WRITE))
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        refused -> assertThat(refused.code()).isEqualTo(Errno.EBADF));
        assertInvalid(() -> domain.registerDmaBuf(-1, 8, PAGE, 0), "same place within a page");
    }

    @Test
    @Covers.Verb({"Context.createTimestampedCompletionQueue", "WorkCompletion.hasTimestamp", "WorkCompletion.timestamp"
    })
    void timestampsGrowFromCompletionToCompletion() {
        require(first(), Feature.COMPLETION_TIMESTAMP);
        CompletionQueue sent = first().createTimestampedCompletionQueue(16, null, 0, TimestampClock.DEVICE);
        ProtectionDomain here = first().allocateProtectionDomain();
        MemoryRegion source = here.allocate(PAGE, Access.LOCAL_WRITE);
        QueuePair sender = here.createQueuePair(QueuePairSpec.reliable(sent).withDepth(4));
        ProtectionDomain there = second().allocateProtectionDomain();
        MemoryRegion target = there.allocate(PAGE, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        CompletionQueue plain = second().createCompletionQueue(16);
        QueuePair receiver = there.createQueuePair(QueuePairSpec.reliable(plain).withDepth(4));
        sender.endpoint();
        receiver.connect(sender.endpoint());
        sender.connect(receiver.endpoint());
        long mask = first().extendedAttributes().completionTimestampMask();
        long before = 0;
        for (int i = 0; i < 3; i++) {
            sender.sendQueue().write(i, target.remote(), 0).local(source, 0, 8).signaled();
            sender.sendQueue().post();
            CompletionRecord completion = Waiting.completion(sent);
            assertThat(completion.requireSuccess().hasTimestamp()).isTrue();
            if (i > 0) {
                // the clock begins anew when its bits are used up
                assertThat(completion.timestamp() - before & mask).isBetween(1L, mask >>> 1);
            }
            before = completion.timestamp();
        }
        receiver.receiveQueue().receive(9).local(target, 0, 8);
        receiver.receiveQueue().post();
        sender.sendQueue().send(8).local(source, 0, 8);
        sender.sendQueue().post();
        CompletionRecord received = Waiting.completion(plain);
        assertThat(received.requireSuccess().hasTimestamp()).isFalse();
        assertThat(received.timestamp()).isZero();
    }

    @Test
    @Covers.Verb({"QueuePair.attachMulticast", "QueuePair.detachMulticast"})
    void aDatagramToAGroupReachesItsMembersOnly() throws IOException {
        require(first(), Feature.MULTICAST);
        require(second(), Feature.MULTICAST);
        ProtectionDomain here = first().allocateProtectionDomain();
        ProtectionDomain there = second().allocateProtectionDomain();
        MemoryRegion source = here.allocate(PAGE, Access.LOCAL_WRITE);
        MemoryRegion target = there.allocate(PAGE, Access.LOCAL_WRITE);
        CompletionQueue sent = first().createCompletionQueue(16);
        QueuePair sender = datagrams(here, sent);
        CompletionQueue[] received = new CompletionQueue[3];
        QueuePair[] receivers = new QueuePair[3];
        for (int i = 0; i < receivers.length; i++) {
            received[i] = second().createCompletionQueue(16);
            receivers[i] = datagrams(there, received[i]);
            receivers[i].receiveQueue().receive(i).local(target, i * 1024L, 1024);
            receivers[i].receiveQueue().post();
        }
        receivers[0].attachMulticast(GROUP, 0);
        receivers[1].attachMulticast(GROUP, 0);
        receivers[2].attachMulticast(GROUP, 0);
        receivers[2].detachMulticast(GROUP, 0);

        try (MulticastSocket membership = new MulticastSocket()) {
            // RoCE v2 goes through the host's network stack, which must be a member too.
            NetworkInterface network = NetworkInterface.getByInetAddress(
                    receivers[0].endpoint().gid().toInetAddress());
            if (network != null) {
                membership.joinGroup(new InetSocketAddress(GROUP.toInetAddress(), 0), network);
            }
            Route own = sender.routeTo(sender.endpoint());
            AddressHandle group = here.createAddressHandle(Route.to(own.port(), own.sourceGidIndex(), GROUP));
            source.memory().set(JAVA_BYTE, 0, (byte) 55);
            sender.sendQueue()
                    .send(9)
                    .to(group, QueuePair.MULTICAST_QPN, QueuePair.DATAGRAM_QKEY)
                    .local(source, 0, 1)
                    .signaled();
            sender.sendQueue().post();
            Waiting.completion(sent).requireSuccess();
            for (int i = 0; i < 2; i++) {
                CompletionRecord arrived = Waiting.completion(received[i]);
                assertThat(arrived.requireSuccess().id()).isEqualTo(i);
                assertThat(target.memory().get(JAVA_BYTE, i * 1024L + QueuePair.GLOBAL_ROUTE_HEADER_BYTES))
                        .isEqualTo((byte) 55);
            }
            assertThat(received[2].poll()).isNull();
        }
        // The first one is still a member when it is closed.
        receivers[1].detachMulticast(GROUP, 0);
    }

    @Test
    @Covers.Verb("QueuePair.attachMulticast")
    void whatIsNoGroupIsRefused() {
        require(first(), Feature.MULTICAST);
        ProtectionDomain domain = first().allocateProtectionDomain();
        CompletionQueue queue = first().createCompletionQueue(16);
        QueuePair pair = datagrams(domain, queue);
        QueuePair connected = domain.createQueuePair(QueuePairSpec.reliable(queue));
        assertInvalid(() -> pair.attachMulticast(pair.endpoint().gid(), 0), "no multicast GID");
        assertInvalid(() -> pair.detachMulticast(GROUP, 0), "not in that group");
        assertInvalid(() -> connected.attachMulticast(GROUP, 0), "UD queue pairs alone");
    }

    private static void assertInvalid(Runnable call, String message) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        refused -> assertThat(refused.code()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining(message);
    }

    private static QueuePair datagrams(ProtectionDomain domain, CompletionQueue queue) {
        QueuePair pair = domain.createQueuePair(QueuePairSpec.datagram(queue).withDepth(4));
        pair.endpoint();
        pair.activate();
        return pair;
    }
}
