// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A ring's handoff in both directions. The same indices serve all rings: work requests go from guest to device, completions
 * and notifications from device to guest.
 */
public final class RingStress {
    private static final int OLD = 1;
    private static final int NEW = 2;
    private static final long ELEMENT = 64;

    private RingStress() {}

    private static MemorySegment ring() {
        MemorySegment ring = MemorySegment.ofArray(new long[16]);
        ring.set(ValueLayout.JAVA_INT, ELEMENT, OLD);
        return ring;
    }

    /**
     * The producer writes an element and publishes it. The consumer has looked at the place before, as one has who comes
     * round again, and looks at it again when the index says so.
     */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "2, 0, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "the consumer looked before the element was published")
    @Outcome(
            id = {"1, 1, 2", "2, 1, 2"},
            expect = Expect.ACCEPTABLE,
            desc = "the consumer saw the element as it was published")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the index was seen before what it covers")
    @State
    public static class Publishing {
        private final MemorySegment ring = ring();

        @Actor
        public void producer() {
            ring.set(ValueLayout.JAVA_INT, ELEMENT, NEW);
            RingState.publishProdTail(ring, RingState.RX_OFFSET, 1);
        }

        @Actor
        public void consumer(III_Result seen) {
            seen.r1 = ring.get(ValueLayout.JAVA_INT, ELEMENT);
            seen.r2 = RingState.prodTail(ring, RingState.RX_OFFSET);
            seen.r3 = seen.r2 == 0 ? 0 : ring.get(ValueLayout.JAVA_INT, ELEMENT);
        }
    }

    /** The consumer reads an element and gives its place back; the producer writes there as soon as it may. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the producer found no place")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the place was used again after it had been read")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the consumer read what was written to a place it still held")
    @State
    public static class GivingBack {
        private final MemorySegment ring = ring();

        @Actor
        public void consumer(II_Result seen) {
            seen.r1 = ring.get(ValueLayout.JAVA_INT, ELEMENT);
            RingState.publishConsHead(ring, RingState.RX_OFFSET, 1);
        }

        @Actor
        public void producer(II_Result seen) {
            seen.r2 = RingState.consHead(ring, RingState.RX_OFFSET);
            if (seen.r2 == 1) {
                ring.set(ValueLayout.JAVA_INT, ELEMENT, NEW);
            }
        }
    }
}
