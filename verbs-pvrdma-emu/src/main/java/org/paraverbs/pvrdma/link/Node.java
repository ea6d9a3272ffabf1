// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that is run by whoever holds its ticket: a device. It is told what to look at by small numbers, the
 * letters of its mail; what they mean is its own affair.
 *
 * <p>{@link #run} is how a doorbell is answered. The calling thread takes the ticket and does rounds of bounded work.
 * When a round leaves mail for another node, the thread gives the ticket back and goes on there: no thread ever holds
 * two. A message and its answer between two idle nodes cost three tickets and nothing else, since the thread itself
 * carries the mail.
 */
@SuppressWarnings("ReferenceEquality") // a node is itself
public abstract class Node {
    private static final Logger LOG = LoggerFactory.getLogger(Node.class);

    /** No mail, or: look in the mail set. */
    public static final int NONE = -1;

    /** Rounds after which a thread stops serving others' work and leaves the rest to the timer. */
    private static final int ROUNDS = 4096;

    /** Letters to itself that a round serves one after the other before it looks at the rest. */
    private static final int CHAIN = 64;

    private final Fabric fabric;
    private final Ticket ticket = new Ticket();
    private final MailSet mail;
    private final MailSet.Reader server = this::serve;

    // Where the current round left mail. The first place is carried by the thread, others go into mail sets. Written
    // by the holder only.
    private @Nullable Node target;
    private int targetLetter = NONE;
    private int ownLetter = NONE;
    private int hold;

    /**
     * Whether something was left for the next round by a thread that did not get the ticket, or by a round for the
     * next. Set last and cleared first, so that nothing is overlooked.
     */
    private volatile boolean alerted;

    /** Time up to which deadlines are to be served in the next round; {@link Long#MIN_VALUE} for none. */
    private volatile long dueNs = Long.MIN_VALUE;

    /** In the list of nodes with mail that perhaps nobody serves; see {@link Fabric}. */
    final AtomicBoolean queued = new AtomicBoolean();

    @Nullable
    Node nextReady;

    /** Whether the timer is to run this node at once. */
    volatile boolean leftOver;

    /**
     * A node.
     *
     * @param fabric the network that it belongs to
     * @param letters letters range from 0 to below this
     */
    protected Node(Fabric fabric, int letters) {
        this.fabric = fabric;
        this.mail = new MailSet(letters);
    }

    /** The network that this node belongs to. */
    public final Fabric fabric() {
        return fabric;
    }

    /** Looks at what a letter names. Called by the ticket's holder; bounded, does not wait, does not throw. */
    protected abstract void serve(int letter);

    /** Does what is due up to {@code nowNs}. Called as {@link #serve} is. */
    protected abstract void serveDeadlines(long nowNs);

    /** Looks at what was left before {@link #alert}. Called as {@link #serve} is. */
    protected abstract void serveAlert();

    /** Ends a round. Called as {@link #serve} is. */
    protected abstract void finishRound();

    /** Makes the next round call {@link #serveAlert}; {@link #run} must follow. Any thread. */
    protected final void alert() {
        alerted = true;
    }

    private void post(int letter) {
        if (letter != NONE) {
            mail.put(letter);
            alerted = true;
        }
    }

    /** Whether a GID is one of this node's; any thread may ask. */
    public abstract boolean hasGid(long high, long low);

    /** When the node wants to be run at the latest; any thread may ask. */
    public abstract long deadlineNs();

    /** Tells one hold of the ticket from the next; for the ticket's holder. */
    protected final int hold() {
        return hold;
    }

    /** What {@link #hasPassed} compares with; any thread may ask. */
    public final int round() {
        return ticket.round();
    }

    /**
     * Whether the data round that this node may have been in at {@code round} is over. Who cleared a volatile flag
     * before asking for {@code round} then knows that nobody acts on the old value any more.
     */
    public final boolean hasPassed(int round) {
        return ticket.hasPassed(round);
    }

    final void awaitPassing() {
        ticket.awaitPassing();
    }

    /** Leaves a letter for a node, this one or another, to be served after this round; for the ticket's holder. */
    public final void tell(Node node, int letter) {
        if (node == this) {
            if (ownLetter == NONE) {
                ownLetter = letter;
            } else if (ownLetter != letter) {
                post(letter);
            }
        } else if (targetLetter == NONE) {
            if (target != node) {
                target = node; // seldom: storing a reference costs more than comparing it
            }
            targetLetter = letter;
        } else if (target != node || targetLetter != letter) {
            node.post(letter);
            if (target != node) {
                fabric.ready(node);
            }
        }
    }

    /**
     * Serves a letter on this thread, or leaves it to the thread that holds the ticket, and goes on with what comes of
     * it. Never waits. What the caller wrote before is visible to who serves it.
     *
     * @param letter the letter, or {@link #NONE} for what is in the mail set
     */
    public final void run(int letter) {
        go(this, letter, false);
    }

    /** Does what is due up to {@code nowNs}, and all other work, as {@link #run} does. */
    public final void runDue(long nowNs) {
        dueNs = nowNs;
        alerted = true;
        go(this, NONE, false);
    }

    /** Takes the ticket for a control operation, waiting for it. {@link #leaveControl} must follow. */
    protected final void enterControl() {
        ticket.enterControl();
        hold++;
    }

    /** Gives the ticket back after a control operation, and does the work that it left. */
    protected final void leaveControl() {
        ticket.controlToData();
        go(this, NONE, true);
    }

    /** Does the work that was left to the timer, if there is any. */
    protected final void runLeftOver() {
        if (leftOver) {
            leftOver = false;
            run(NONE);
        }
    }

    /** The thread's way from node to node. Holds at most one ticket at any time. */
    private static void go(Node first, int firstLetter, boolean firstEntered) {
        Node node = first;
        int letter = firstLetter;
        boolean entered = firstEntered;
        int roundsLeft = ROUNDS;
        Node chain = null;
        while (true) {
            if (!entered) {
                entered = node.ticket.tryEnter();
                if (!entered) {
                    node.post(letter);
                    letter = NONE;
                    entered = node.ticket.enterOrMark();
                }
                if (entered) {
                    node.hold++;
                }
            }
            Node next = null;
            int nextLetter = NONE;
            while (entered) {
                node.round(letter);
                letter = NONE;
                if (node.targetLetter != NONE) {
                    Node target = node.target;
                    if (next == null) {
                        next = target;
                        nextLetter = node.targetLetter;
                    } else if (next != target || nextLetter != node.targetLetter) {
                        target.post(node.targetLetter);
                        if (next != target) {
                            node.fabric.ready(target);
                        }
                    }
                    node.targetLetter = NONE;
                }
                if (--roundsLeft <= 0 || node.ticket.isWanted()) {
                    // who waits for control does a round when done; the timer does one otherwise
                    if (roundsLeft <= 0) {
                        node.fabric.later(node);
                    }
                    node.ticket.leaveWithWorkLeft();
                    entered = false;
                } else if (!node.alerted) {
                    entered = !node.ticket.leave();
                } else {
                    node.ticket.nextRound();
                }
            }
            if (next == null) {
                if (chain == null) {
                    chain = node.fabric.takeReady();
                    if (chain == null) {
                        return;
                    }
                }
                next = chain;
                chain = next.nextReady;
                next.unqueue();
            }
            node = next;
            letter = nextLetter;
            if (roundsLeft <= 0) {
                node.post(letter);
                node.fabric.later(node);
                for (; chain != null; chain = leaveToTimer(chain)) {}
                return;
            }
        }
    }

    private static @Nullable Node leaveToTimer(Node chain) {
        Node rest = chain.nextReady;
        chain.unqueue();
        chain.fabric.later(chain);
        return rest;
    }

    /** Leaves the list; from here on a new {@link Fabric#ready} puts the node in it again. */
    private void unqueue() {
        nextReady = null;
        queued.set(false);
    }

    private void round(int letter) {
        try {
            if (letter != NONE) {
                serve(letter);
            }
            if (alerted) {
                alerted = false;
                serveAlerts();
            }
            for (int i = 0; ownLetter != NONE; i++) {
                int own = ownLetter;
                ownLetter = NONE;
                if (i < CHAIN) {
                    serve(own);
                } else {
                    post(own);
                }
            }
            finishRound();
        } catch (Throwable failure) {
            failed(failure); // but a ticket that is never given back would be worse
        }
    }

    /** Something was thrown that must not be: a fault of this node's own. Called as {@link #serve} is. */
    protected void failed(Throwable failure) {
        LOG.error("A fault of the emulator: it goes on without what it was doing", failure);
    }

    private void serveAlerts() {
        long nowNs = dueNs;
        if (nowNs != Long.MIN_VALUE) {
            dueNs = Long.MIN_VALUE;
            serveDeadlines(nowNs);
        }
        mail.takeAll(server);
        serveAlert();
    }
}
