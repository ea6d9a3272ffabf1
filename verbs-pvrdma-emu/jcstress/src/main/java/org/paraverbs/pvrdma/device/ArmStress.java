// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.link.Fabric;
import org.paraverbs.pvrdma.link.MailSet;
import org.paraverbs.pvrdma.link.Node;
import org.paraverbs.pvrdma.link.VirtualClock;

/** A guest arms, polls again and sleeps, while a completion is delivered. */
public final class ArmStress {
    private ArmStress() {}

    /** As much of a device as has to do with arming: the rounds are those of {@link Node}, the rule is the
     * device's. */
    private static final class ArmedDevice extends Node {
        private static final int DELIVER = 0;

        final MemorySegment ring = MemorySegment.ofArray(new long[4]);
        private final MailSet armed = new MailSet(1);
        private final Arming arming = new Arming();
        int told;

        ArmedDevice() {
            super(new Fabric(new VirtualClock()), 1);
        }

        void deliver() {
            run(DELIVER);
        }

        void arm() {
            armed.put(0);
            alert();
            run(NONE);
        }

        @Override
        protected void serve(int letter) {
            RingState.publishProdTail(ring, RingState.RX_OFFSET, 1);
            if (arming.completed(false, hold())) {
                told++;
            }
        }

        @Override
        protected void serveAlert() {
            armed.takeAll(handle -> {
                if (arming.arm(false, hold())) {
                    told++;
                }
            });
        }

        @Override
        protected void serveDeadlines(long nowNs) {}

        @Override
        protected void finishRound() {}

        @Override
        public boolean hasGid(long high, long low) {
            return false;
        }

        @Override
        public long deadlineNs() {
            return Long.MAX_VALUE;
        }
    }

    /** First the completions that the guest found, then how often it was told. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "found by polling again, and not told")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "asleep, and woken")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE_INTERESTING, desc = "found, and told although it was not needed")
    @Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "asleep for ever")
    @Outcome(expect = Expect.FORBIDDEN, desc = "told twice")
    @State
    public static class ArmAgainstDelivery {
        private final ArmedDevice device = new ArmedDevice();

        @Actor
        public void guest(II_Result result) {
            device.arm();
            result.r1 = RingState.prodTail(device.ring, RingState.RX_OFFSET);
        }

        @Actor
        public void device() {
            device.deliver();
        }

        @Arbiter
        public void end(II_Result result) {
            result.r2 = device.told;
        }
    }
}
