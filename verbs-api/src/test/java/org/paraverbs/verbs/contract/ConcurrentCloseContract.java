// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.Verbs;
import org.paraverbs.verbs.VerbsResource;
import org.paraverbs.verbs.WorkCompletion;

/**
 * Closing while other threads post and poll: they get {@link IllegalStateException} and nothing else, nobody hangs, and
 * the process lives ({@code ibv_destroy_qp(3)}, {@code ibv_destroy_cq(3)}, {@code ibv_close_device(3)}).
 *
 * <p>Eight threads post and poll all the time, each on a queue pair and a completion queue of its own. This thread closes
 * what one of them works with, or the context with all of it, waits until those concerned have noticed, and gives them
 * new ones.
 */
public abstract class ConcurrentCloseContract extends VerbsContract {

    private static final int THREADS = 8;
    private static final int CLOSES = 100_000;

    /** A context takes all eight along and costs as much as many queue pairs. */
    private static final int CONTEXT_CLOSES = 2_000;

    @Test
    void queuePairsAreClosedUnderEightThreads() {
        closeUnderThreads(repetitions(CLOSES / 2), desk -> desk.qp);
    }

    @Test
    void completionQueuesAreClosedUnderEightThreads() {
        closeUnderThreads(repetitions(CLOSES / 2), desk -> desk.completions);
    }

    @Test
    void protectionDomainsAreClosedUnderEightThreads() {
        closeUnderThreads(repetitions(CLOSES / 10), desk -> desk.domain);
    }

    @Test
    void contextsAreClosedUnderEightThreads() {
        Context passive = second();
        Peers peers = new Peers(passive);
        Worker[] workers = startWorkers();
        int rounds = repetitions(CONTEXT_CLOSES);
        try {
            for (int round = 0; round < rounds; round++) {
                Context active = Verbs.open(firstDevice());
                for (Worker worker : workers) {
                    worker.give(new Desk(active, peers));
                }
                for (Worker worker : workers) {
                    worker.awaitProgress();
                }
                active.close();
                for (Worker worker : workers) {
                    worker.awaitNotice();
                }
                peers.closeAll();
            }
        } finally {
            stop(workers);
        }
        assertNothingElse(workers);
    }

    private interface Victim {
        VerbsResource of(Desk desk);
    }

    private void closeUnderThreads(int rounds, Victim victim) {
        Peers peers = new Peers(second());
        Worker[] workers = startWorkers();
        try {
            for (Worker worker : workers) {
                worker.give(new Desk(first(), peers));
            }
            for (int round = 0; round < rounds; round++) {
                Worker worker = workers[round % THREADS];
                Desk desk = worker.desk();
                worker.awaitProgress();
                victim.of(desk).close();
                worker.awaitNotice();
                desk.clearAway();
                worker.give(new Desk(first(), peers));
            }
        } finally {
            stop(workers);
        }
        assertNothingElse(workers);
    }

    private static Worker[] startWorkers() {
        Worker[] workers = new Worker[THREADS];
        for (int i = 0; i < THREADS; i++) {
            workers[i] = new Worker(i);
            workers[i].thread.start();
        }
        return workers;
    }

    private static void stop(Worker[] workers) {
        for (Worker worker : workers) {
            worker.stopping = true;
        }
        for (Worker worker : workers) {
            Waiting.until(worker.thread.getName() + " to end", () -> !worker.thread.isAlive());
        }
    }

    private static void assertNothingElse(Worker[] workers) {
        for (Worker worker : workers) {
            assertThat(worker.unexpected).as("%s", worker.thread.getName()).isEmpty();
        }
    }

    /** What the eight write to: queue pairs of the second device that do nothing themselves. */
    private static final class Peers {
        private final ProtectionDomain domain;
        private final CompletionQueue completions;
        private final MemoryRegion memory;
        private final List<QueuePair> open = new ArrayList<>();

        Peers(Context context) {
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(16);
            memory = domain.allocate(
                    4096, org.paraverbs.verbs.Access.LOCAL_WRITE, org.paraverbs.verbs.Access.REMOTE_WRITE);
        }

        QueuePair connectTo(QueuePair qp) {
            QueuePair peer =
                    domain.createQueuePair(QueuePairSpec.reliable(completions).withDepth(1));
            open.add(peer);
            var ours = peer.endpoint();
            var theirs = qp.endpoint();
            peer.connect(theirs);
            qp.connect(ours);
            return peer;
        }

        void close(QueuePair peer) {
            open.remove(peer);
            peer.close();
        }

        void closeAll() {
            open.forEach(QueuePair::close);
            open.clear();
        }
    }

    /** What one thread works with. */
    private static final class Desk {
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final MemoryRegion memory;
        final QueuePair qp;
        private final Peers peers;
        private final QueuePair peer;
        private final RemoteBuffer remote;

        Desk(Context context, Peers peers) {
            this.peers = peers;
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(16);
            memory = domain.allocate(64, org.paraverbs.verbs.Access.LOCAL_WRITE);
            qp = domain.createQueuePair(QueuePairSpec.reliable(completions).withDepth(8));
            peer = peers.connectTo(qp);
            remote = peers.memory.remote();
        }

        void clearAway() {
            domain.close();
            completions.close();
            // only now: a peer that is gone is an error of a request, which is not what this is about
            peers.close(peer);
        }
    }

    private static final class Worker implements Runnable {
        final Thread thread;
        final List<String> unexpected = new ArrayList<>();
        volatile boolean stopping;
        private volatile @Nullable Desk desk;
        private volatile long operations;

        Worker(int number) {
            thread = new Thread(this, "worker " + number);
            thread.setDaemon(true);
        }

        void give(Desk newDesk) {
            desk = newDesk;
        }

        Desk desk() {
            Desk current = desk;
            if (current == null) {
                throw new AssertionError(thread.getName() + " has stopped working: " + unexpected);
            }
            return current;
        }

        /** Waits until the thread is in the middle of its work. */
        void awaitProgress() {
            long before = operations;
            Waiting.until(thread.getName() + " to work", () -> operations > before || desk == null);
        }

        /** Waits until the thread has seen that its desk was closed. */
        void awaitNotice() {
            Waiting.until(thread.getName() + " to notice the closing", () -> desk == null);
        }

        @Override
        public void run() {
            while (!stopping) {
                Desk current = desk;
                if (current == null) {
                    Waiting.pause();
                    continue;
                }
                try {
                    work(current);
                } catch (IllegalStateException e) {
                    String message = String.valueOf(e.getMessage());
                    if (!message.contains("losed")) {
                        unexpected.add(e.toString());
                    }
                    desk = null;
                } catch (Throwable e) {
                    unexpected.add(e.toString());
                    desk = null;
                }
            }
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // only this thread writes it
        private void work(Desk current) {
            while (!stopping) {
                current.qp
                        .sendQueue()
                        .write(operations, current.remote, 0)
                        .local(current.memory, 0, 8)
                        .signaled();
                current.qp.sendQueue().tryPost();
                WorkCompletion completion = current.completions.poll();
                if (completion != null) {
                    completion.requireSuccess();
                }
                // always: on one processor, who does not lets eight others wait for the end of a time slice
                Waiting.pause();
                operations++;
            }
        }
    }
}
