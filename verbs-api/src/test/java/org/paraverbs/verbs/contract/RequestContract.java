// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Opcode;

/** What a request of the send queue may ask for: signaled, inline; and the order of completions ({@code ibv_post_send(3)}). */
public abstract class RequestContract extends VerbsContract {

    @Test
    @Covers.Verb("SendWorkRequest.signaled")
    void onlySignaledRequestsComplete() {
        Pair pair = connected();
        for (int i = 0; i < 8; i++) {
            var request =
                    pair.here().sends.write(i, pair.there().memory.remote(), i).local(pair.here().memory, i, 1);
            if (i % 4 == 3) {
                request.signaled();
            }
        }
        pair.here().sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(3);
        assertThat(pair.here().sentWell().id()).isEqualTo(7);
        Waiting.assertSilent(pair.here().sendCompletions);
    }

    @Test
    void allRequestsCompleteOfAQueuePairThatSignalsAll() {
        Pair pair = connected(Shape.DEFAULT.signalingAll());
        for (int i = 0; i < 8; i++) {
            pair.here().sends.write(i, pair.there().memory.remote(), i).local(pair.here().memory, i, 1);
        }
        pair.here().sends.post();

        for (int i = 0; i < 8; i++) {
            assertThat(pair.here().sentWell().id()).isEqualTo(i);
        }
    }

    @Test
    void requestsOfAllKindsCompleteInTheOrderOfTheirPosting() {
        require(first(), Feature.READ);
        Pair pair = connected();
        var remote = pair.there().memory.remote();
        pair.there().receive(100, 0, 64);
        pair.there().receive(101, 0, 64);
        pair.here()
                .sends
                .write(0, remote, 0)
                .local(pair.here().memory, 0, 30_000)
                .signaled();
        pair.here().sends.send(1).local(pair.here().memory, 0, 64).signaled();
        pair.here()
                .sends
                .read(2, remote, 0)
                .local(pair.here().memory, 0, 30_000)
                .signaled();
        pair.here()
                .sends
                .writeWithImmediate(3, remote, 0, 5)
                .local(pair.here().memory, 0, 1)
                .signaled();
        pair.here().sends.write(4, remote, 0).local(pair.here().memory, 0, 1).signaled();
        pair.here().sends.post();

        Opcode[] opcodes = {Opcode.WRITE, Opcode.SEND, Opcode.READ, Opcode.WRITE, Opcode.WRITE};
        for (int i = 0; i < 5; i++) {
            var completion = pair.here().sentWell();
            assertThat(completion.id()).isEqualTo(i);
            assertThat(completion.opcode()).isEqualTo(opcodes[i]);
        }
        assertThat(pair.there().receivedWell().opcode()).isEqualTo(Opcode.RECEIVE);
        assertThat(pair.there().receivedWell().opcode()).isEqualTo(Opcode.RECEIVE_WRITE_WITH_IMMEDIATE);
    }

    @Test
    void theRingsWrapAroundManyTimes() {
        Pair pair = connected(Shape.DEFAULT.depth(4));
        int rounds = repetitions(10_000);
        for (int i = 0; i < rounds; i++) {
            pair.there().receive(i, 8L * (i % 100), 8);
            pair.here().memory.memory().set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, i);
            pair.here().sends.send(i).local(pair.here().memory, 0, 8).signaled();
            pair.here().sends.post();
            assertThat(pair.here().sentWell().id()).isEqualTo(i);
            assertThat(pair.there().receivedWell().id()).isEqualTo(i);
            assertThat(pair.there().memory.memory().get(java.lang.foreign.ValueLayout.JAVA_LONG, 8L * (i % 100)))
                    .isEqualTo(i);
        }
    }

    @Test
    @Covers.Verb("SendWorkRequest.inline")
    void inlineDataAreTakenAtOnceAndNeedNoRegion() {
        require(first(), Feature.INLINE);
        Pair pair = connected(Shape.DEFAULT.inline(64));
        assertThat(pair.here().qp.capacity().maxInlineSize()).isGreaterThanOrEqualTo(64);
        byte[] data = new byte[200];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (i + 1);
        }
        byte[] before = Bytes.copy(pair.there().memory);
        byte[] source = data.clone();
        MemorySegment heap = MemorySegment.ofArray(data);
        pair.here()
                .sends
                .write(1, pair.there().memory.remote(), 50)
                .inline(heap, 100, 64)
                .signaled();
        heap.fill((byte) 0);
        pair.here().sends.post();

        pair.here().sentWell();
        Bytes.assertCopied(pair.there().memory, before, 50, source, 100, 64);
    }

    @Test
    @Covers.Verb("SendWorkRequest.inline")
    @Covers.Limit("QueuePairCapacity.maxInlineSize")
    void inlineDataBeyondTheSizeOfTheQueuePairAreRefused() {
        Pair pair = connected(Shape.DEFAULT.inline(first().supports(Feature.INLINE) ? 64 : 0));
        int room = pair.here().qp.capacity().maxInlineSize();
        MemorySegment heap = MemorySegment.ofArray(new byte[room + 1]);

        assertThatThrownBy(() -> pair.here().sends.send(1).inline(heap, 0, room + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(room + " bytes of inline data")
                .hasMessageContaining("QueuePairSpec.withInline");
        assertThat(pair.here().sends.tryPost()).isZero();
    }

    @Test
    void aDeviceWithoutInlineDataSaysSo() {
        if (first().supports(Feature.INLINE)) {
            skip("the device has inline data");
        }
        Pair pair = connected(Shape.DEFAULT.inline(64));
        assertThat(pair.here().qp.capacity().maxInlineSize()).isZero();

        assertThatThrownBy(() -> pair.here().sends.send(1).inline(MemorySegment.ofArray(new byte[1]), 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64 were asked for")
                .hasMessageContaining("the device gave none");
    }

    @Test
    void aReadHasNoInlineData() {
        Pair pair = connected(Shape.DEFAULT.inline(first().supports(Feature.INLINE) ? 64 : 0));

        assertThatThrownBy(() -> pair.here()
                        .sends
                        .read(1, pair.there().memory.remote(), 0)
                        .inline(MemorySegment.ofArray(new byte[1]), 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("READ");
    }
}
