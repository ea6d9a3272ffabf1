// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.paraverbs.verbs.Access.LOCAL_WRITE;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.PostException;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairStateException;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.spi.QueuePairStateTable;

/** The states of datagram queue pairs (UD), what they do in each, and how they fail ({@code ibv_modify_qp(3)}). */
public abstract class DatagramStateContract extends VerbsContract {

    private static final int KEY = QueuePair.DATAGRAM_QKEY;

    private static final List<QueuePairState> STATES = List.of(
            QueuePairState.RESET,
            QueuePairState.INIT,
            QueuePairState.READY_TO_RECEIVE,
            QueuePairState.READY_TO_SEND,
            QueuePairState.ERROR);

    private static final List<Transition> STEPS = List.of(
            new Transition.DatagramInit(1, 0, 0x1234),
            new Transition.DatagramReadyToReceive(),
            new Transition.DatagramReadyToSend(0x654321),
            new Transition.Init(1, 0, Set.of()),
            new Transition.UnreliableReadyToSend(1),
            new Transition.DrainSend(false),
            new Transition.ToError(),
            new Transition.ToReset());

    @BeforeEach
    final void requireDatagrams() {
        require(first(), Feature.UNRELIABLE_DATAGRAM);
        require(second(), Feature.UNRELIABLE_DATAGRAM);
    }

    @Test
    @Covers.Verb({"Transition.DatagramInit", "Transition.DatagramReadyToReceive", "Transition.DatagramReadyToSend"})
    void everyStepOfTheWayIsReportedByAQuery() {
        DatagramSide side = DatagramSide.inReset(first());
        side.qp.modify(new Transition.DatagramInit(1, 0, 0x2345_6789));
        QueuePairAttributes init = side.qp.query();
        assertThat(init.state()).isEqualTo(QueuePairState.INIT);
        assertThat(init.port()).isEqualTo(1);
        assertThat(init.pkeyIndex()).isZero();
        assertThat(init.qkey()).isEqualTo(0x2345_6789);
        // INIT to INIT gives another key
        side.qp.modify(new Transition.DatagramInit(1, 0, 0x1234));
        assertThat(side.qp.query().qkey()).isEqualTo(0x1234);
        side.qp.modify(new Transition.DatagramReadyToReceive());
        assertThat(side.qp.state()).isEqualTo(QueuePairState.READY_TO_RECEIVE);
        side.qp.modify(new Transition.DatagramReadyToSend(0x654321));
        QueuePairAttributes sending = side.qp.query();
        assertThat(sending.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(sending.sendPsn()).isEqualTo(0x654321);
        assertThat(sending.qkey()).isEqualTo(0x1234);
    }

    @Test
    @Covers.Verb({"Transition.DatagramInit", "Transition.DatagramReadyToReceive", "Transition.DatagramReadyToSend"})
    void everyStepFromEveryStateIsTakenOrRefusedAsTheTableHasIt() {
        QueuePairStateTable table = QueuePairStateTable.of(QueuePairType.UNRELIABLE_DATAGRAM);
        DatagramSide side = DatagramSide.inReset(first());
        for (QueuePairState from : STATES) {
            for (Transition step : STEPS) {
                takeTo(from, side);
                Optional<String> fault = table.fault(from, step.target(), QueuePairStateTable.mask(step));
                if (fault.isPresent()) {
                    assertThatThrownBy(() -> side.qp.modify(step))
                            .as("%s -> %s", from, step)
                            .isInstanceOfSatisfying(QueuePairStateException.class, e -> {
                                assertThat(e.from()).isEqualTo(from);
                                assertThat(e.to()).isEqualTo(step.target());
                            })
                            .hasMessageContaining(fault.get());
                    assertThat(side.qp.state()).as("after %s", step).isEqualTo(from);
                } else if (!(step instanceof Transition.DrainSend) || drains()) {
                    side.qp.modify(step);
                    assertThat(side.qp.state()).as("%s -> %s", from, step).isEqualTo(step.target());
                }
            }
        }
    }

    private static void takeTo(QueuePairState state, DatagramSide side) {
        side.qp.modify(new Transition.ToReset());
        if (state != QueuePairState.RESET) {
            side.qp.modify(new Transition.DatagramInit(1, 0, 0x1234));
            if (state == QueuePairState.ERROR) {
                side.qp.modify(new Transition.ToError());
            } else if (state != QueuePairState.INIT) {
                side.qp.modify(new Transition.DatagramReadyToReceive());
                if (state != QueuePairState.READY_TO_RECEIVE) {
                    side.qp.modify(new Transition.DatagramReadyToSend(1));
                }
            }
        }
        assertThat(side.qp.state()).isEqualTo(state);
    }

    @Test
    void sendingNeedsReadyToSend() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        AddressHandle handle = here.to(there);
        for (QueuePairState state :
                List.of(QueuePairState.RESET, QueuePairState.INIT, QueuePairState.READY_TO_RECEIVE)) {
            takeTo(state, here);
            here.sends.send(1).to(handle, there.qp.qpn(), KEY).signaled();
            assertThatThrownBy(here.sends::post)
                    .as("%s", state)
                    .isInstanceOf(PostException.class)
                    .hasMessageContaining("ibv_post_send");
        }
        Waiting.assertSilent(here.sendCompletions);
    }

    @Test
    void receivingNeedsReadyToReceiveAndNoMore() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.inReset(second());
        there.qp.endpoint();
        AddressHandle handle = here.to(there);
        there.receive(1, 0, 8);
        there.receive(2, 0, 8);
        here.send(1, 0, 8, handle, there);
        here.sentWell();
        Waiting.assertSilent(there.receiveCompletions);

        there.qp.modify(new Transition.DatagramReadyToReceive());
        here.send(2, 0, 5, handle, there);
        here.sentWell();
        CompletionRecord received = there.receivedWell();
        assertThat(received.id()).isEqualTo(1);
        assertThat(received.byteLength()).isEqualTo(DatagramSide.HEADER + 5);
        there.qp.modify(new Transition.DatagramReadyToSend(7));
        here.send(3, 0, 6, handle, there);
        here.sentWell();
        assertThat(there.receivedWell().byteLength()).isEqualTo(DatagramSide.HEADER + 6);
    }

    @Test
    @Covers.Status(CompletionStatus.WORK_REQUEST_FLUSHED)
    void goingToErrorFlushesBothQueuesAndAResetStartsAnew() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        AddressHandle handle = here.to(there);
        for (int i = 0; i < 4; i++) {
            here.receive(i, 0, 8);
        }
        here.qp.modify(new Transition.ToError());
        here.send(10, 0, 8, handle, there);
        here.send(11, 0, 8, handle, there);
        for (int i = 0; i < 4; i++) {
            assertFlushed(Waiting.completion(here.receiveCompletions), i);
        }
        assertFlushed(here.sent(), 10);
        assertFlushed(here.sent(), 11);

        here.qp.modify(new Transition.ToReset());
        here.activate();
        here.receive(20, 0, 8);
        there.send(1, 0, 8, there.to(here), here);
        there.sentWell();
        assertThat(here.receivedWell().id()).isEqualTo(20);
    }

    private static void assertFlushed(CompletionRecord completion, int id) {
        assertThat(completion.id()).isEqualTo(id);
        assertThat(completion.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }

    /** It is no error either (IBTA volume 1, C10-93.1.1). */
    @Test
    void aDatagramLongerThanTheMtuIsNotSent() {
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        there.receive(1, 0, 16 << 10);
        AddressHandle handle = here.to(there);
        here.send(2, 0, first().port(1).activeMtu().bytes() + 1, handle, there);

        assertThat(here.sentWell().id()).isEqualTo(2);
        Waiting.assertSilent(there.receiveCompletions);
        here.send(3, 0, 8, handle, there);
        assertThat(here.sentWell().id()).isEqualTo(3);
        assertThat(there.receivedWell().byteLength()).isEqualTo(DatagramSide.HEADER + 8);
    }

    @Test
    @Covers.Status(CompletionStatus.LOCAL_LENGTH_ERROR)
    void aDatagramLongerThanItsReceiveFailsTheReceive() {
        requireBehaviour(Behaviour.DATAGRAM_RECEIVE_TOO_SMALL_FAILS);
        DatagramSide there = DatagramSide.active(second());
        there.receive(1, 0, 7);
        assertReceiveFails(there, Situation.RECEIVE_TOO_SMALL, CompletionStatus.LOCAL_LENGTH_ERROR);
    }

    @Test
    @Covers.Status(CompletionStatus.LOCAL_PROTECTION_ERROR)
    void aDatagramForAReceiveWithAWrongLocalKeyFailsTheReceive() {
        DatagramSide there = DatagramSide.active(second());
        var stranger = second().allocateProtectionDomain().allocate(4096, LOCAL_WRITE);
        there.receives.receive(1).local(stranger, 0, 64);
        there.receives.post();
        assertReceiveFails(there, Situation.RECEIVE_WITH_WRONG_LOCAL_KEY, CompletionStatus.LOCAL_PROTECTION_ERROR);
    }

    @Test
    @Covers.Status(CompletionStatus.LOCAL_PROTECTION_ERROR)
    void aDatagramForAReceiveIntoMemoryThatMayNotBeWrittenFailsTheReceive() {
        DatagramSide there = DatagramSide.active(second());
        there.receives.receive(1).local(there.domain.allocate(4096), 0, 64);
        there.receives.post();
        assertReceiveFails(there, Situation.RECEIVE_WITH_WRONG_LOCAL_KEY, CompletionStatus.LOCAL_PROTECTION_ERROR);
    }

    /** The oldest receive fails with a datagram of 8 bytes, all of the receiver stops, and the sender does not hear of it. */
    private void assertReceiveFails(DatagramSide there, Situation situation, CompletionStatus specified) {
        DatagramSide here = DatagramSide.active(first());
        here.receive(100, 0, 8);
        there.receive(2, 0, 8);
        there.receive(3, 0, 8);
        here.send(10, 0, 8, here.to(there), there);

        assertThat(here.sentWell().id()).as("the sender is not told").isEqualTo(10);
        CompletionRecord received = Waiting.completion(there.receiveCompletions);
        assertThat(received.id()).isEqualTo(1);
        assertThat(received.qpn()).isEqualTo(there.qp.qpn());
        assertStatus(situation, received, specified);
        assertFlushed(Waiting.completion(there.receiveCompletions), 2);
        assertFlushed(Waiting.completion(there.receiveCompletions), 3);
        Waiting.until("state ERROR", () -> there.qp.state() == QueuePairState.ERROR);
        assertThat(there.qp.firstError()).isEqualTo(received);
        there.send(11, 0, 8, there.to(here), here);
        assertFlushed(there.sent(), 11);
        assertNoEvent(there);

        assertThat(here.qp.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        Waiting.assertSilent(here.receiveCompletions);
        assertNoEvent(here);
    }

    private static void assertNoEvent(DatagramSide side) {
        if (side.context.supports(Feature.ASYNC_EVENTS)) {
            assertThat(Events.ofQueuePair(side.context, side.qp))
                    .as("an event of what a completion has told")
                    .isNull();
        }
    }

    /** The failed request stops the send queue alone: receives go on, and the queue goes on when it is told to. */
    @Test
    @Covers.Verb("Transition.Resume")
    @Covers.Status(CompletionStatus.LOCAL_PROTECTION_ERROR)
    void aFailedDatagramLeadsToSendQueueErrorFromWhichItResumes() {
        requireBehaviour(Behaviour.SEND_QUEUE_ERROR_STATE);
        DatagramSide here = DatagramSide.active(first());
        DatagramSide there = DatagramSide.active(second());
        AddressHandle handle = here.to(there);
        var stranger = first().allocateProtectionDomain().allocate(4096);
        here.sends.send(1).local(stranger, 0, 8).to(handle, there.qp.qpn(), KEY).signaled();
        here.sends.send(2).local(here.memory, 0, 8).to(handle, there.qp.qpn(), KEY);
        here.sends.post();
        assertThat(here.sent().status()).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertFlushed(here.sent(), 2);
        assertThat(here.qp.state()).isEqualTo(QueuePairState.SEND_QUEUE_ERROR);
        assertNoEvent(here);
        here.send(3, 0, 8, handle, there);
        assertFlushed(here.sent(), 3);

        here.receive(4, 0, 8);
        there.send(5, 0, 8, there.to(here), here);
        there.sentWell();
        assertThat(here.receivedWell().id()).isEqualTo(4);

        here.qp.modify(new Transition.Resume());
        assertThat(here.qp.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        there.receive(6, 0, 8);
        here.send(7, 0, 8, handle, there);
        assertThat(here.sentWell().id()).isEqualTo(7);
        assertThat(there.receivedWell().id()).isEqualTo(6);
    }
}
