// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.RemoteBuffer;

/**
 * Unreliable connections (UC). Between devices that lose nothing on the way, every message that finds a receive arrives. A
 * device without them refuses the type, see {@link QueuePairContract}.
 */
public abstract class UnreliableContract extends VerbsContract {

    private static final Shape SHAPE = Shape.DEFAULT.type(QueuePairType.UNRELIABLE_CONNECTION);

    @BeforeEach
    final void requireUnreliableConnections() {
        require(first(), Feature.UNRELIABLE_CONNECTION);
        require(second(), Feature.UNRELIABLE_CONNECTION);
    }

    @Test
    @Covers.Verb({"Transition.UnreliableReadyToReceive", "Transition.UnreliableReadyToSend", "QueuePair.connect"})
    void connectingGoesToReadyToSendWithWhatTheTypeHas() {
        Pair pair = connected(SHAPE);
        QueuePairAttributes attributes = pair.here().qp.query();
        assertThat(pair.here().qp.type()).isEqualTo(QueuePairType.UNRELIABLE_CONNECTION);
        assertThat(attributes.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(attributes.remoteQpn()).isEqualTo(pair.there().qp.qpn());
        assertThat(attributes.mtu())
                .isEqualTo(Pair.mtu(pair.here().qp.endpoint(), pair.there().qp.endpoint()));
    }

    @Test
    void sendsBringEverySizeUnchangedInBothDirections() {
        Pair pair = connected(SHAPE.memory((1 << 20) + 64));
        for (Pair direction : List.of(pair, pair.reversed())) {
            for (long size : Sizes.around(direction)) {
                Bytes.fill(direction.here().memory, size + 1);
                Bytes.fill(direction.there().memory, size + 2);
                byte[] before = Bytes.copy(direction.there().memory);
                direction.there().receive(size, 9, size + 1);
                direction
                        .here()
                        .sends
                        .send(size)
                        .local(direction.here().memory, 5, size)
                        .signaled();
                direction.here().sends.post();

                assertThat(direction.here().sentWell().id()).isEqualTo(size);
                CompletionRecord received = direction.there().receivedWell();
                assertThat(received.id()).isEqualTo(size);
                assertThat(received.byteLength()).isEqualTo(size);
                Bytes.assertCopied(direction.there().memory, before, 9, Bytes.copy(direction.here().memory), 5, size);
            }
        }
    }

    @Test
    void writesBringEverySizeAndTheImmediateThatTellsOfThem() {
        Pair pair = connected(SHAPE.memory((1 << 20) + 64));
        for (long size : Sizes.around(pair)) {
            Bytes.fill(pair.here().memory, size + 1);
            Bytes.fill(pair.there().memory, size + 2);
            byte[] before = Bytes.copy(pair.there().memory);
            pair.there().receives.receive(size);
            pair.there().receives.post();
            RemoteBuffer remote = pair.there().memory.remote();
            pair.here()
                    .sends
                    .write(1, remote, 17)
                    .local(pair.here().memory, 5, size)
                    .signaled();
            pair.here().sends.writeWithImmediate(2, remote, 17, (int) size).signaled();
            pair.here().sends.post();

            assertThat(pair.here().sentWell().id()).isEqualTo(1);
            assertThat(pair.here().sentWell().id()).isEqualTo(2);
            CompletionRecord received = pair.there().receivedWell();
            assertThat(received.opcode()).isEqualTo(Opcode.RECEIVE_WRITE_WITH_IMMEDIATE);
            assertThat(received.immediate()).isEqualTo((int) size);
            Bytes.assertCopied(pair.there().memory, before, 17, Bytes.copy(pair.here().memory), 5, size);
        }
    }

    @Test
    void immediateDataComeWithASend() {
        Pair pair = connected(SHAPE);
        pair.there().receive(1, 0, 8);
        pair.here()
                .sends
                .sendWithImmediate(2, 0x0102_0304)
                .local(pair.here().memory, 0, 8)
                .signaled();
        pair.here().sends.post();
        pair.here().sentWell();
        CompletionRecord received = pair.there().receivedWell();
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(0x0102_0304);
    }

    @Test
    void aMessageThatFindsNoReceiveIsLostAndTheNextArrives() {
        Pair pair = connected(SHAPE);
        pair.here().sends.send(1).local(pair.here().memory, 0, 8).signaled();
        pair.here().sends.post();
        assertThat(pair.here().sentWell().id()).as("the sender is not told").isEqualTo(1);
        Waiting.assertSilent(pair.there().receiveCompletions);

        pair.there().receive(5, 0, 8);
        pair.here().sends.send(2).local(pair.here().memory, 0, 3).signaled();
        pair.here().sends.post();
        pair.here().sentWell();
        assertThat(pair.there().receivedWell().byteLength()).isEqualTo(3);
        assertThat(pair.there().qp.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void thereAreNeitherReadsNorAtomics() {
        Pair pair = connected(SHAPE);
        RemoteBuffer remote = pair.there().memory.remote();
        assertThatThrownBy(() -> pair.here().sends.read(1, remote, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("UC");
        assertThatThrownBy(() -> pair.here().sends.compareAndSwap(1, remote, 0, 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pair.here().sends.fetchAndAdd(1, remote, 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(pair.here().sends.tryPost()).isZero();
    }
}
