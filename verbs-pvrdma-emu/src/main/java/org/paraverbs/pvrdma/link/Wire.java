// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The way of a queue pair's requests to its peer inside one JVM: a ring with one sender and one receiver. Nothing is
 * copied; what travels is the place of a request in the sender's window. Answers come back in the requests
 * themselves: a request that the receiver has given back carries one.
 *
 * <p>The ring has room for the whole window, and each request is on the wire at most once, so it is never full.
 * What is not acknowledged keeps its place in the window; a sender whose window is full waits for answers.
 *
 * @param <R> requests
 */
public final class Wire<R> {
    private static final VarHandle SENT;
    private static final VarHandle GIVEN_BACK;

    static {
        try {
            SENT = MethodHandles.lookup().findVarHandle(Wire.class, "sent", int.class);
            GIVEN_BACK = MethodHandles.lookup().findVarHandle(Wire.class, "givenBack", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final R[] window;
    private final int[] places;
    private final int mask;

    private volatile boolean open = true;

    // Free-running counters. sent and harvested are the sender's, taken and givenBack the receiver's.
    @SuppressWarnings("unused")
    private int sent;

    private int harvested;
    private int taken;

    @SuppressWarnings("unused")
    private int givenBack;

    /**
     * An empty wire.
     *
     * @param window the sender's requests, a power of two
     */
    public Wire(R[] window) {
        this.window = window;
        this.places = new int[window.length];
        this.mask = window.length - 1;
    }

    /** Whether the receiver may look at what lies here; any thread may ask. */
    public boolean isOpen() {
        return open;
    }

    /** Takes back whatever the receiver has not begun; see {@link Node#hasPassed} for what it has. */
    public void close() {
        open = false;
    }

    /** Sender: puts a request on the wire. */
    public void send(int place) {
        places[sent & mask] = place;
        SENT.setRelease(this, sent + 1); // pairs with getAcquire in arrived(): the request is visible before it counts
    }

    /** Sender: the next request that came back, or null. */
    public @Nullable R answered() {
        // pairs with setRelease in giveBack(): the answer is visible before it counts
        return harvested == (int) GIVEN_BACK.getAcquire(this) ? null : window[places[harvested & mask]];
    }

    /** Sender: done with what {@link #answered} gave. */
    public void harvest() {
        harvested++;
    }

    /** Sender: whether everything sent came back and was harvested. */
    public boolean isDrained() {
        return harvested == sent;
    }

    /** Whether nothing lies on the wire; any thread may ask. */
    public boolean isEmpty() {
        return (int) GIVEN_BACK.getAcquire(this) == (int) SENT.getAcquire(this);
    }

    /** Receiver: the next request, or null. */
    public @Nullable R arrived() {
        return taken == (int) SENT.getAcquire(this) ? null : window[places[taken & mask]];
    }

    /** Receiver: done with what {@link #arrived} gave; its answer is written. */
    public void take() {
        taken++;
    }

    /** Receiver: gives back everything taken, with the answers. */
    public void giveBack() {
        GIVEN_BACK.setRelease(this, taken);
    }
}
