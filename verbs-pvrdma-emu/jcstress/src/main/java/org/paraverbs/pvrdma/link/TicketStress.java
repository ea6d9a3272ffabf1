// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.paraverbs.pvrdma.abi.RingState;

/** The ticket and its mark. */
public final class TicketStress {
    private TicketStress() {}

    /** Two threads want something done; who does not get the ticket leaves a mark. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "both were served, by whomever")
    @Outcome(expect = Expect.FORBIDDEN, desc = "work was left lying, or the holder did not see what was asked for")
    @State
    public static class Mark {
        private final Ticket ticket = new Ticket();
        private final MailSet mail = new MailSet(2);
        private int askedFirst;
        private int askedSecond;
        private int servedFirst;
        private int servedSecond;

        private void run() {
            if (ticket.enterOrMark()) {
                do {
                    mail.takeAll(this::serve);
                } while (!ticket.leave());
            }
        }

        private void serve(int letter) {
            if (letter == 0) {
                servedFirst = askedFirst;
            } else {
                servedSecond = askedSecond;
            }
        }

        @Actor
        public void first() {
            askedFirst = 1;
            mail.put(0);
            run();
        }

        @Actor
        public void second() {
            askedSecond = 1;
            mail.put(1);
            run();
        }

        @Arbiter
        public void end(II_Result served) {
            served.r1 = servedFirst;
            served.r2 = servedSecond;
        }
    }

    /** A doorbell while a control operation holds the ticket. */
    @JCStressTest
    @Outcome(
            id = "1, 1",
            expect = Expect.ACCEPTABLE,
            desc = "the control operation was carried out and the doorbell served")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the doorbell was left lying")
    @State
    public static class MarkDuringControl {
        private final Ticket ticket = new Ticket();
        private final MailSet mail = new MailSet(1);
        private int asked;
        private int served;
        private int controlled;

        private void serve(int letter) {
            served = asked;
        }

        private void rounds() {
            do {
                mail.takeAll(this::serve);
            } while (!ticket.leave());
        }

        @Actor
        public void control() {
            ticket.enterControl();
            controlled++;
            ticket.controlToData();
            rounds();
        }

        @Actor
        public void doorbell() {
            asked = 1;
            mail.put(0);
            if (ticket.enterOrMark()) {
                rounds();
            }
        }

        @Arbiter
        public void end(II_Result result) {
            result.r1 = controlled;
            result.r2 = served;
        }
    }

    /** A guest publishes a work request and rings while the device is in a round that looks at the ring. */
    @JCStressTest
    @Outcome(id = "7", expect = Expect.ACCEPTABLE, desc = "the request was fetched whole")
    @Outcome(id = "0", expect = Expect.FORBIDDEN, desc = "the request was published and rung for, and nobody looks")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the request was fetched before it was written")
    @State
    public static class DoorbellAgainstPublish {
        private static final long ELEMENT = 64;

        private final Ticket ticket = new Ticket();
        private final MemorySegment ring = MemorySegment.ofArray(new long[16]);
        private int fetched;

        private void rounds() {
            do {
                if (RingState.prodTail(ring, RingState.TX_OFFSET) != 0) {
                    fetched = ring.get(ValueLayout.JAVA_INT, ELEMENT);
                }
            } while (!ticket.leave());
        }

        @Actor
        public void guest() {
            ring.set(ValueLayout.JAVA_INT, ELEMENT, 7);
            RingState.publishProdTail(ring, RingState.TX_OFFSET, 1);
            if (ticket.enterOrMark()) {
                rounds();
            }
        }

        @Actor
        public void device() {
            if (ticket.tryEnter()) {
                rounds();
            }
        }

        @Arbiter
        public void end(I_Result result) {
            result.r1 = fetched;
        }
    }

    /** One device takes memory back while another is in a round that may read it. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the round saw that it must not read")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the round read the memory before it was freed")
    @Outcome(id = "2", expect = Expect.FORBIDDEN, desc = "the round read memory that had been freed")
    @State
    public static class TakingMemoryBack {
        private final Ticket peer = new Ticket();
        private volatile boolean live = true;
        private int memory = 1;

        @Actor
        public void round(I_Result read) {
            if (peer.tryEnter()) {
                read.r1 = live ? memory : 0;
                peer.leave();
            }
        }

        @Actor
        public void destroy() {
            live = false;
            peer.awaitPassing();
            memory = 2;
        }
    }
}
