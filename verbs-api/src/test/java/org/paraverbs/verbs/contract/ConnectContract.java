// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.VerbsException;

/** Endpoints and connecting: what {@code ibv_query_gid(3)} and {@code ibv_modify_qp(3)} are needed for. */
public abstract class ConnectContract extends VerbsContract {

    @Test
    @Covers.Verb("QueuePair.endpoint")
    void anEndpointIsTheSameEachTimeAndSurvivesItsByteForm() {
        QueuePair qp = new Side(first(), Shape.DEFAULT).qp;
        Endpoint endpoint = qp.endpoint();

        assertThat(qp.endpoint()).isEqualTo(endpoint);
        assertThat(Endpoint.of(endpoint.toBytes())).isEqualTo(endpoint);
        assertThat(endpoint.qpn()).isEqualTo(qp.qpn());
    }

    @Test
    @Covers.Verb({"QueuePair.endpoint", "QueuePair.endpointChoice"})
    void anEndpointDescribesAnActivePort() {
        QueuePair qp = new Side(first(), Shape.DEFAULT).qp;
        Endpoint endpoint = qp.endpoint();
        PortAttributes port = first().port(qp.query().port());

        assertThat(port.state()).isEqualTo(PortState.ACTIVE);
        assertThat(endpoint.mtu()).isEqualTo(port.activeMtu());
        assertThat(endpoint.lid()).isEqualTo(port.lid());
        assertThat(endpoint.readDepth())
                .isLessThanOrEqualTo(first().attributes().maxReadsAsTarget());
        if (port.linkLayer() == LinkLayer.ETHERNET) {
            assertThat(endpoint.gid().isEmpty()).isFalse();
            assertThat(first().gids(port.port())).anySatisfy(entry -> {
                assertThat(entry.gid()).isEqualTo(endpoint.gid());
                assertThat(entry.type()).isEqualTo(endpoint.gidType());
            });
            boolean routable = first().gids(port.port()).stream()
                    .anyMatch(entry -> !entry.gid().isLinkLocal());
            assertThat(endpoint.gid().isLinkLocal()).isEqualTo(!routable);
        }
        assertThat(qp.endpointChoice()).contains("port " + port.port());
    }

    @Test
    void anEndpointTakesTheQueuePairToInitAndAllowsPeersWhatTheDeviceCan() {
        QueuePair qp = new Side(first(), Shape.DEFAULT).qp;
        assertThat(qp.state()).isEqualTo(QueuePairState.RESET);
        qp.endpoint();

        assertThat(qp.state()).isEqualTo(QueuePairState.INIT);
        assertThat(qp.query().access()).contains(Access.REMOTE_WRITE);
    }

    @Test
    @Covers.Verb("QueuePair.endpoint")
    void anEndpointOfAGivenPortAndGid() {
        QueuePair qp = new Side(first(), Shape.DEFAULT).qp;
        Endpoint best = qp.endpoint();
        for (var entry : first().gids(1)) {
            Endpoint endpoint = qp.endpoint(1, entry.index());
            assertThat(endpoint.gid()).isEqualTo(entry.gid());
            assertThat(endpoint.gidType()).isEqualTo(entry.type());
            assertThat(qp.endpointChoice()).contains("GID index " + entry.index());
        }
        assertThat(best.qpn()).isEqualTo(qp.qpn());
    }

    @Test
    void anEndpointOfAnEmptyEntryOrAMissingPortIsRefused() {
        QueuePair qp = new Side(first(), Shape.DEFAULT).qp;
        int length = first().port(1).gidTableLength();

        assertThatThrownBy(() -> qp.endpoint(1, length))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.ENODATA))
                .hasMessageContaining("entries in use");
        assertThatThrownBy(() -> qp.endpoint(first().attributes().portCount() + 1, 0))
                .isInstanceOf(VerbsException.class);
        assertThat(qp.state()).as("after a refusal").isEqualTo(QueuePairState.RESET);
    }

    @Test
    void connectingNeedsAnEndpoint() {
        Pair pair = unconnected(Shape.DEFAULT);
        Endpoint theirs = pair.there().qp.endpoint();

        assertThatThrownBy(() -> pair.here().qp.connect(theirs))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("call endpoint() first");
        assertThatThrownBy(() -> pair.here().qp.endpointChoice()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Covers.Verb({"QueuePair.connect", "QueuePair.query"})
    void connectingGoesToReadyToSendWithTheMinimumOfBothSides() {
        Pair pair = unconnected(Shape.DEFAULT);
        Endpoint ours = pair.here().qp.endpoint();
        Endpoint theirs = pair.there().qp.endpoint();
        Endpoint smaller =
                new Endpoint(theirs.gid(), theirs.gidType(), theirs.lid(), theirs.qpn(), theirs.psn(), Mtu.MTU_256, 1);
        pair.here().qp.connect(smaller);

        var attributes = pair.here().qp.query();
        assertThat(attributes.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(attributes.mtu()).isEqualTo(Mtu.MTU_256);
        assertThat(attributes.maxReadsAsInitiator()).isEqualTo(Math.min(1, ours.readDepth()));
        assertThat(attributes.remoteQpn()).isEqualTo(theirs.qpn());
        assertThat(attributes.retries()).isEqualTo(7);
        assertThat(attributes.rnrRetries()).isEqualTo(7);
    }

    @Test
    void receivesPostedBeforeConnectingTakeTheFirstMessages() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.there().qp.endpoint();
        pair.there().receive(41, 0, 8);
        pair.there().receive(42, 8, 8);
        pair.connect();
        pair.here().sends.send(1).local(pair.here().memory, 0, 8);
        pair.here().sends.send(2).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();

        pair.here().sentWell();
        assertThat(pair.there().receivedWell().id()).isEqualTo(41);
        assertThat(pair.there().receivedWell().id()).isEqualTo(42);
    }

    @Test
    @Covers.Verb("QueuePair.connect")
    void aGidOfAnotherFamilyIsRefusedWithTheWayOut() {
        Pair pair = unconnected(Shape.DEFAULT);
        Endpoint ours = pair.here().qp.endpoint();
        if (ours.gid().isEmpty()) {
            skip("the device is addressed by LID");
        }
        Gid other = ours.gid().isIpv4Mapped() ? new Gid(0x2001_0db8_0000_0000L, 1) : new Gid(0, 0xffff_0a00_0001L);
        Endpoint theirs =
                new Endpoint(other, ours.gidType(), ours.lid(), ours.qpn(), ours.psn(), ours.mtu(), ours.readDepth());

        assertThatThrownBy(() -> pair.here().qp.connect(theirs))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining("IPv4")
                .hasMessageContaining("endpoint(port, gidIndex)");
        assertThat(pair.here().qp.state()).isEqualTo(QueuePairState.INIT);
    }

    @Test
    void anotherRoceVersionIsRefused() {
        Pair pair = unconnected(Shape.DEFAULT);
        Endpoint ours = pair.here().qp.endpoint();
        GidType other = ours.gidType() == GidType.ROCE_V2 ? GidType.ROCE_V1 : GidType.ROCE_V2;
        Endpoint theirs =
                new Endpoint(ours.gid(), other, ours.lid(), ours.qpn(), ours.psn(), ours.mtu(), ours.readDepth());

        assertThatThrownBy(() -> pair.here().qp.connect(theirs))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("different types");
    }

    @Test
    void twoQueuePairsOfOneDeviceTalkToEachOther() {
        Pair pair = new Pair(new Side(first(), Shape.DEFAULT), new Side(first(), Shape.DEFAULT));
        pair.connect();
        Bytes.fill(pair.here().memory, 9);
        byte[] source = Bytes.copy(pair.here().memory);
        byte[] before = Bytes.copy(pair.there().memory);
        pair.here()
                .sends
                .write(1, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 10_000)
                .signaled();
        pair.here().sends.post();

        pair.here().sentWell();
        Bytes.assertCopied(pair.there().memory, before, 0, source, 0, 10_000);
    }

    @Test
    void aReconnectedQueuePairHasANewEndpointAndWorks() {
        Pair pair = connected();
        Endpoint before = pair.here().qp.endpoint();
        pair.here().qp.modify(new Transition.ToReset());
        pair.there().qp.modify(new Transition.ToReset());
        pair.connect();
        pair.there().receive(1, 0, 8);
        pair.here().sends.send(2).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();

        pair.here().sentWell();
        assertThat(pair.there().receivedWell().id()).isEqualTo(1);
        assertThat(pair.here().qp.endpoint().qpn()).isEqualTo(before.qpn());
    }
}
