// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Who runs a device: whoever holds its ticket. One word, so that no work is left lying: who finds the ticket taken
 * leaves a mark in the same compare-and-set that tells him so, and who gives it back notices the mark in the same
 * compare-and-set that gives it back.
 *
 * <p>A ticket is held in one of two ways. For <em>data</em>: the holder never waits for anything, so a hold ends
 * soon. For <em>control</em>: the holder may wait, for data holds of other devices only, hence without deadlock.
 *
 * <p>The word also counts rounds: see {@link #round} and {@link #hasPassed}. All changes of the word are
 * compare-and-sets, which are ordered with volatile reads and writes of other fields. So who first clears a
 * volatile flag and then finds that a round has passed knows that every later round sees the flag cleared.
 */
final class Ticket {
    private static final int FREE = 0;
    private static final int DATA = 1;
    private static final int DATA_MARKED = 2;
    private static final int CONTROL = 3; // marked: one more, as with data
    private static final int HOLDER = 7;
    private static final int ONE_ROUND = 8;

    private static final int SPINS = 200;
    private static final int YIELDS = 100;
    private static final long PARK_NS = 50_000;

    private static final VarHandle STATE;
    private static final VarHandle WAITING;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Ticket.class, "state", int.class);
            WAITING = MethodHandles.lookup().findVarHandle(Ticket.class, "waiting", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int state = FREE;

    /** How many threads wait for control: a data holder that sees one gives the ticket back early. */
    private volatile int waiting;

    /** Takes a free ticket for data. */
    boolean tryEnter() {
        int s = state;
        return (s & HOLDER) == FREE && STATE.compareAndSet(this, s, s | DATA);
    }

    /**
     * Takes a free ticket for data, or leaves a mark for the holder. What the caller wrote before is visible to the
     * holder's next round.
     *
     * @return whether the caller holds the ticket now
     */
    boolean enterOrMark() {
        while (true) {
            int s = state;
            switch (s & HOLDER) {
                case FREE -> {
                    if (STATE.compareAndSet(this, s, s | DATA)) {
                        return true;
                    }
                }
                case DATA, CONTROL -> {
                    if (STATE.compareAndSet(this, s, s + 1)) {
                        return false;
                    }
                }
                default -> {
                    // marked already: the holder takes the mark off after the caller's writes
                    return false;
                }
            }
        }
    }

    /**
     * Gives the ticket back after a round, unless a mark was left: then the caller keeps it for another round.
     *
     * @return whether the ticket was given back
     */
    boolean leave() {
        int s = state;
        if ((s & HOLDER) == DATA && STATE.compareAndSet(this, s, s - DATA + ONE_ROUND)) {
            return true;
        }
        // marked, now or since the read; only the holder takes a mark off
        s = state;
        STATE.compareAndSet(this, s, s - DATA_MARKED + DATA + ONE_ROUND);
        return false;
    }

    /** Counts a round and keeps the ticket. */
    void nextRound() {
        STATE.getAndAdd(this, ONE_ROUND);
    }

    /** Gives the ticket back after a round, mark or not; the caller has seen to it that the work is not forgotten. */
    void leaveWithWorkLeft() {
        while (true) {
            int s = state;
            if (STATE.compareAndSet(this, s, s - (s & HOLDER) + ONE_ROUND)) {
                return;
            }
        }
    }

    /** Takes the ticket for control, waiting for it. */
    void enterControl() {
        if (tryEnterControl()) {
            return;
        }
        WAITING.getAndAdd(this, 1);
        try {
            for (int i = 0; !tryEnterControl(); i++) {
                pause(i);
            }
        } finally {
            WAITING.getAndAdd(this, -1);
        }
    }

    /**
     * Turns a control hold into a data hold, in which marks left meanwhile are served; {@link #leave} follows.
     */
    void controlToData() {
        while (true) {
            int s = state;
            if (STATE.compareAndSet(this, s, s - (s & HOLDER) + DATA)) {
                return;
            }
        }
    }

    /** Whether some thread waits for control. */
    boolean isWanted() {
        return waiting != 0;
    }

    /** What {@link #hasPassed} compares with. */
    int round() {
        return state;
    }

    /** Whether the round that may have been going on at {@code round} is over. */
    boolean hasPassed(int round) {
        if (!isData(round)) {
            return true;
        }
        int s = state;
        return !isData(s) || (s | HOLDER) != (round | HOLDER);
    }

    /** Waits until {@link #hasPassed}; only for control holders and for threads that hold nothing. */
    void awaitPassing() {
        int round = state;
        for (int i = 0; !hasPassed(round); i++) {
            pause(i);
        }
    }

    private boolean tryEnterControl() {
        int s = state;
        return (s & HOLDER) == FREE && STATE.compareAndSet(this, s, s | CONTROL);
    }

    private static boolean isData(int state) {
        int holder = state & HOLDER;
        return holder == DATA || holder == DATA_MARKED;
    }

    /** Waiting that ends soon when the holder runs, and lets it run where cores are few. */
    @SuppressWarnings("ThreadPriorityCheck") // the holder may need this core
    private static void pause(int i) {
        if (i < SPINS) {
            Thread.onSpinWait();
        } else if (i < SPINS + YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(PARK_NS);
        }
    }
}
