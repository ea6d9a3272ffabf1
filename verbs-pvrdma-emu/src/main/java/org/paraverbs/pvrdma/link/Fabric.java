// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The network inside this JVM: the devices plugged into it find each other by GID.
 *
 * <p>In real time one daemon thread per JVM, started with the first deadline, runs devices whose deadline has passed
 * while no program thread rings a doorbell. In the time of another clock nobody does that: who moves the clock calls
 * {@link #runDue}.
 */
public final class Fabric {
    private static final VarHandle EPOCH;

    static {
        try {
            EPOCH = MethodHandles.lookup().findVarHandle(Fabric.class, "epoch", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Clock clock;
    private final boolean timed;
    private final AtomicReference<@Nullable Node> readyHead = new AtomicReference<>();
    private volatile Node[] nodes = {};
    private volatile int epoch;

    /** A network in real time. */
    public Fabric() {
        this(Clock.real());
    }

    /**
     * A network in the time of {@code clock}.
     *
     * @param clock what every device of this network measures its timeouts with
     */
    public Fabric(Clock clock) {
        this.clock = clock;
        this.timed = clock instanceof RealClock;
    }

    /** What every device of this network measures its timeouts with. */
    public Clock clock() {
        return clock;
    }

    /**
     * Runs every device whose deadline has passed, until none has or {@code limit} devices were run.
     *
     * @param limit how often to run a device at most, so that a clock that runs on cannot keep this going
     * @return how often a device was run
     */
    public int runDue(int limit) {
        int runs = 0;
        boolean found = true;
        while (found && runs < limit) {
            found = false;
            for (Node node : nodes) {
                long nowNs = clock.nanoTime();
                if (node.leftOver || node.deadlineNs() <= nowNs) {
                    node.leftOver = false;
                    node.runDue(nowNs);
                    runs++;
                    found = true;
                }
            }
        }
        return runs;
    }

    /** The earliest deadline of all devices, {@link Long#MAX_VALUE} if there is none. */
    public long deadlineNs() {
        long earliest = Long.MAX_VALUE;
        for (Node node : nodes) {
            earliest = Math.min(earliest, node.leftOver ? Long.MIN_VALUE : node.deadlineNs());
        }
        return earliest;
    }

    /** Plugs a node in. */
    public synchronized void attach(Node node) {
        Node[] more = Arrays.copyOf(nodes, nodes.length + 1);
        more[nodes.length] = node;
        nodes = more;
        changed();
    }

    /** Unplugs a node; its GIDs lead nowhere from now on. */
    public synchronized void detach(Node node) {
        nodes = Arrays.stream(nodes).filter(other -> !other.equals(node)).toArray(Node[]::new);
        changed();
        if (timed) {
            DeadlineThread.forget(node);
        }
    }

    /** The node that has a GID: the one plugged in first, if several claim it. */
    public @Nullable Node find(long gidHigh, long gidLow) {
        for (Node node : nodes) {
            if (node.hasGid(gidHigh, gidLow)) {
                return node;
            }
        }
        return null;
    }

    /**
     * A number that changes when what {@link #find} or a lookup in a node gives may have changed. Ask for it before
     * looking up.
     */
    public int epoch() {
        return epoch;
    }

    /** Makes everybody look up again: a GID or a connection came, went or changed. */
    public void changed() {
        EPOCH.getAndAdd(this, 1);
    }

    /**
     * Waits until every other node has finished the data round that it may be in. Who cleared a volatile flag before
     * knows afterwards that nobody acts on the old value any more. For holders of a control ticket only.
     */
    public void awaitRounds(Node caller) {
        for (Node node : nodes) {
            if (!node.equals(caller)) {
                node.awaitPassing();
            }
        }
    }

    /** A node's deadline came nearer. */
    public void deadlineChanged(Node node) {
        if (timed) {
            DeadlineThread.watch(node);
        }
    }

    /** Lists a node that has mail, for any thread that is about to have nothing more to do. */
    void ready(Node node) {
        if (node.queued.compareAndSet(false, true)) {
            Node head;
            do {
                head = readyHead.get();
                node.nextReady = head;
            } while (!readyHead.compareAndSet(head, node));
        }
    }

    /** Takes the whole list: taking single nodes off would suffer from their coming back (ABA). */
    @Nullable
    Node takeReady() {
        return readyHead.get() == null ? null : readyHead.getAndSet(null);
    }

    /** Leaves a node's work to the timer. */
    void later(Node node) {
        node.leftOver = true;
        deadlineChanged(node);
    }
}
