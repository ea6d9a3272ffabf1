// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.spi.SendOperation;

/** RDMA READ ({@code ibv_post_send(3)}). */
public abstract class ReadContract extends VerbsContract {

    private static final int MEBIBYTE = 1 << 20;

    @BeforeEach
    final void requireRead() {
        require(first(), Feature.READ);
        require(second(), Feature.READ);
    }

    @Test
    @Covers.Verb({"SendQueue.read", "WorkCompletion.byteLength"})
    @Covers.Operation(SendOperation.READ)
    void bringsEverySizeUnchangedInBothDirections() {
        Pair pair = connected(Shape.DEFAULT.memory(MEBIBYTE + 64));
        for (Pair direction : List.of(pair, pair.reversed())) {
            for (long size : Sizes.around(direction)) {
                Bytes.fill(direction.here().memory, size + 1);
                Bytes.fill(direction.there().memory, size + 2);
                byte[] before = Bytes.copy(direction.here().memory);
                byte[] source = Bytes.copy(direction.there().memory);
                direction
                        .here()
                        .sends
                        .read(size, direction.there().memory.remote(), 17)
                        .local(direction.here().memory, 5, size)
                        .signaled();
                direction.here().sends.post();

                CompletionRecord read = direction.here().sentWell();
                assertThat(read.id()).isEqualTo(size);
                assertThat(read.opcode()).isEqualTo(Opcode.READ);
                assertThat(read.byteLength()).isEqualTo(size);
                assertThat(read.qpn()).isEqualTo(direction.here().qp.qpn());
                Bytes.assertCopied(direction.here().memory, before, 5, source, 17, size);
                Bytes.assertSame(direction.there().memory, source);
            }
        }
    }

    @Test
    void scattersElements() {
        Pair pair = connected(Shape.DEFAULT.elements(2).memory(16 << 10));
        Bytes.fill(pair.there().memory, 1);
        byte[] source = Bytes.copy(pair.there().memory);
        pair.here()
                .sends
                .read(1, pair.there().memory.remote(), 100)
                .local(pair.here().memory, 8000, 5000)
                .local(pair.here().memory, 1, 1000)
                .signaled();
        pair.here().sends.post();

        assertThat(pair.here().sentWell().byteLength()).isEqualTo(6000);
        byte[] expected = new byte[16 << 10];
        System.arraycopy(source, 100, expected, 8000, 5000);
        System.arraycopy(source, 5100, expected, 1, 1000);
        Bytes.assertSame(pair.here().memory, expected);
    }

    @Test
    @Covers.Limit("DeviceAttributes.maxReadsAsInitiator")
    void moreReadsThanTheReadDepthAreCarriedOutInTurn() {
        Pair pair = unconnected(Shape.DEFAULT.depth(64));
        int readDepth =
                Pair.readDepth(pair.here().qp.endpoint(), pair.there().qp.endpoint());
        assertThat(readDepth).as("outstanding READs that both sides allow").isPositive();
        pair.connect();
        Bytes.fill(pair.there().memory, 4);
        byte[] before = Bytes.copy(pair.here().memory);
        int count = Math.min(2 * readDepth + 1, 64);
        for (int i = 0; i < count; i++) {
            pair.here()
                    .sends
                    .read(i, pair.there().memory.remote(), 512L * i)
                    .local(pair.here().memory, 512L * i, 512)
                    .signaled();
        }
        pair.here().sends.post();

        for (int i = 0; i < count; i++) {
            assertThat(pair.here().sentWell().id()).isEqualTo(i);
        }
        Bytes.assertCopied(pair.here().memory, before, 0, Bytes.copy(pair.there().memory), 0, 512L * count);
    }

    @Test
    @Covers.Verb("SendWorkRequest.fenced")
    void aFencedRequestSendsWhatTheReadBeforeItBrought() {
        Pair pair = connected(Shape.DEFAULT.memory(64 << 10));
        Bytes.fill(pair.there().memory, 6);
        byte[] source = Bytes.copy(pair.there().memory);
        // the lower half is read here and written back to the upper half there
        pair.here()
                .sends
                .read(1, pair.there().memory.remote(), 0)
                .local(pair.here().memory, 0, 32 << 10)
                .signaled();
        pair.here()
                .sends
                .write(2, pair.there().memory.remote(), 32 << 10)
                .local(pair.here().memory, 0, 32 << 10)
                .fenced()
                .signaled();
        pair.here().sends.post();

        assertThat(pair.here().sentWell().id()).isEqualTo(1);
        assertThat(pair.here().sentWell().id()).isEqualTo(2);
        Bytes.assertCopied(pair.there().memory, source, 32 << 10, source, 0, 32 << 10);
    }
}
