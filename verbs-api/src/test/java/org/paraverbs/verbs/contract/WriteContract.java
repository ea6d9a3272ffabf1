// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.spi.SendOperation;

/** RDMA WRITE, with and without immediate data ({@code ibv_post_send(3)}). */
public abstract class WriteContract extends VerbsContract {

    private static final int MEBIBYTE = 1 << 20;

    @Test
    @Covers.Verb("SendQueue.write")
    @Covers.Operation(SendOperation.WRITE)
    void bringsEverySizeUnchangedInBothDirections() {
        Pair pair = connected(Shape.DEFAULT.memory(MEBIBYTE + 64));
        for (Pair direction : List.of(pair, pair.reversed())) {
            for (long size : Sizes.around(direction)) {
                Bytes.fill(direction.here().memory, size + 1);
                Bytes.fill(direction.there().memory, size + 2);
                byte[] source = Bytes.copy(direction.here().memory);
                byte[] before = Bytes.copy(direction.there().memory);
                direction
                        .here()
                        .sends
                        .write(size, direction.there().memory.remote(), 17)
                        .local(direction.here().memory, 5, size)
                        .signaled();
                direction.here().sends.post();

                CompletionRecord written = direction.here().sentWell();
                assertThat(written.id()).isEqualTo(size);
                Bytes.assertCopied(direction.there().memory, before, 17, source, 5, size);
            }
        }
    }

    @Test
    void completesWithTheFieldsOfTheRequestAndOnThisSideOnly() {
        Pair pair = connected();
        pair.there().receive(1, 0, 64);
        pair.here()
                .sends
                .write(-1L, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 64)
                .signaled();
        pair.here().sends.post();

        CompletionRecord written = pair.here().sentWell();
        assertThat(written.id()).isEqualTo(-1L);
        assertThat(written.opcode()).isEqualTo(Opcode.WRITE);
        assertThat(written.qpn()).isEqualTo(pair.here().qp.qpn());
        Waiting.assertSilent(pair.there().receiveCompletions);
    }

    @Test
    @Covers.Verb({"SendQueue.writeWithImmediate", "WorkCompletion.hasImmediate", "WorkCompletion.immediate"})
    @Covers.Operation(SendOperation.WRITE_WITH_IMMEDIATE)
    void withImmediateConsumesAReceiveAndLeavesItsMemoryAlone() {
        Pair pair = connected(Shape.DEFAULT.memory(8192));
        Bytes.fill(pair.here().memory, 1);
        Bytes.fill(pair.there().memory, 2);
        byte[] source = Bytes.copy(pair.here().memory);
        byte[] before = Bytes.copy(pair.there().memory);
        pair.there().receive(9, 0, 1024);
        pair.here()
                .sends
                .writeWithImmediate(8, pair.there().memory.remote(), 4096, 0x0a0b_0c0d)
                .local(pair.here().memory, 0, 3000)
                .signaled();
        pair.here().sends.post();

        assertThat(pair.here().sentWell().opcode()).isEqualTo(Opcode.WRITE);
        CompletionRecord received = pair.there().receivedWell();
        assertThat(received.id()).isEqualTo(9);
        assertThat(received.opcode()).isEqualTo(Opcode.RECEIVE_WRITE_WITH_IMMEDIATE);
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(0x0a0b_0c0d);
        assertThat(received.byteLength()).isEqualTo(3000);
        assertThat(received.qpn()).isEqualTo(pair.there().qp.qpn());
        Bytes.assertCopied(pair.there().memory, before, 4096, source, 0, 3000);
    }

    @Test
    void withImmediateAndNoDataNeedsAReceiveWithoutElementsOnly() {
        Pair pair = connected();
        pair.there().receives.receive(9);
        pair.there().receives.post();
        pair.here()
                .sends
                .writeWithImmediate(8, pair.there().memory.remote(), 0, 77)
                .signaled();
        pair.here().sends.post();

        pair.here().sentWell();
        CompletionRecord received = pair.there().receivedWell();
        assertThat(received.immediate()).isEqualTo(77);
        assertThat(received.byteLength()).isZero();
    }

    @Test
    void gathersElementsOfSeveralRegions() {
        Pair pair = connected(Shape.DEFAULT.elements(2).memory(4096));
        Bytes.fill(pair.here().memory, 1);
        try (var other = pair.here().domain.allocate(4096)) {
            Bytes.fill(other, 2);
            byte[] before = Bytes.copy(pair.there().memory);
            byte[] source = new byte[300];
            System.arraycopy(Bytes.copy(pair.here().memory), 11, source, 0, 100);
            System.arraycopy(Bytes.copy(other), 22, source, 100, 200);
            pair.here()
                    .sends
                    .write(1, pair.there().memory.remote(), 1000)
                    .local(pair.here().memory, 11, 100)
                    .local(other, 22, 200)
                    .signaled();
            pair.here().sends.post();

            pair.here().sentWell();
            Bytes.assertCopied(pair.there().memory, before, 1000, source, 0, 300);
        }
    }

    @Test
    void theLaterOfTwoWritesToOnePlaceWins() {
        Pair pair = connected();
        Bytes.fill(pair.here().memory, 3);
        byte[] source = Bytes.copy(pair.here().memory);
        byte[] before = Bytes.copy(pair.there().memory);
        pair.here().sends.write(1, pair.there().memory.remote(), 0).local(pair.here().memory, 0, 20_000);
        pair.here()
                .sends
                .write(2, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 30_000, 20_000)
                .signaled();
        pair.here().sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(2);
        Bytes.assertCopied(pair.there().memory, before, 0, source, 30_000, 20_000);
    }

    @Test
    void reachesTheLastByteOfTheRegionAndIsRefusedBeyondIt() {
        Pair pair = connected(Shape.DEFAULT.memory(4096));
        RemoteBuffer remote = pair.there().memory.remote();
        pair.here().sends.write(1, remote, 4095).local(pair.here().memory, 0, 1).signaled();
        pair.here().sends.write(2, remote, 4096).local(pair.here().memory, 0, 0).signaled();
        pair.here().sends.post();
        pair.here().sentWell();
        pair.here().sentWell();

        assertThatThrownBy(() -> pair.here().sends.write(3, remote, 4097))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("4097")
                .hasMessageContaining("4096 bytes");
        assertThatThrownBy(() -> pair.here().sends.write(4, remote, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pair.here().sends.write(5, remote, 4000).local(pair.here().memory, 0, 97))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("peer's buffer");
        assertThat(pair.here().sends.tryPost())
                .as("refused descriptions that were posted")
                .isZero();
    }
}
