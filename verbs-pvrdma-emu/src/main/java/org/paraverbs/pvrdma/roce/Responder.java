// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce;

/**
 * The receiving half of a reliable connection: which packet sequence number comes next (IBTA volume 1, section
 * 9.7.4). One thread at a time.
 */
public final class Responder {
    /** What is to be done with an arriving request. */
    public enum Verdict {
        /** Execute it, then say {@link Responder#executed}, or {@link Responder#declined} what was wrong. */
        EXECUTE,
        /** Done before: a READ is executed again, anything else is acknowledged again. */
        DUPLICATE,
        /** Ahead of what is expected: say so. */
        SEQUENCE_ERROR,
        /** Ahead, and said so before: drop it. */
        DROP
    }

    private int expectedPsn;
    private boolean declined;

    /** A responder that expects nothing in particular before {@link #start}. */
    public Responder() {}

    /** Begins a connection. */
    public void start(int psn) {
        expectedPsn = Psn.of(psn);
        declined = false;
    }

    /** The packet sequence number of the next new request. */
    public int expectedPsn() {
        return expectedPsn;
    }

    /** Classifies a request by its first packet sequence number. */
    public Verdict arrived(int psn) {
        int ahead = Psn.distance(psn, expectedPsn);
        if (ahead == 0) {
            return Verdict.EXECUTE;
        }
        if (ahead < 0) {
            return Verdict.DUPLICATE;
        }
        if (declined) {
            return Verdict.DROP; // one NAK until the expected one comes (IBTA volume 1, section 9.7.5.2.4)
        }
        declined = true;
        return Verdict.SEQUENCE_ERROR;
    }

    /** The expected request was executed. */
    public void executed(int packets) {
        expectedPsn = Psn.plus(expectedPsn, packets);
        declined = false;
    }

    /** The expected request was answered in the negative; those behind it are dropped until it comes again. */
    public void declined() {
        declined = true;
    }
}
