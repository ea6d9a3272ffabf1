// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairStateException;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.VerbsException;

/** Endpoints, connecting, and how a refused step is explained. */
class QueuePairBaseTest {

    private static final Gid OURS = new Gid(0, 0xffff_c0a8_0001L);
    private static final Gid THEIRS = new Gid(0, 0xffff_c0a8_0002L);
    private static final Gid LINK_LOCAL = new Gid(0xfe80_0000_0000_0000L, 2);
    private static final QueuePairCapacity CAPACITY = new QueuePairCapacity(4, 4, 1, 1, 0);

    private final FakeContext context = new FakeContext();
    private FakeQueuePair qp = new FakeQueuePair(context);

    /** A queue pair whose device does every step that the table has, and writes down which. */
    private static final class FakeQueuePair extends QueuePairBase {
        final List<Transition> applied = new ArrayList<>();
        QueuePairState state = QueuePairState.RESET;

        @Nullable
        VerbsException refusal;

        FakeQueuePair(FakeContext context) {
            this(context, QueuePairType.RELIABLE_CONNECTION);
        }

        FakeQueuePair(FakeContext context, QueuePairType type) {
            super(context, 0x11, type, CAPACITY);
        }

        @Override
        protected void apply(Transition transition) {
            if (refusal != null) {
                throw refusal;
            }
            if (QueuePairStateTable.of(type())
                    .fault(state, transition.target(), QueuePairStateTable.mask(transition))
                    .isPresent()) {
                throw new VerbsException("ibv_modify_qp", toString(), Errno.EINVAL, "");
            }
            applied.add(transition);
            state = transition.target();
        }

        @Override
        protected QueuePairAttributes queryDevice() {
            return new QueuePairAttributes(
                    state,
                    capacity(),
                    Set.of(),
                    0,
                    0,
                    null,
                    null,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    new RnrTimer(0),
                    new AckTimeout(0),
                    0,
                    0);
        }

        @Override
        protected void release() {}

        @Override
        public SendQueue sendQueue() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ReceiveQueue receiveQueue() {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable SharedReceiveQueue sharedReceiveQueue() {
            return null;
        }
    }

    @BeforeEach
    void create() {
        context.withActivePort()
                .withGid(new GidEntry(0, 1, LINK_LOCAL, GidType.ROCE_V2))
                .withGid(new GidEntry(1, 1, OURS, GidType.ROCE_V2));
        qp = context.create(() -> new FakeQueuePair(context));
    }

    private static Endpoint peer(Gid gid, GidType type) {
        return new Endpoint(gid, type, 0, 0x22, 77, Mtu.MTU_1024, 2);
    }

    @Test
    void anUnreliableConnectionIsConnectedWithoutRetriesAndReads() {
        qp = context.create(() -> new FakeQueuePair(context, QueuePairType.UNRELIABLE_CONNECTION));
        int psn = qp.endpoint().psn();

        qp.connect(peer(THEIRS, GidType.ROCE_V2));

        assertThat(qp.applied)
                .containsExactly(
                        new Transition.Init(1, 0, Set.of(Access.REMOTE_WRITE)),
                        new Transition.UnreliableReadyToReceive(Route.to(1, 1, THEIRS), 0x22, 77, Mtu.MTU_1024),
                        new Transition.UnreliableReadyToSend(psn));
        assertThatThrownBy(qp::activate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is UC: call connect");
    }

    @Test
    void aDatagramQueuePairIsActivatedAndKnowsTheWayToPeers() {
        qp = context.create(() -> new FakeQueuePair(context, QueuePairType.UNRELIABLE_DATAGRAM));
        assertThatThrownBy(qp::activate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("endpoint()");
        int psn = qp.endpoint().psn();

        qp.activate();

        assertThat(qp.applied)
                .containsExactly(
                        new Transition.DatagramInit(1, 0, QueuePair.DATAGRAM_QKEY),
                        new Transition.DatagramReadyToReceive(),
                        new Transition.DatagramReadyToSend(psn));
        assertThat(qp.routeTo(peer(THEIRS, GidType.ROCE_V2))).isEqualTo(Route.to(1, 1, THEIRS));
        assertThatThrownBy(() -> qp.routeTo(peer(LINK_LOCAL, GidType.ROCE_V2)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("IPv4");
        assertThatThrownBy(() -> qp.connect(peer(THEIRS, GidType.ROCE_V2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("call activate()");
    }

    @Test
    void anEndpointDescribesThisSideAndGoesToInit() {
        Endpoint endpoint = qp.endpoint();

        assertThat(endpoint.gid()).isEqualTo(OURS);
        assertThat(endpoint.gidType()).isEqualTo(GidType.ROCE_V2);
        assertThat(endpoint.qpn()).isEqualTo(0x11);
        assertThat(endpoint.mtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(endpoint.readDepth())
                .as("the smaller of 16 as target and 4 as initiator")
                .isEqualTo(4);
        assertThat(qp.applied)
                .containsExactly(new Transition.Init(1, 0, Set.of(Access.REMOTE_WRITE, Access.REMOTE_READ)));
        assertThat(qp.endpointChoice()).contains("GID index 1").contains("192.168.0.1");
    }

    @Test
    void peersMayDoWhatTheDeviceCan() {
        context.features = Set.of(Feature.RELIABLE_CONNECTION, Feature.ATOMICS);
        qp.endpoint();

        assertThat(qp.applied)
                .containsExactly(new Transition.Init(1, 0, Set.of(Access.REMOTE_WRITE, Access.REMOTE_ATOMIC)));
    }

    @Test
    void anEndpointStaysTheSameUntilAReset() {
        Endpoint endpoint = qp.endpoint();
        assertThat(qp.endpoint()).isSameAs(endpoint);
        assertThat(qp.endpoint(1, 1)).isSameAs(endpoint);
        assertThat(qp.applied).hasSize(1);

        Endpoint other = qp.endpoint(1, 0);
        assertThat(other.gid()).isEqualTo(LINK_LOCAL);
        assertThat(qp.endpoint()).as("the last choice").isSameAs(other);
        qp.modify(new Transition.ToReset());
        assertThat(qp.endpoint().gid()).isEqualTo(OURS);
    }

    @Test
    void packetSequenceNumbersAreRandomAndHave24Bits() {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            numbers.add(qp.endpoint().psn());
            qp.modify(new Transition.ToReset());
        }

        assertThat(numbers).allMatch(psn -> psn >>> 24 == 0);
        assertThat(Set.copyOf(numbers)).hasSizeGreaterThan(16);
    }

    @Test
    void connectingTakesTheMinimumOfBothSides() {
        Endpoint ours = qp.endpoint();
        qp.applied.clear();
        qp.connect(new Endpoint(THEIRS, GidType.ROCE_V2, 3, 0x22, 0x333, Mtu.MTU_512, 2));

        assertThat(qp.applied)
                .containsExactly(
                        new Transition.ReadyToReceive(
                                Route.to(1, 1, THEIRS).withDestinationLid(3),
                                0x22,
                                0x333,
                                Mtu.MTU_512,
                                2,
                                RnrTimer.DEFAULT),
                        new Transition.ReadyToSend(ours.psn(), AckTimeout.DEFAULT, 7, 7, 2));
        assertThat(qp.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void connectingTakesOurMinimumIfThatIsSmaller() {
        qp.endpoint();
        qp.connect(new Endpoint(THEIRS, GidType.ROCE_V2, 0, 0x22, 0x333, Mtu.MTU_4096, 255));

        assertThat(qp.applied.get(1)).isInstanceOfSatisfying(Transition.ReadyToReceive.class, step -> {
            assertThat(step.mtu()).isEqualTo(Mtu.MTU_1024);
            assertThat(step.maxReads()).isEqualTo(4);
        });
    }

    @Test
    void connectingWithoutAnEndpointIsMisuse() {
        Endpoint theirs = new Endpoint(THEIRS, GidType.ROCE_V2, 0, 0x22, 0x333, Mtu.MTU_512, 2);

        assertThatThrownBy(() -> qp.connect(theirs))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("QP 0x11 of fake0 has no endpoint yet; call endpoint() first");
        assertThatThrownBy(qp::endpointChoice).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void gidsThatDoNotGoTogetherAreRefusedBeforeTheDeviceIsAsked() {
        qp.endpoint();
        qp.applied.clear();
        assertUnreachable(LINK_LOCAL, GidType.ROCE_V2, "one GID is an IPv4 address and the other is not");
        assertUnreachable(Gid.EMPTY, GidType.ROCE_V2, "only one side has a GID");
        assertUnreachable(THEIRS, GidType.ROCE_V1, "the GIDs are of different types, ROCE_V2 and ROCE_V1");

        assertThat(qp.applied).isEmpty();
    }

    private void assertUnreachable(Gid gid, GidType type, String reason) {
        assertThatThrownBy(() -> qp.connect(new Endpoint(gid, type, 0, 0x22, 0x333, Mtu.MTU_512, 2)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining(reason)
                .hasMessageContaining("endpoint(port, gidIndex) on both sides; this side: GID index 1");
    }

    @Test
    void aStepThatTheSpecificationDoesNotHaveIsExplained() {
        qp.endpoint();

        assertThatThrownBy(() -> qp.modify(new Transition.ReadyToSend(1, AckTimeout.DEFAULT, 7, 7, 1)))
                .isInstanceOfSatisfying(QueuePairStateException.class, e -> {
                    assertThat(e.from()).isEqualTo(QueuePairState.INIT);
                    assertThat(e.to()).isEqualTo(QueuePairState.READY_TO_SEND);
                    assertThat(e.getCause()).isInstanceOf(VerbsException.class);
                })
                .hasMessage("ibv_modify_qp(QP 0x11 of fake0, INIT -> RTS): EINVAL; RC goes INIT -> RTR -> RTS, go to"
                        + " ReadyToReceive first");
    }

    @Test
    void anotherRefusalIsPassedOnAsItIs() {
        qp.refusal = new VerbsException("ibv_modify_qp", "QP 0x11", Errno.ETIMEDOUT, "again");
        assertThatThrownBy(() -> qp.modify(new Transition.ReadyToSend(1, AckTimeout.DEFAULT, 7, 7, 1)))
                .isSameAs(qp.refusal);

        // the step is right, so the device must have another reason
        qp.refusal = new VerbsException("ibv_modify_qp", "QP 0x11", Errno.EINVAL, "");
        assertThatThrownBy(() -> qp.modify(new Transition.Init(1, 0, Set.of()))).isSameAs(qp.refusal);
    }

    @Test
    void aRefusedEndpointIsAskedForAgain() {
        qp.refusal = new VerbsException("ibv_modify_qp", "QP 0x11", Errno.ETIMEDOUT, "again");
        assertThatThrownBy(qp::endpoint).isSameAs(qp.refusal);
        qp.refusal = null;

        assertThat(qp.endpoint().qpn()).isEqualTo(0x11);
        assertThat(qp.state()).isEqualTo(QueuePairState.INIT);
    }

    @Test
    void onlyTheFirstErrorIsKeptAndAResetForgetsIt() {
        CompletionRecord first = failed(1, CompletionStatus.REMOTE_ACCESS_ERROR, 10);
        qp.noteError(first);
        qp.noteError(failed(2, CompletionStatus.WORK_REQUEST_FLUSHED, 5));
        assertThat(qp.firstError()).isEqualTo(first);
        qp.modify(new Transition.ToReset());

        assertThat(qp.firstError()).isNull();
    }

    @Test
    void aClosedQueuePairRefusesEveryVerb() {
        qp.endpoint();
        context.close();
        for (Runnable call : List.<Runnable>of(
                qp::state,
                qp::query,
                qp::endpoint,
                () -> qp.modify(new Transition.ToError()),
                () -> qp.endpoint(1, 0))) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("QP 0x11 of fake0 is closed");
        }
    }

    private static CompletionRecord failed(long id, CompletionStatus status, int raw) {
        return new CompletionRecord(id, status, raw, Opcode.UNKNOWN, 0, false, 0, 0x11, 0, 0, 0, false, 0);
    }
}
