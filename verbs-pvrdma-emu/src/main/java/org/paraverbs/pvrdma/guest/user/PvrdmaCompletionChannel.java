// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.link.Clock;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.spi.ResourceBase;

/**
 * Where threads sleep until completions arrive. The interrupt counts up at the queue and gives a permit, which neither
 * waits nor allocates; a thread takes a permit and looks which queue it was for.
 */
final class PvrdmaCompletionChannel extends ResourceBase implements CompletionChannel {
    /** Enough for every thread that may be waiting, and far from the largest number of permits. */
    private static final int PERMITS_FOR_ALL = 1 << 30;

    private final PvrdmaContext context;
    private final Clock clock;

    /** One permit for each notification that nobody has taken. */
    private final Semaphore notifications = new Semaphore(0);

    /** Replaced when queues come and go. */
    private volatile List<Subscription> subscriptions = List.of();

    PvrdmaCompletionChannel(PvrdmaContext context, Clock clock) {
        super(context, "completion channel of " + context.device().name());
        this.context = context;
        this.clock = clock;
    }

    boolean isOf(PvrdmaContext other) {
        return context.equals(other);
    }

    /** The notifications of one completion queue. Counts run over after 2^32, which does no harm. */
    final class Subscription implements Runnable {
        private static final VarHandle TAKEN;

        static {
            try {
                TAKEN = MethodHandles.lookup().findVarHandle(Subscription.class, "taken", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** Written by whoever runs the device, one at a time. */
        private volatile int raised;

        private volatile int taken;
        private volatile @Nullable CompletionQueue queue;

        /** Says whose notifications these are, before the queue is armed for the first time. */
        void bind(CompletionQueue of) {
            queue = of;
        }

        /** The interrupt. */
        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time
        public void run() {
            raised++;
            notifications.release();
        }

        boolean isPending() {
            return raised != taken;
        }

        boolean take() {
            while (true) {
                int before = taken;
                if (raised == before) {
                    return false;
                }
                if (TAKEN.compareAndSet(this, before, before + 1)) {
                    return true;
                }
            }
        }
    }

    synchronized Subscription subscribe() {
        Subscription added = new Subscription();
        List<Subscription> more = new ArrayList<>(subscriptions);
        more.add(added);
        subscriptions = List.copyOf(more);
        return added;
    }

    /** Drops a queue's notifications; the queue has been destroyed, so no more arrive. */
    void cancel(Subscription cancelled) {
        while (cancelled.isPending()) {
            if (!notifications.tryAcquire()) {
                Thread.onSpinWait(); // somebody has its permit and is about to take it
            } else if (!cancelled.take()) {
                notifications.release();
            }
        }
        synchronized (this) {
            List<Subscription> fewer = new ArrayList<>(subscriptions);
            fewer.remove(cancelled);
            subscriptions = List.copyOf(fewer);
        }
    }

    @Override
    public @Nullable CompletionQueue poll() {
        requireOpen();
        while (notifications.tryAcquire()) {
            CompletionQueue queue = take();
            if (queue.isOpen()) {
                return queue;
            }
        }
        return null;
    }

    @Override
    public @Nullable CompletionQueue await(Duration timeout) throws InterruptedException {
        requireOpen();
        long timeoutNs = TimeUnit.NANOSECONDS.convert(timeout);
        long startNs = clock.nanoTime();
        long waitedNs = 0;
        while (notifications.tryAcquire(timeoutNs - waitedNs, TimeUnit.NANOSECONDS)) {
            CompletionQueue queue = take();
            if (queue.isOpen()) {
                return queue;
            }
            waitedNs = clock.nanoTime() - startNs;
        }
        requireOpen();
        return null;
    }

    /** Takes a notification; the caller has a permit, so there is one, unless the channel is closed. */
    private CompletionQueue take() {
        while (true) {
            requireOpen();
            for (Subscription subscription : subscriptions) {
                if (subscription.take()) {
                    return Objects.requireNonNull(subscription.queue);
                }
            }
            // what is left moved to queues that had been looked at already
            Thread.onSpinWait();
        }
    }

    @Override
    protected void release() {
        notifications.release(PERMITS_FOR_ALL);
    }
}
