// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class PsnTest {
    @Property
    void distanceUndoesPlus(
            @ForAll @IntRange(max = 0xff_ffff) int psn, @ForAll @IntRange(max = 0x7f_ffff) int packets) {
        assertThat(Psn.distance(Psn.plus(psn, packets), psn)).isEqualTo(packets);
        assertThat(Psn.distance(psn, Psn.plus(psn, packets))).isEqualTo(-packets);
    }

    @Property
    void packetsHoldTheMessageAndNoMore(
            @ForAll @LongRange(max = 1L << 31) long length, @ForAll @IntRange(min = 1, max = 5) int code) {
        int mtu = 128 << code;
        int packets = Psn.packets(length, mtu);
        assertThat((long) packets * mtu).isGreaterThanOrEqualTo(length);
        assertThat((packets - 1L) * mtu).isLessThanOrEqualTo(Math.max(0, length - 1));
        assertThat(packets).isBetween(1, 1 << 23);
    }
}
