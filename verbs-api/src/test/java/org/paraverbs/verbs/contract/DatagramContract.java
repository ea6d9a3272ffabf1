// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.VerbsException;

/**
 * Datagrams (UD) between queue pairs that are not connected ({@code ibv_create_ah(3)}, {@code ibv_init_ah_from_wc(3)},
 * {@code ibv_post_send(3)}). Between devices that lose nothing on the way, every datagram that finds a receive arrives, in
 * the order of its sending.
 */
public abstract class DatagramContract extends VerbsContract {

    private static final int KEY = QueuePair.DATAGRAM_QKEY;

    @BeforeEach
    final void requireDatagrams() {
        require(first(), Feature.UNRELIABLE_DATAGRAM);
        require(second(), Feature.UNRELIABLE_DATAGRAM);
    }

    @Test
    @Covers.Verb("QueuePair.activate")
    void activatingGoesToReadyToSendAndTakesTheKeyOfTheInterface() {
        DatagramSide side = DatagramSide.active(first());

        assertThat(side.qp.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(side.qp.query().qkey()).isEqualTo(KEY);
        assertThat(side.qp.sendQueue()).isSameAs(side.sends);
    }

    @Test
    @Covers.Verb({"QueuePair.activate", "QueuePair.routeTo"})
    void activatingNeedsAnEndpointAndConnectingIsForOthers() {
        DatagramSide side = DatagramSide.inReset(first());
        assertThatThrownBy(side.qp::activate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("endpoint()");
        var endpoint = side.qp.endpoint();
        assertThatThrownBy(() -> side.qp.connect(endpoint))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("activate()");
        Side connected = new Side(first(), Shape.DEFAULT);
        assertThatThrownBy(() -> connected.qp.routeTo(endpoint)).isInstanceOf(IllegalStateException.class);
        connected.qp.endpoint();
        assertThatThrownBy(connected.qp::activate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("connect");
    }

    @Test
    @Covers.Verb({
        "ProtectionDomain.createAddressHandle",
        "QueuePair.routeTo",
        "SendWorkRequest.to",
        "WorkCompletion.sourceQpn",
        "WorkCompletion.sourceLid",
        "WorkCompletion.serviceLevel",
        "WorkCompletion.hasGlobalRouteHeader"
    })
    void bringsEverySizeUnchangedInBothDirectionsBehindItsHeader() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        assertArrives(here, there);
        assertArrives(there, here);
    }

    private static void assertArrives(DatagramSide sender, DatagramSide receiver) {
        AddressHandle handle = sender.to(receiver);
        int mtu = mtu(sender, receiver);
        for (int size : new int[] {0, 1, mtu - 1, mtu}) {
            Bytes.fill(sender.memory, size + 1);
            Bytes.fill(receiver.memory, size + 2);
            byte[] expected = Bytes.copy(receiver.memory);
            byte[] source = Bytes.copy(sender.memory);
            receiver.receive(size, 100, 8192);
            sender.send(size, 33, size, handle, receiver);

            assertThat(sender.sentWell().id()).isEqualTo(size);
            CompletionRecord received = receiver.receivedWell();
            assertThat(received.id()).isEqualTo(size);
            assertThat(received.opcode()).isEqualTo(Opcode.RECEIVE);
            assertThat(received.byteLength()).isEqualTo(DatagramSide.HEADER + size);
            assertThat(received.qpn()).isEqualTo(receiver.qp.qpn());
            assertThat(received.sourceQpn()).isEqualTo(sender.qp.qpn());
            assertThat(received.serviceLevel()).isBetween(0, 15);
            assertThat(received.hasImmediate()).isFalse();
            if (receiver.context.port(1).linkLayer() == LinkLayer.ETHERNET) {
                assertThat(received.hasGlobalRouteHeader()).isTrue();
                assertThat(received.sourceLid()).isZero();
            }
            // what the header's bytes are is for replyRoute to know
            System.arraycopy(Bytes.copy(receiver.memory), 100, expected, 100, DatagramSide.HEADER);
            System.arraycopy(source, 33, expected, 100 + DatagramSide.HEADER, size);
            Bytes.assertSame(receiver.memory, expected);
        }
    }

    private static int mtu(DatagramSide one, DatagramSide other) {
        return Mtu.min(one.qp.endpoint().mtu(), other.qp.endpoint().mtu()).bytes();
    }

    @Test
    @Covers.Verb({"Context.replyRoute", "AddressHandle.route"})
    void theReceiverAnswersWithoutKnowingMoreThanWhatItReceived() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        there.receive(1, 0, 8);
        here.send(2, 0, 8, here.to(there), there);
        here.sentWell();
        CompletionRecord received = there.receivedWell();

        MemorySegment header = there.memory.memory().asSlice(0, DatagramSide.HEADER);
        int port = there.qp.query().port();
        Route route = second().replyRoute(port, received, header);
        assertThat(route.port()).isEqualTo(port);
        assertThat(route.destination()).isEqualTo(here.qp.endpoint().gid());
        assertThat(second().gid(port, route.sourceGidIndex()))
                .isEqualTo(there.qp.endpoint().gid());
        AddressHandle back = there.domain.createAddressHandle(route);
        assertThat(back.route()).isEqualTo(route);
        here.receive(3, 0, 8);
        there.memory.memory().fill((byte) 0x77);
        there.sends
                .send(4)
                .local(there.memory, 64, 8)
                .to(back, received.sourceQpn(), KEY)
                .signaled();
        there.sends.post();

        there.sentWell();
        CompletionRecord answer = here.receivedWell();
        assertThat(answer.id()).isEqualTo(3);
        assertThat(answer.sourceQpn()).isEqualTo(there.qp.qpn());
        assertThat(here.memory.memory().asSlice(DatagramSide.HEADER, 8).toArray(JAVA_BYTE))
                .containsOnly(0x77);
    }

    @Test
    @Covers.Verb("Context.replyRoute")
    void bytesThatAreNoHeaderOfThisPortHaveNoWayBack() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        there.receive(1, 0, 8);
        here.send(2, 0, 8, here.to(there), there);
        here.sentWell();
        CompletionRecord received = there.receivedWell();
        if (!received.hasGlobalRouteHeader()) {
            skip("the port is not Ethernet: there is no header");
        }
        there.memory.memory().asSlice(0, DatagramSide.HEADER).fill((byte) 0);

        assertThatThrownBy(() -> second().replyRoute(1, received, there.memory.memory()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        second().replyRoute(1, received, there.memory.memory().asSlice(0, 39)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("40");
        assertThatThrownBy(() -> second().replyRoute(99, received, there.memory.memory()))
                .isInstanceOf(VerbsException.class);
    }

    @Test
    void bringsImmediateData() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        there.receive(1, 0, 8);
        here.sends
                .sendWithImmediate(2, 0x0102_0304)
                .local(here.memory, 0, 8)
                .to(here.to(there), there.qp.qpn(), KEY)
                .signaled();
        here.sends.post();

        assertThat(here.sentWell().id()).isEqualTo(2);
        CompletionRecord received = there.receivedWell();
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(0x0102_0304);
        assertThat(received.byteLength()).isEqualTo(DatagramSide.HEADER + 8);
    }

    @Test
    @Covers.Verb("SendWorkRequest.solicited")
    void onlySolicitedDatagramsWakeWhoWaitsForThoseOnly() throws InterruptedException {
        require(second(), Feature.COMPLETION_CHANNEL);
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.withChannel(second());
        @Nullable CompletionChannel channel = there.channel;
        assertThat(channel).isNotNull();
        AddressHandle handle = here.to(there);
        there.receive(1, 0, 8);
        there.receive(2, 0, 8);
        there.receiveCompletions.requestNotification(true);
        here.send(1, 0, 8, handle, there);
        assertThat(there.receivedWell().id()).isEqualTo(1);
        assertThat(channel.await(Duration.ofMillis(10))).as("a notification").isNull();

        here.sends
                .send(2)
                .local(here.memory, 0, 8)
                .to(handle, there.qp.qpn(), KEY)
                .solicited()
                .signaled();
        here.sends.post();
        assertThat(channel.await(Waiting.DEADLINE)).isSameAs(there.receiveCompletions);
        assertThat(there.receivedWell().id()).isEqualTo(2);
    }

    @Test
    @Covers.Verb("SendWorkRequest.to")
    void aWrongKeyIsDropped() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        AddressHandle handle = here.to(there);
        there.receive(1, 0, 8);
        here.sends
                .send(1)
                .local(here.memory, 0, 8)
                .to(handle, there.qp.qpn(), KEY ^ 1)
                .signaled();
        here.sends.post();
        assertThat(here.sentWell().id()).as("the sender is not told").isEqualTo(1);

        assertOnlyTheNextArrives(here, there, handle);
    }

    /** The way between two ports keeps the order: when the next datagram has arrived, none is left on the way. */
    private static void assertOnlyTheNextArrives(DatagramSide here, DatagramSide there, AddressHandle handle) {
        here.send(99, 0, 5, handle, there);
        here.sentWell();
        CompletionRecord received = there.receivedWell();
        assertThat(received.byteLength()).isEqualTo(DatagramSide.HEADER + 5);
        Waiting.assertSilent(there.receiveCompletions);
    }

    @Test
    void aKeyWithTheHighestBitStandsForTheSendersOwn() {
        requireBehaviour(Behaviour.PRIVILEGED_QKEY);
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        there.receive(1, 0, 8);
        here.sends
                .send(1)
                .local(here.memory, 0, 8)
                .to(here.to(there), there.qp.qpn(), 0x8000_0000)
                .signaled();
        here.sends.post();

        here.sentWell();
        assertThat(there.receivedWell().id()).isEqualTo(1);
    }

    @Test
    void aDatagramThatFindsNoReceiveIsDropped() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        AddressHandle handle = here.to(there);
        here.send(1, 0, 8, handle, there);
        assertThat(here.sentWell().id()).isEqualTo(1);
        Waiting.assertSilent(there.receiveCompletions);
        there.receive(1, 0, 8);
        there.receive(2, 0, 8);

        assertOnlyTheNextArrives(here, there, handle);
    }

    @Test
    void aDatagramToAQueuePairThatThereIsNotIsDropped() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        DatagramSide gone = DatagramSide.active(second());
        AddressHandle handle = here.to(there);
        gone.qp.close();
        here.sends
                .send(1)
                .local(here.memory, 0, 8)
                .to(handle, gone.qp.qpn(), KEY)
                .signaled();
        here.sends.post();
        assertThat(here.sentWell().id()).isEqualTo(1);

        there.receive(1, 0, 8);
        assertOnlyTheNextArrives(here, there, handle);
    }

    @Test
    void oneQueuePairSendsToAndReceivesFromSeveralPeers() {
        DatagramSide here = DatagramSide.active(first());
        List<DatagramSide> peers =
                List.of(DatagramSide.active(second()), DatagramSide.active(first()), DatagramSide.active(second()));
        List<AddressHandle> handles = new ArrayList<>();
        for (DatagramSide peer : peers) {
            handles.add(here.to(peer));
            for (int i = 0; i < 2; i++) {
                peer.receive(i, 0, 64);
            }
            here.receive(0, 0, 64);
        }
        // in turns, so that the destination changes within the batch; lengths tell who is meant
        for (int i = 0; i < 6; i++) {
            here.sends
                    .send(i)
                    .local(here.memory, 0, 10 + i)
                    .to(handles.get(i % 3), peers.get(i % 3).qp.qpn(), KEY)
                    .signaled();
        }
        here.sends.post();
        for (int i = 0; i < 6; i++) {
            assertThat(here.sentWell().id()).isEqualTo(i);
        }
        for (int i = 0; i < 6; i++) {
            CompletionRecord received = peers.get(i % 3).receivedWell();
            assertThat(received.id()).isEqualTo(i / 3);
            assertThat(received.byteLength()).isEqualTo(DatagramSide.HEADER + 10 + i);
            assertThat(received.sourceQpn()).isEqualTo(here.qp.qpn());
        }
        for (DatagramSide peer : peers) {
            peer.send(1, 0, 4, peer.to(here), here);
            peer.sentWell();
            assertThat(here.receivedWell().sourceQpn()).isEqualTo(peer.qp.qpn());
        }
    }

    @Test
    @Covers.Verb("SendWorkRequest.to")
    void aRequestNeedsADestination() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        AddressHandle handle = here.to(there);
        there.receive(1, 0, 8);
        here.sends
                .send(1)
                .local(here.memory, 0, 5)
                .to(handle, there.qp.qpn(), KEY)
                .signaled();
        here.sends.send(2).local(here.memory, 0, 8).signaled();
        assertThatThrownBy(here.sends::post)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("to(...)");

        here.sends.post();
        assertThat(here.sentWell().id())
                .as("the one before stayed in the batch")
                .isEqualTo(1);
        assertThat(there.receivedWell().byteLength()).isEqualTo(DatagramSide.HEADER + 5);
        Waiting.assertSilent(here.sendCompletions);
    }

    @Test
    @Covers.Verb("SendWorkRequest.to")
    void destinationsThatDoNotFitAreRefusedAtOnce() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        AddressHandle handle = here.to(there);
        assertThatThrownBy(() -> here.sends.send(1).to(handle, 1 << 24, KEY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("24 bits");
        handle.close();
        assertThat(handle.isOpen()).isFalse();
        assertThatThrownBy(() -> here.sends.send(1).to(handle, 5, KEY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        Side connected = new Side(first(), Shape.DEFAULT);
        AddressHandle open = here.to(there);
        assertThatThrownBy(() -> connected.sends.send(1).to(open, 5, KEY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("UD");
        assertThat(here.sends.tryPost()).isZero();
    }

    @Test
    void datagramsAreSentOnly() {
        DatagramSide here = DatagramSide.active(first());
        var remote = here.memory.remote();
        assertThatThrownBy(() -> here.sends.write(1, remote, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here.sends.writeWithImmediate(1, remote, 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here.sends.read(1, remote, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here.sends.fetchAndAdd(1, remote, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("UD");
    }

    @Test
    @Covers.Verb("ProtectionDomain.createAddressHandle")
    void routesThatLeadNowhereAreRefused() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        Route right = here.qp.routeTo(there.qp.endpoint());
        int noPort = first().attributes().portCount() + 1;

        assertThatThrownBy(() ->
                        here.domain.createAddressHandle(Route.to(noPort, right.sourceGidIndex(), right.destination())))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_create_ah");
        if (first().port(1).linkLayer() == LinkLayer.ETHERNET) {
            assertThatThrownBy(() ->
                            here.domain.createAddressHandle(Route.to(right.port(), right.sourceGidIndex(), Gid.EMPTY)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ibv_create_ah");
        }
        int beyond = first().port(1).gidTableLength();
        if (beyond <= 255) {
            assertThatThrownBy(
                            () -> here.domain.createAddressHandle(Route.to(right.port(), beyond, right.destination())))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ibv_create_ah");
        }
    }

    @Test
    @Covers.Verb("VerbsResource.close")
    void aProtectionDomainClosesItsAddressHandles() {
        DatagramSide here = DatagramSide.active(first());
        AddressHandle handle = here.to(DatagramSide.active(second()));
        assertThat(handle.isOpen()).isTrue();
        here.domain.close();
        assertThat(handle.isOpen()).isFalse();
        handle.close();
        assertThatThrownBy(() -> here.domain.createAddressHandle(handle.route()))
                .isInstanceOf(IllegalStateException.class);
    }
}
