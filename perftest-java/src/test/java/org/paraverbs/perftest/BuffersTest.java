// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class BuffersTest {
    @Test
    void smallMessagesShareAPage() {
        Buffers buffers = Buffers.of(2, 4, 4096, 64);
        assertThat(buffers.total()).isEqualTo(2 * 4 * 4096);
        assertThat(buffers.receiveOffset(1)).isEqualTo(5 * 4096);
        assertThat(buffers.step(2)).isEqualTo(64);
        assertThat(buffers.steps(2)).isEqualTo(64);
        assertThat(buffers.step(65)).isEqualTo(128);
        assertThat(buffers.steps(1500)).isEqualTo(2);
        assertThat(buffers.step(2048)).isEqualTo(2048);
    }

    @Test
    void largeMessagesStayWhereTheyAre() {
        Buffers buffers = Buffers.of(65536, 2, 4096, 64);
        assertThat(buffers.step(2049)).isZero();
        assertThat(buffers.steps(65536)).isEqualTo(1);
        assertThat(buffers.receiveOffset(1)).isEqualTo(3 * 65536);
    }

    @Test
    void thePeersPageSizeMovesTheAddresses() {
        assertThat(Buffers.of(2, 1, 65536, 128).receiveOffset(0)).isEqualTo(65536);
    }

    @Property
    void everyMessageStaysInItsSlot(
            @ForAll @LongRange(min = 1, max = 1 << 20) long size,
            @ForAll @IntRange(min = 1, max = 16) int queuePairs,
            @ForAll @IntRange(min = 8, max = 16) int pageBits,
            @ForAll @IntRange(min = 1, max = 256) int cacheLine) {
        Buffers buffers = Buffers.of(size, queuePairs, 1 << pageBits, cacheLine);
        long last = (buffers.steps(size) - 1) * buffers.step(size);
        assertThat(last + size).isLessThanOrEqualTo(buffers.slot());
        for (int i = 0; i < queuePairs; i++) {
            assertThat(buffers.sendOffset(i) + buffers.slot()).isLessThanOrEqualTo(queuePairs * buffers.stride());
            assertThat(buffers.receiveOffset(i) + buffers.slot()).isLessThanOrEqualTo(buffers.total());
        }
    }
}
