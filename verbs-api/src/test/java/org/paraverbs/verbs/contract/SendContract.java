// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.spi.SendOperation;

/** SEND, with and without immediate data ({@code ibv_post_send(3)}, {@code ibv_post_recv(3)}). */
public abstract class SendContract extends VerbsContract {

    private static final int MEBIBYTE = 1 << 20;

    @Test
    @Covers.Verb({"SendQueue.send", "ReceiveQueue.receive"})
    @Covers.Operation(SendOperation.SEND)
    @Covers.Status(CompletionStatus.SUCCESS)
    void bringsEverySizeUnchangedInBothDirections() {
        Pair pair = connected(Shape.DEFAULT.memory(MEBIBYTE + 64));
        for (Pair direction : List.of(pair, pair.reversed())) {
            for (long size : Sizes.around(direction)) {
                Bytes.fill(direction.here().memory, size + 1);
                Bytes.fill(direction.there().memory, size + 2);
                byte[] source = Bytes.copy(direction.here().memory);
                byte[] before = Bytes.copy(direction.there().memory);
                direction.there().receive(size, 13, size);
                direction
                        .here()
                        .sends
                        .send(7)
                        .local(direction.here().memory, 3, size)
                        .signaled();
                direction.here().sends.post();

                direction.here().sentWell();
                CompletionRecord received = direction.there().receivedWell();
                assertThat(received.byteLength()).isEqualTo(size);
                Bytes.assertCopied(direction.there().memory, before, 13, source, 3, size);
            }
        }
    }

    @Test
    @Covers.Verb({
        "WorkCompletion.id",
        "WorkCompletion.status",
        "WorkCompletion.rawStatus",
        "WorkCompletion.opcode",
        "WorkCompletion.byteLength",
        "WorkCompletion.qpn"
    })
    void completesOnBothSidesWithTheFieldsOfTheRequest() {
        Pair pair = connected();
        pair.there().receive(0xfedc_ba98_7654_3210L, 0, 100);
        pair.here()
                .sends
                .send(0x8000_0000_0000_0001L)
                .local(pair.here().memory, 0, 40)
                .signaled();
        pair.here().sends.post();

        CompletionRecord sent = pair.here().sentWell();
        assertThat(sent.id()).isEqualTo(0x8000_0000_0000_0001L);
        assertThat(sent.opcode()).isEqualTo(Opcode.SEND);
        assertThat(sent.qpn()).isEqualTo(pair.here().qp.qpn());
        CompletionRecord received = pair.there().receivedWell();
        assertThat(received.id()).isEqualTo(0xfedc_ba98_7654_3210L);
        assertThat(received.opcode()).isEqualTo(Opcode.RECEIVE);
        assertThat(received.qpn()).isEqualTo(pair.there().qp.qpn());
        assertThat(received.byteLength()).isEqualTo(40);
        assertThat(received.hasImmediate()).isFalse();
    }

    @Test
    @Covers.Verb({"SendQueue.sendWithImmediate", "WorkCompletion.hasImmediate", "WorkCompletion.immediate"})
    @Covers.Operation(SendOperation.SEND_WITH_IMMEDIATE)
    void bringsImmediateDataInHostOrder() {
        Pair pair = connected();
        for (int immediate : new int[] {0x0102_0304, 0, -1, 0x8000_0000}) {
            pair.there().receive(1, 0, 100);
            pair.here()
                    .sends
                    .sendWithImmediate(2, immediate)
                    .local(pair.here().memory, 0, 8)
                    .signaled();
            pair.here().sends.post();

            assertThat(pair.here().sentWell().opcode()).isEqualTo(Opcode.SEND);
            CompletionRecord received = pair.there().receivedWell();
            assertThat(received.opcode()).isEqualTo(Opcode.RECEIVE);
            assertThat(received.hasImmediate()).isTrue();
            assertThat(received.immediate()).isEqualTo(immediate);
            assertThat(received.byteLength()).isEqualTo(8);
        }
    }

    @Test
    void fillsReceivesInTheOrderOfTheirPosting() {
        Pair pair = connected();
        for (int i = 0; i < 8; i++) {
            pair.there().receives.receive(100 + i).local(pair.there().memory, 64L * i, 64);
        }
        pair.there().receives.post();
        Bytes.fill(pair.here().memory, 5);
        for (int i = 0; i < 8; i++) {
            pair.here().sends.send(i).local(pair.here().memory, 64L * i, 64).signaled();
        }
        pair.here().sends.post();

        for (int i = 0; i < 8; i++) {
            assertThat(pair.here().sentWell().id()).isEqualTo(i);
            assertThat(pair.there().receivedWell().id()).isEqualTo(100 + i);
        }
        assertThat(pair.here()
                        .memory
                        .memory()
                        .asSlice(0, 8 * 64)
                        .mismatch(pair.there().memory.memory().asSlice(0, 8 * 64)))
                .isEqualTo(-1);
    }

    @Test
    @Covers.Verb({"SendWorkRequest.local", "ReceiveWorkRequest.local"})
    void gathersAndScattersElements() {
        Pair pair = connected(Shape.DEFAULT.elements(3));
        Bytes.fill(pair.here().memory, 1);
        MemorySegment source = pair.here().memory.memory();
        MemorySegment target = pair.there().memory.memory();
        pair.there()
                .receives
                .receive(1)
                .local(pair.there().memory, 1000, 10)
                .local(pair.there().memory, 3000, 1)
                .local(pair.there().memory, 2000, 500);
        pair.there().receives.post();
        pair.here()
                .sends
                .send(2)
                .local(pair.here().memory, 5000, 7)
                .local(pair.here().memory, 0, 0)
                .local(pair.here().memory, 4000, 13)
                .signaled();
        pair.here().sends.post();

        pair.here().sentWell();
        assertThat(pair.there().receivedWell().byteLength()).isEqualTo(20);
        byte[] sent = new byte[20];
        MemorySegment.copy(source, 5000, MemorySegment.ofArray(sent), 0, 7);
        MemorySegment.copy(source, 4000, MemorySegment.ofArray(sent), 7, 13);
        byte[] received = new byte[20];
        MemorySegment.copy(target, 1000, MemorySegment.ofArray(received), 0, 10);
        MemorySegment.copy(target, 3000, MemorySegment.ofArray(received), 10, 1);
        MemorySegment.copy(target, 2000, MemorySegment.ofArray(received), 11, 9);
        assertThat(received).isEqualTo(sent);
        assertThat(target.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 2009))
                .as("beyond the message")
                .isZero();
    }

    @Test
    void fillsAReceiveOfTheExactLength() {
        Pair pair = connected();
        pair.there().receive(1, 0, 4096);
        pair.here().sends.send(2).local(pair.here().memory, 0, 4096).signaled();
        pair.here().sends.post();

        pair.here().sentWell();
        assertThat(pair.there().receivedWell().byteLength()).isEqualTo(4096);
    }

    @Test
    void anEmptyReceiveTakesAnEmptyMessage() {
        Pair pair = connected();
        pair.there().receives.receive(1);
        pair.there().receives.post();
        pair.here().sends.send(2).signaled();
        pair.here().sends.post();

        pair.here().sentWell();
        assertThat(pair.there().receivedWell().byteLength()).isZero();
    }

    @Test
    void waitsForAReceiveThatIsPostedLater() {
        Pair pair = connected();
        pair.here().sends.send(2).local(pair.here().memory, 0, 16).signaled();
        pair.here().sends.post();
        Waiting.assertSilent(pair.here().sendCompletions);
        pair.there().receive(1, 0, 16);

        pair.here().sentWell();
        assertThat(pair.there().receivedWell().id()).isEqualTo(1);
    }
}
