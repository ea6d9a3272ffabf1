// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RingStateTest {
    /** Small rings have few states: all of them are tried. */
    @Test
    void everyPairOfIndicesOfASmallRingHasOneMeaning() {
        for (int n = 1; n <= 16; n <<= 1) {
            for (int tail = 0; tail < 2 * n; tail++) {
                for (int head = 0; head < 2 * n; head++) {
                    assertThat(RingState.isCorrupt(tail, head, n)).isFalse();
                    int used = Math.floorMod(tail - head, 2 * n);
                    assertThat(RingState.used(tail, head, n)).isEqualTo(used);
                    assertThat(RingState.isEmpty(tail, head)).isEqualTo(used == 0);
                    assertThat(RingState.isFull(tail, head, n)).isEqualTo(used == n);
                }
            }
        }
    }

    @Test
    void anyBitAboveTheGenerationBitIsCorrupt() {
        for (int shift = 0; shift <= 22; shift++) {
            int n = 1 << shift;
            for (int bad : new int[] {2 * n, -1, Integer.MIN_VALUE, 2 * n | 1}) {
                assertThat(RingState.isCorrupt(bad, 0, n))
                        .as("tail %x of %d", bad, n)
                        .isTrue();
                assertThat(RingState.isCorrupt(0, bad, n))
                        .as("head %x of %d", bad, n)
                        .isTrue();
            }
            assertThat(RingState.isCorrupt(2 * n - 1, n, n)).isFalse();
        }
    }

    @Test
    void indicesVisitEverySlotTwiceBeforeTheyRepeat() {
        int index = 0;
        for (int i = 0; i < 16; i++) {
            assertThat(RingState.slot(index, 8)).isEqualTo(i % 8);
            index = RingState.next(index, 8);
        }
        assertThat(index).isZero();
    }
}
