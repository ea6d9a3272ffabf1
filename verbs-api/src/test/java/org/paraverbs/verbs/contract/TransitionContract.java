// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AckTimeout;
import org.paraverbs.verbs.AsyncEvent;
import org.paraverbs.verbs.AsyncEventType;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairStateException;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.RnrTimer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.spi.QueuePairStateTable;

/** The steps of a queue pair and what the device then says ({@code ibv_modify_qp(3)}, {@code ibv_query_qp(3)}). */
public abstract class TransitionContract extends VerbsContract {

    private static final int PSN_THERE = 0x00ab_cdef;
    private static final int PSN_HERE = 0x0012_3456;
    private static final List<QueuePairState> STATES = List.of(
            QueuePairState.RESET,
            QueuePairState.INIT,
            QueuePairState.READY_TO_RECEIVE,
            QueuePairState.READY_TO_SEND,
            QueuePairState.ERROR);

    @Test
    @Covers.Verb({
        "QueuePair.modify",
        "QueuePair.query",
        "Transition.Init",
        "Transition.ReadyToReceive",
        "Transition.ReadyToSend"
    })
    void everyStepOfTheWayIsReportedByAQuery() {
        Pair pair = unconnected(Shape.DEFAULT);
        Side side = pair.here();
        assertThat(side.qp.query().state()).isEqualTo(QueuePairState.RESET);

        side.qp.modify(init(Access.REMOTE_WRITE));
        QueuePairAttributes init = side.qp.query();
        assertThat(init.state()).isEqualTo(QueuePairState.INIT);
        assertThat(init.port()).isEqualTo(1);
        assertThat(init.pkeyIndex()).isZero();
        assertThat(init.access()).containsExactly(Access.REMOTE_WRITE);

        Transition.ReadyToReceive readyToReceive = readyToReceive(pair);
        side.qp.modify(readyToReceive);
        QueuePairAttributes receiving = side.qp.query();
        assertThat(receiving.state()).isEqualTo(QueuePairState.READY_TO_RECEIVE);
        assertThat(receiving.mtu()).isEqualTo(Mtu.MTU_512);
        assertThat(receiving.remoteQpn()).isEqualTo(pair.there().qp.qpn());
        assertThat(receiving.receivePsn()).isEqualTo(PSN_THERE);
        assertThat(receiving.maxReadsAsTarget()).isEqualTo(1);
        assertThat(receiving.rnrTimer()).isEqualTo(new RnrTimer(14));
        assertThat(receiving.route()).isNotNull();
        assertThat(receiving.route().destination())
                .isEqualTo(readyToReceive.route().destination());
        assertThat(receiving.route().sourceGidIndex())
                .isEqualTo(readyToReceive.route().sourceGidIndex());
        assertThat(receiving.route().port()).isEqualTo(1);

        side.qp.modify(readyToSend());
        QueuePairAttributes sending = side.qp.query();
        assertThat(sending.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(sending.sendPsn()).isEqualTo(PSN_HERE);
        assertThat(sending.timeout()).isEqualTo(new AckTimeout(15));
        assertThat(sending.retries()).isEqualTo(5);
        assertThat(sending.rnrRetries()).isEqualTo(3);
        assertThat(sending.maxReadsAsInitiator()).isEqualTo(1);
        assertThat(sending.capacity().maxSends()).isEqualTo(side.qp.capacity().maxSends());
        assertThat(sending.capacity().maxReceives())
                .isEqualTo(side.qp.capacity().maxReceives());
    }

    /** From every state that a program can bring a queue pair to, every step: as the specification's table has it. */
    @Test
    @Covers.Verb({"QueuePair.modify", "QueuePair.state", "Transition.target", "Transition.ToError", "Transition.ToReset"
    })
    void everyStepFromEveryStateIsTakenOrRefusedAsTheTableHasIt() {
        QueuePairStateTable table = QueuePairStateTable.of(QueuePairType.RELIABLE_CONNECTION);
        Pair pair = unconnected(Shape.DEFAULT);
        List<Transition> transitions = List.of(
                init(Access.REMOTE_WRITE),
                readyToReceive(pair),
                readyToSend(),
                new Transition.DrainSend(false),
                new Transition.ToError(),
                new Transition.ToReset());
        for (QueuePairState from : STATES) {
            for (Transition transition : transitions) {
                takeTo(from, pair);
                Optional<String> fault = table.fault(from, transition.target(), QueuePairStateTable.mask(transition));
                if (fault.isPresent()) {
                    assertRefused(pair.here(), from, transition, fault.get());
                } else if (!(transition instanceof Transition.DrainSend) || drains()) {
                    pair.here().qp.modify(transition);
                    assertThat(pair.here().qp.state())
                            .as("%s -> %s", from, transition)
                            .isEqualTo(transition.target());
                }
            }
        }
    }

    private static void assertRefused(Side side, QueuePairState from, Transition transition, String advice) {
        assertThatThrownBy(() -> side.qp.modify(transition))
                .as("%s -> %s", from, transition)
                .isInstanceOfSatisfying(QueuePairStateException.class, e -> {
                    assertThat(e.from()).isEqualTo(from);
                    assertThat(e.to()).isEqualTo(transition.target());
                    assertThat(e.code()).isEqualTo(Errno.EINVAL);
                    assertThat(e.verb()).isEqualTo("ibv_modify_qp");
                })
                .hasMessageContaining("QP 0x" + Integer.toHexString(side.qp.qpn()))
                .hasMessageContaining(
                        from.abbreviation() + " -> " + transition.target().abbreviation())
                .hasMessageContaining(advice);
        assertThat(side.qp.state()).as("the state after a refusal").isEqualTo(from);
    }

    private void takeTo(QueuePairState state, Pair pair) {
        Side side = pair.here();
        side.qp.modify(new Transition.ToReset());
        if (state != QueuePairState.RESET) {
            side.qp.modify(init(Access.REMOTE_WRITE));
            if (state == QueuePairState.ERROR) {
                side.qp.modify(new Transition.ToError());
            } else if (state != QueuePairState.INIT) {
                side.qp.modify(readyToReceive(pair));
                if (state != QueuePairState.READY_TO_RECEIVE) {
                    side.qp.modify(readyToSend());
                }
            }
        }
        assertThat(side.qp.state()).isEqualTo(state);
    }

    @Test
    void goingStraightToReadyToSendNamesTheWay() {
        Side side = new Side(first(), Shape.DEFAULT);
        side.qp.modify(init());

        assertThatThrownBy(() -> side.qp.modify(readyToSend()))
                .isInstanceOf(QueuePairStateException.class)
                .hasMessageContaining("INIT -> RTS")
                .hasMessageEndingWith("EINVAL; RC goes INIT -> RTR -> RTS, go to ReadyToReceive first");
    }

    @Test
    @Covers.Verb("Transition.ToReset")
    void aResetForgetsEverythingAndTheQueuePairWorksAgain() {
        Pair pair = connected();
        for (int i = 0; i < 4; i++) {
            pair.here().sends.send(i).local(pair.here().memory, 0, 8).signaled();
            pair.here().receives.receive(i).local(pair.here().memory, 0, 8);
        }
        pair.here().sends.post();
        pair.here().receives.post();
        pair.here().qp.modify(new Transition.ToReset());

        assertThat(pair.here().sends.available())
                .isEqualTo(pair.here().qp.capacity().maxSends());
        assertThat(pair.here().receives.available())
                .isEqualTo(pair.here().qp.capacity().maxReceives());
        Waiting.assertSilent(pair.here().sendCompletions);
        Waiting.assertSilent(pair.here().receiveCompletions);

        pair.there().qp.modify(new Transition.ToReset());
        pair.connect();
        pair.here().receive(55, 0, 8);
        pair.there().sends.send(1).local(pair.there().memory, 0, 8).signaled();
        pair.there().sends.post();
        pair.there().sentWell();
        assertThat(pair.here().receivedWell().id()).isEqualTo(55);
    }

    @Test
    void aQueuePairInErrorIsUsedAgainAfterAReset() {
        Pair pair = connected();
        pair.here().qp.modify(new Transition.ToError());
        pair.there().qp.modify(new Transition.ToError());
        pair.here().qp.modify(new Transition.ToReset());
        pair.there().qp.modify(new Transition.ToReset());
        pair.connect();
        pair.here()
                .sends
                .write(1, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(1);
    }

    @Test
    @Covers.Verb({"Transition.DrainSend", "Transition.Resume"})
    void aDrainedSendQueueGoesOnAfterResuming() {
        if (!drains()) {
            skip("the device does not drain send queues");
        }
        Pair pair = connected();
        pair.here().qp.modify(new Transition.DrainSend(false));
        assertThat(pair.here().qp.state()).isEqualTo(QueuePairState.SEND_QUEUE_DRAINED);
        Waiting.until("the end of draining", () -> resumed(pair.here()));
        assertThat(pair.here().qp.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        pair.here()
                .sends
                .write(1, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(1);
    }

    @Test
    @Covers.Verb({"Transition.DrainSend", "Transition.Resume"})
    @Covers.Event(AsyncEventType.SEND_QUEUE_DRAINED)
    void drainingFinishesWhatHasBegunThenReportsItAndStartsNothingNew() throws InterruptedException {
        require(first(), Feature.ASYNC_EVENTS);
        if (!drains()) {
            skip("the device does not drain send queues");
        }
        requireBehaviour(Behaviour.DRAINING_WAITS_FOR_RECEIVER);
        Pair pair = connected();
        // begun, and not finished until the peer posts a receive
        pair.here().sends.send(1).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();
        Waiting.assertSilent(pair.here().sendCompletions);
        pair.here().qp.modify(new Transition.DrainSend(true));
        assertThat(Events.among(first(), AsyncEventType.SEND_QUEUE_DRAINED))
                .as("an event before the SEND is finished")
                .isNull();
        pair.there().receive(2, 0, 8);
        assertThat(pair.here().sentWell().id()).isEqualTo(1);
        pair.there().receivedWell();
        assertThat(Events.await(first(), AsyncEventType.SEND_QUEUE_DRAINED))
                .isInstanceOfSatisfying(
                        AsyncEvent.OfQueuePair.class,
                        drained -> assertThat(drained.queuePair()).isSameAs(pair.here().qp));

        assertThat(pair.here().qp.state()).isEqualTo(QueuePairState.SEND_QUEUE_DRAINED);
        pair.here()
                .sends
                .write(3, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.post();
        Waiting.assertSilent(pair.here().sendCompletions);
        // the receiving half goes on
        pair.here().receive(4, 0, 8);
        pair.there().sends.send(5).local(pair.there().memory, 0, 8).signaled();
        pair.there().sends.post();
        assertThat(pair.here().receivedWell().id()).isEqualTo(4);
        pair.there().sentWell();

        Waiting.until("the end of draining", () -> resumed(pair.here()));
        assertThat(pair.here().sentWell().id()).isEqualTo(3);
    }

    @Test
    @Covers.Verb("QueuePair.modify")
    void stepsOfOtherTypesAreRefusedWithWhatIsWrong() {
        Side side = new Side(first(), Shape.DEFAULT);
        assertRefused(
                side,
                QueuePairState.RESET,
                new Transition.DatagramInit(1, 0, 7),
                "RC RESET -> INIT also needs [ACCESS_FLAGS], and does not take [QKEY]");
        side.qp.modify(init());
        assertRefused(side, QueuePairState.INIT, new Transition.DatagramReadyToReceive(), "also needs");
        assertRefused(side, QueuePairState.INIT, new Transition.DatagramReadyToSend(1), "RC goes INIT -> RTR -> RTS");
    }

    /** A device may refuse to resume while it still drains. */
    private static boolean resumed(Side side) {
        try {
            side.qp.modify(new Transition.Resume());
            return true;
        } catch (VerbsException e) {
            assertThat(e.code()).isEqualTo(Errno.EINVAL);
            return false;
        }
    }

    @Test
    void aPortThatThereIsNotIsRefused() {
        Side side = new Side(first(), Shape.DEFAULT);
        for (int port : new int[] {0, first().attributes().portCount() + 1}) {
            assertThatThrownBy(() -> side.qp.modify(new Transition.Init(port, 0, Set.of())))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.code()).isEqualTo(Errno.EINVAL));
        }
        assertThat(side.qp.state()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    void anUnusedSourceGidIsRefused() {
        Pair pair = unconnected(Shape.DEFAULT);
        pair.here().qp.modify(init());
        Transition.ReadyToReceive right = readyToReceive(pair);
        List<Integer> used =
                first().gids(1).stream().map(entry -> entry.index()).toList();
        for (int index = 0; index < Math.min(255, first().port(1).gidTableLength()); index++) {
            if (!used.contains(index)) {
                assertRouteRefused(
                        pair.here(), right, Route.to(1, index, right.route().destination()));
                return;
            }
        }
        skip("every entry of the GID table is in use");
    }

    @Test
    void aRouteWithoutADestinationIsRefusedOnEthernet() {
        if (first().port(1).linkLayer() != LinkLayer.ETHERNET) {
            skip("the port is not Ethernet");
        }
        Pair pair = unconnected(Shape.DEFAULT);
        pair.here().qp.modify(init());
        Transition.ReadyToReceive right = readyToReceive(pair);
        assertRouteRefused(pair.here(), right, Route.to(1, right.route().sourceGidIndex(), Gid.EMPTY));
    }

    private static void assertRouteRefused(Side side, Transition.ReadyToReceive right, Route wrong) {
        Transition.ReadyToReceive changed = new Transition.ReadyToReceive(
                wrong, right.remoteQpn(), right.psn(), right.mtu(), right.maxReads(), right.rnrTimer());
        assertThatThrownBy(() -> side.qp.modify(changed))
                .as("%s", wrong)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_modify_qp");
        assertThat(side.qp.state()).isEqualTo(QueuePairState.INIT);
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxReadsAsTarget")
    void moreOutstandingReadsThanTheDeviceHasAreRefused() {
        int max = first().attributes().maxReadsAsTarget();
        if (max >= 255) {
            skip("the device takes every number that fits");
        }
        Pair pair = unconnected(Shape.DEFAULT);
        pair.here().qp.modify(init());
        Transition.ReadyToReceive right = readyToReceive(pair);
        Transition.ReadyToReceive tooMany = new Transition.ReadyToReceive(
                right.route(), right.remoteQpn(), right.psn(), right.mtu(), max + 1, right.rnrTimer());

        assertThatThrownBy(() -> pair.here().qp.modify(tooMany)).isInstanceOf(VerbsException.class);
        assertThat(pair.here().qp.state()).isEqualTo(QueuePairState.INIT);
    }

    private static Transition.Init init(Access... access) {
        return new Transition.Init(1, 0, Set.of(access));
    }

    private Transition.ReadyToReceive readyToReceive(Pair pair) {
        // in INIT again and again: what it says of the port and GID does not change
        Endpoint theirs = pair.there().qp.endpoint();
        var entries = first().gids(1);
        int gidIndex = entries.stream()
                .filter(entry -> entry.type() == theirs.gidType()
                        && entry.gid().isIpv4Mapped() == theirs.gid().isIpv4Mapped()
                        && entry.gid().isLinkLocal() == theirs.gid().isLinkLocal())
                .mapToInt(entry -> entry.index())
                .findFirst()
                .orElse(0);
        Route route = Route.to(1, gidIndex, theirs.gid()).withDestinationLid(theirs.lid());
        return new Transition.ReadyToReceive(route, theirs.qpn(), PSN_THERE, Mtu.MTU_512, 1, new RnrTimer(14));
    }

    private static Transition.ReadyToSend readyToSend() {
        return new Transition.ReadyToSend(PSN_HERE, new AckTimeout(15), 5, 3, 1);
    }
}
