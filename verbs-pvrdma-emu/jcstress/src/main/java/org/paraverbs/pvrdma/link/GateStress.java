// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.paraverbs.verbs.spi.Gate;

/** Closing against polling and posting. */
public final class GateStress {
    private static final int REFUSED = -1;

    private GateStress() {}

    /** One thread polls, another one closes and frees what is polled. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "polled before it was closed")
    @Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "refused, since it was closed")
    @Outcome(expect = Expect.FORBIDDEN, desc = "polled what had been freed")
    @State
    public static class CloseAgainstPoll {
        private final Gate gate = new Gate("queue");
        private int memory = 1;

        @Actor
        public void poll(I_Result seen) {
            try {
                gate.enter();
            } catch (IllegalStateException e) {
                seen.r1 = REFUSED;
                return;
            }
            seen.r1 = memory;
            gate.exit();
        }

        @Actor
        public void close() {
            gate.close();
            memory = 0;
        }
    }

    /** Two threads poll, and a third sweeps in turn. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "one after the other, the other way round")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both were inside, or who waits in turn was refused")
    @State
    public static class SweepAgainstPoll {
        private final Gate gate = new Gate("queue");
        private int inside;

        @Actor
        public void poll(II_Result seen) {
            gate.enter(); // waits for one who entered in turn
            inside++;
            seen.r2 = inside;
            gate.exit();
        }

        @Actor
        public void sweep(II_Result seen) {
            gate.enterInTurn();
            inside++;
            seen.r1 = 2;
            gate.exit();
        }
    }
}
