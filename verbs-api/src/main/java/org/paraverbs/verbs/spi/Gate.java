// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Guards what one thread at a time uses and any thread may close: a closing thread waits until a call that has begun is
 * over, and no later call begins. One atomic instruction to enter, one store to leave.
 *
 * <p>Calls inside must be short and must not close what the gate guards.
 */
public final class Gate {

    private static final int FREE = 0;
    private static final int BUSY = 1;
    private static final int CLOSED = 2;

    /** Somebody is inside who entered in turn, and is waited for. */
    private static final int BUSY_IN_TURN = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Gate.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** After so many spins a waiting thread lets others run: the one inside may not have a core. */
    private static final int SPINS_BEFORE_YIELD = 100;

    private final String description;

    @SuppressWarnings("unused") // through STATE
    private int state = FREE;

    /**
     * An open gate.
     *
     * @param description what it guards, for messages
     */
    public Gate(String description) {
        this.description = description;
    }

    /**
     * Enters, if no other thread is inside; one that has entered in turn is waited for.
     *
     * @throws IllegalStateException if it is closed, or another thread is inside that has not entered in turn
     */
    public void enter() {
        // acquire pairs with the release in exit(): what the last thread inside wrote is visible to this one
        if (!STATE.compareAndSet(this, FREE, BUSY)) {
            enterAfterTurn();
        }
    }

    private void enterAfterTurn() {
        for (int spins = 0; !STATE.compareAndSet(this, FREE, BUSY); spins++) {
            int now = (int) STATE.getAcquire(this);
            if (now == BUSY || now == CLOSED) {
                throw refusal();
            }
            pause(spins);
        }
    }

    /**
     * Enters, waiting for a thread inside to leave. For what has to be done to a queue that another thread may be using
     * rightly: that thread is not told of a second one, but waits in turn.
     *
     * @throws IllegalStateException if it is closed
     */
    public void enterInTurn() {
        for (int spins = 0; !STATE.compareAndSet(this, FREE, BUSY_IN_TURN); spins++) {
            if (isClosed()) {
                throw refusal();
            }
            pause(spins);
        }
    }

    /** Leaves. Only after an enter that did not throw. */
    public void exit() {
        STATE.setRelease(this, FREE);
    }

    /** Closes, waiting for a thread inside to leave. Closing again does nothing. */
    public void close() {
        for (int spins = 0; !STATE.compareAndSet(this, FREE, CLOSED); spins++) {
            if (isClosed()) {
                return;
            }
            pause(spins);
        }
    }

    /** Whether it has been closed. */
    public boolean isClosed() {
        return (int) STATE.getAcquire(this) == CLOSED;
    }

    /**
     * Checks that it has not been closed, without entering.
     *
     * @throws IllegalStateException if it is closed
     */
    public void requireOpen() {
        if (isClosed()) {
            throw refusal();
        }
    }

    private IllegalStateException refusal() {
        return new IllegalStateException(
                isClosed()
                        ? description + " is closed"
                        : description + " is in use by another thread; one thread at a time may use it");
    }

    @SuppressWarnings("ThreadPriorityCheck") // the thread inside may need this core in order to leave
    private static void pause(int spins) {
        if (spins < SPINS_BEFORE_YIELD) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }
}
