// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.AddressVector;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.device.DeviceConfiguration;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;

/** Datagrams as the provider writes them in the ring, and what it asks before. */
class DatagramRequestTest {

    /** A header page, 128 requests of 128 bytes, 128 receives of 32 bytes: a size that no other mapping has. */
    private static final int RINGS_BYTES = 4096 + 128 * 128 + 128 * 32;

    private static final int HEADER = QueuePair.GLOBAL_ROUTE_HEADER_BYTES;

    private final OpenGuest guest =
            new OpenGuest(DeviceConfiguration.builder().maxAh(2).build());
    private final CompletionQueue queue = guest.context.createCompletionQueue(16);
    private final QueuePair pair =
            guest.domain.createQueuePair(QueuePairSpec.datagram(queue).withDepth(128));

    @AfterEach
    void close() {
        guest.close();
    }

    private AddressHandle toItself() {
        AddressHandle handle = guest.domain.createAddressHandle(pair.routeTo(pair.endpoint()));
        pair.activate();
        return handle;
    }

    private void receive(long id) {
        pair.receiveQueue().receive(id).local(guest.memory, 1024, 256);
        pair.receiveQueue().post();
    }

    @Test
    void aDatagramCarriesItsAddressAndComesWithItsSender() {
        assertThat(guest.context.supports(Feature.UNRELIABLE_DATAGRAM)).isTrue();
        AddressHandle handle = toItself();
        receive(1);
        guest.memory.memory().set(ValueLayout.JAVA_LONG, 0, 0x0102030405060708L);
        pair.sendQueue()
                .sendWithImmediate(2, 77)
                .local(guest.memory, 0, 8)
                .to(handle, pair.qpn(), QueuePair.DATAGRAM_QKEY)
                .signaled();
        pair.sendQueue().post();

        WorkCompletion sent = next();
        assertThat(sent.requireSuccess().id()).isEqualTo(2);
        assertThat(sent.opcode()).isEqualTo(Opcode.SEND);
        WorkCompletion received = next();
        assertThat(received.requireSuccess().id()).isEqualTo(1);
        assertThat(received.opcode()).isEqualTo(Opcode.RECEIVE);
        assertThat(received.qpn()).isEqualTo(pair.qpn());
        assertThat(received.sourceQpn()).isEqualTo(pair.qpn());
        assertThat(received.byteLength()).isEqualTo(HEADER + 8);
        assertThat(received.hasGlobalRouteHeader()).isTrue();
        assertThat(received.immediate()).isEqualTo(77);
        assertThat(guest.memory.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, 1024 + HEADER))
                .isEqualTo(0x0102030405060708L);
        assertThat(guest.context
                        .replyRoute(1, received, guest.memory.memory().asSlice(1024, HEADER))
                        .destination())
                .isEqualTo(pair.endpoint().gid());

        MemorySegment rings = guest.mappingOf(RINGS_BYTES);
        assertThat(SqWqe.udRemoteQpn(rings, 4096)).isEqualTo(pair.qpn());
        assertThat(SqWqe.udRemoteQkey(rings, 4096)).isEqualTo(QueuePair.DATAGRAM_QKEY);
        long vector = 4096 + SqWqe.UD_AV_OFFSET;
        assertThat(AddressVector.dgidLow(rings, vector)).isEqualTo(0xffff_c000_0201L);
        assertThat(AddressVector.hopLimit(rings, vector)).isEqualTo(255);
        assertThat(AddressVector.portPd(rings, vector) >>> 24).isEqualTo(1);
    }

    @Test
    void datagramsTakeReceivesOfASharedQueueToo() {
        SharedReceiveQueue receives = guest.domain.createSharedReceiveQueue(4, 1);
        QueuePair shared = guest.domain.createQueuePair(
                QueuePairSpec.datagram(queue).withDepth(4).withSharedReceiveQueue(receives));
        Endpoint endpoint = shared.endpoint();
        shared.activate();
        AddressHandle handle = toItself();
        receives.receiveQueue().receive(7).local(guest.memory, 1024, 256);
        receives.receiveQueue().post();
        pair.sendQueue().send(8).local(guest.memory, 0, 8).to(handle, endpoint.qpn(), QueuePair.DATAGRAM_QKEY);
        pair.sendQueue().post();

        WorkCompletion received = next();
        assertThat(received.requireSuccess().id()).isEqualTo(7);
        assertThat(received.qpn()).isEqualTo(shared.qpn());
        assertThat(receives.receiveQueue().available()).isEqualTo(4);
    }

    /** IBTA volume 1, section 10.2.5: then the queue pair's own goes out. */
    @Test
    void aQkeyWithTheHighestBitStandsForThatOfTheQueuePair() {
        AddressHandle handle = toItself();
        receive(1);
        pair.sendQueue().send(2).to(handle, pair.qpn(), 0x8000_0000);
        pair.sendQueue().post();
        assertThat(next().requireSuccess().id()).isEqualTo(1);

        receive(3);
        pair.sendQueue().send(4).to(handle, pair.qpn(), 0x1234);
        pair.sendQueue().post();
        assertThat(queue.poll()).as("another Q_Key is dropped").isNull();
    }

    @Test
    void privilegedQkeysAreNotGivenToAQueuePair() {
        assertThatThrownBy(() -> pair.modify(new Transition.DatagramInit(1, 0, 0x8001_0000)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EPERM))
                .hasMessageContaining("privileged")
                .hasMessageContaining("0x80010000");
        pair.modify(new Transition.DatagramInit(1, 0, 0x7fff_ffff));
        assertThat(pair.query().qkey()).isEqualTo(0x7fff_ffff);
    }

    @Test
    void addressHandlesOfOthersAreRefused() {
        toItself();
        ProtectionDomain other = guest.context.allocateProtectionDomain();
        AddressHandle elsewhere = other.createAddressHandle(pair.routeTo(pair.endpoint()));
        assertThatThrownBy(() -> pair.sendQueue().send(1).to(elsewhere, 1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("protection domain");
        assertThat(pair.sendQueue().tryPost()).isZero();
        other.close();
        assertThat(elsewhere.isOpen()).isFalse();
        guest.domain.createAddressHandle(pair.routeTo(pair.endpoint())); // two at once, so the place is free again
        assertThatThrownBy(() -> guest.domain.createAddressHandle(pair.routeTo(pair.endpoint())))
                .hasMessageContaining("max_ah is 2");
    }

    @Test
    void destinationsThatDriverAndProviderDoNotKnow() {
        refused(new Gid(0x2001_0db8_0000_0000L, 1), "IPv4 and link-local GIDs only");
        refused(new Gid(0xff0e_0000_0000_0000L, 0xffff_e000_0001L), "one is an IPv4 address");
        refused(Gid.EMPTY, "needs the GID");
    }

    private void refused(Gid destination, String why) {
        assertThatThrownBy(() -> guest.domain.createAddressHandle(Route.to(1, 0, destination)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining("ibv_create_ah(to ")
                .hasMessageContaining(why);
    }

    @Test
    void unreliableConnectionsAreRefusedAsTheDriverDoes() {
        assertThat(guest.context.supports(Feature.UNRELIABLE_CONNECTION)).isFalse();
        assertThatThrownBy(() -> guest.domain.createQueuePair(QueuePairSpec.unreliable(queue)))
                .isInstanceOfSatisfying(
                        UnsupportedVerbException.class,
                        e -> assertThat(e.code()).isEqualTo(Errno.EOPNOTSUPP))
                .hasMessageContaining("vmw_pvrdma driver has queue pairs of type RC and UD only")
                .hasMessageContaining("UNRELIABLE_CONNECTION");
    }

    private WorkCompletion next() {
        WorkCompletion completion = queue.poll();
        assertThat(completion).isNotNull();
        return completion;
    }
}
