// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that the emulator has: it runs nodes when their deadline passes, or when work was left over. A daemon,
 * started by the first node that has a deadline.
 */
final class DeadlineThread {
    /** The least time to sleep, for when a node is run by another thread and its deadline still stands. */
    private static final long MIN_PARK_NS = 20_000;

    private static final CopyOnWriteArrayList<Node> NODES = new CopyOnWriteArrayList<>();

    private static volatile @Nullable Thread thread;

    /** Looks at a node's deadline, now and from now on. */
    static void watch(Node node) {
        NODES.addIfAbsent(node);
        Thread running = thread;
        LockSupport.unpark(running == null ? start() : running);
    }

    /** Looks at a node no more. */
    static void forget(Node node) {
        NODES.remove(node);
    }

    private static synchronized Thread start() {
        Thread running = thread;
        if (running == null) {
            running = new Thread(DeadlineThread::loop, "paraverbs-timer");
            running.setDaemon(true);
            running.start();
            thread = running;
        }
        return running;
    }

    private static void loop() {
        while (true) {
            long nowNs = Clock.real().nanoTime();
            long earliestNs = Long.MAX_VALUE;
            for (Node node : NODES) {
                if (node.leftOver || node.deadlineNs() <= nowNs) {
                    node.leftOver = false;
                    node.runDue(nowNs);
                }
                earliestNs = Math.min(earliestNs, node.leftOver ? nowNs : node.deadlineNs());
            }
            // an unpark between the look at the deadlines and here is not lost: the park returns at once
            if (earliestNs == Long.MAX_VALUE) {
                LockSupport.park(DeadlineThread.class);
            } else {
                LockSupport.parkNanos(DeadlineThread.class, Math.max(MIN_PARK_NS, earliestNs - nowNs));
            }
        }
    }

    private DeadlineThread() {}
}
