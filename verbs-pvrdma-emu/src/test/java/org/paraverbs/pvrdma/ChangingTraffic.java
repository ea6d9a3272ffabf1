// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.WorkCompletion;

/** What the threads of {@link ComingAndGoingTest} share, and what they do with it. */
final class ChangingTraffic {
    private static final int SHARED_QUEUES = 2;
    private static final int SHARED_DEPTH = 64;

    /** Far beyond what anything takes; it turns a hang into a failure. */
    private static final long DEADLINE_NS = Long.getLong("paraverbs.contract.deadline", 60) * 1_000_000_000;

    final LongAdder created = new LongAdder();
    final LongAdder received = new LongAdder();
    final LongAdder flushed = new LongAdder();

    final ProtectionDomain leftDomain;
    final ProtectionDomain rightDomain;
    final List<Polled> sends = new ArrayList<>();

    /** Each with a shared receive queue that completes there and nowhere else, but for the last, whose queue pairs have their own. */
    final List<Polled> receives = new ArrayList<>();

    private volatile boolean failed;

    ChangingTraffic(Context left, Context right, int connections) {
        leftDomain = left.allocateProtectionDomain();
        rightDomain = right.allocateProtectionDomain();
        int entries = connections * ChangingConnection.DEPTH;
        for (int i = 0; i < 2; i++) {
            sends.add(new Polled(left.createCompletionQueue(entries), null));
        }
        for (int i = 0; i < SHARED_QUEUES; i++) {
            receives.add(new Polled(
                    right.createCompletionQueue(entries + SHARED_DEPTH),
                    new SharedReceives(rightDomain, SHARED_DEPTH)));
        }
        receives.add(new Polled(right.createCompletionQueue(entries), null));
    }

    /** A completion queue, which one thread at a time polls: who holds the lock. */
    static final class Polled {
        final CompletionQueue queue;
        final @Nullable SharedReceives shared;

        /** By number: also those that are gone, until another one has their number. */
        final Map<Integer, ChangingConnection> byQpn = new ConcurrentHashMap<>();

        Polled(CompletionQueue queue, @Nullable SharedReceives shared) {
            this.queue = queue;
            this.shared = shared;
        }

        /** Takes some completions and hands them on. */
        synchronized void poll(int most) {
            WorkCompletion completion = queue.poll();
            for (int taken = 0; completion != null && taken < most; taken++) {
                ChangingConnection connection = byQpn.get(completion.qpn());
                if (connection == null) {
                    throw new AssertionError("a completion of nobody: " + completion);
                }
                connection.completed(this, completion);
                completion = taken + 1 < most ? queue.poll() : null;
            }
            if (shared != null) {
                shared.fill(); // also what went with a queue pair
            }
        }
    }

    void pollAll(int most) {
        sends.forEach(queue -> queue.poll(most));
        receives.forEach(queue -> queue.poll(most));
    }

    /** Nothing comes once there are no connections. */
    void assertSilent() {
        for (List<Polled> queues : List.of(sends, receives)) {
            for (Polled polled : queues) {
                WorkCompletion completion = polled.queue.poll();
                if (completion != null) {
                    throw new AssertionError("a completion when all queue pairs were gone: " + completion);
                }
            }
        }
    }

    /** Polls until something has happened. */
    @SuppressWarnings(
            "ThreadPriorityCheck") // there are more threads than cores, and others may have what is waited for
    void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            pollAll(16);
            if (failed) {
                throw new AssertionError("another thread failed, while this one waited for " + what);
            }
            if (System.nanoTime() - start > DEADLINE_NS) {
                throw new AssertionError("nothing more happened while waiting for " + what);
            }
            Thread.yield();
        }
    }

    /** A thread that does so many things with so many connections. */
    Callable<Void> worker(int seed, int connections, int steps) {
        return () -> {
            try {
                work(new Random(seed), connections, steps);
                return null;
            } catch (Throwable e) {
                failed = true;
                throw e;
            }
        };
    }

    private void work(Random random, int count, int steps) {
        ChangingConnection[] connections = new ChangingConnection[count];
        for (int i = 0; i < count; i++) {
            connections[i] = new ChangingConnection(this, random);
        }
        for (int step = 0; step < steps && !failed; step++) {
            int which = random.nextInt(count);
            ChangingConnection connection = connections[which];
            int choice = random.nextInt(1000);
            if (choice < 500) {
                connection.send(1 + random.nextInt(ChangingConnection.DEPTH));
            } else if (choice < 985) {
                (random.nextBoolean() ? sends : receives).get(random.nextInt(2)).poll(1 + random.nextInt(16));
                receives.get(SHARED_QUEUES).poll(4);
            } else if (choice < 990) {
                connection.finish();
                connection.destroy(random.nextBoolean());
                connections[which] = new ChangingConnection(this, random);
            } else if (choice < 995) {
                connection.destroy(random.nextBoolean()); // with whatever is under way
                connections[which] = new ChangingConnection(this, random);
            } else {
                connection.breakDown();
                if (random.nextBoolean()) {
                    connection.reset();
                } else {
                    connection.destroy(random.nextBoolean());
                    connections[which] = new ChangingConnection(this, random);
                }
            }
        }
        for (ChangingConnection connection : connections) {
            connection.finish();
            connection.destroy(true);
        }
    }
}
