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
        /**
         * Done before: a READ is executed again, an atomic operation is answered from what {@link #remembers} has, anything else
         * is acknowledged again.
         */
        DUPLICATE,
        /** Ahead of what is expected: say so. */
        SEQUENCE_ERROR,
        /** Ahead, and said so before: drop it. */
        DROP
    }

    private int expectedPsn;
    private boolean declined;

    // The last atomic operations that were executed, the oldest overwritten first.
    private final int[] atomicPsns;
    private final long[] atomicOriginals;
    private long atomicsExecuted;

    /**
     * A responder that expects nothing in particular before {@link #start}.
     *
     * @param atomicsRemembered results of atomic operations that are kept to be answered again, at least what a
     *     requester may have under way
     */
    public Responder(int atomicsRemembered) {
        atomicPsns = new int[atomicsRemembered];
        atomicOriginals = new long[atomicsRemembered];
    }

    /** Begins a connection. */
    public void start(int psn) {
        expectedPsn = Psn.of(psn);
        declined = false;
        atomicsExecuted = 0;
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

    /** Keeps the result of an atomic operation, in case that its answer is lost. */
    public void atomicExecuted(int psn, long original) {
        int place = (int) (atomicsExecuted++ % atomicPsns.length);
        atomicPsns[place] = psn;
        atomicOriginals[place] = original;
    }

    /** Whether the result of the atomic operation with this number is still there. */
    public boolean remembers(int psn) {
        return placeOf(psn) >= 0;
    }

    /** The result that {@link #remembers} knows of. */
    public long original(int psn) {
        return atomicOriginals[placeOf(psn)];
    }

    private int placeOf(int psn) {
        int kept = (int) Math.min(atomicsExecuted, atomicPsns.length);
        for (int i = 0; i < kept; i++) {
            if (atomicPsns[i] == psn) {
                return i;
            }
        }
        return -1;
    }

    /** The expected request was answered in the negative; those behind it are dropped until it comes again. */
    public void declined() {
        declined = true;
    }
}
