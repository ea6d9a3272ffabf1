// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.paraverbs.pvrdma.abi.InterruptVector;

/**
 * The device's interrupt vectors: cause and mask register, and moderation. Everything belongs to the ticket's holder, but
 * for the registers, which any thread may read.
 *
 * <p>A vector that has something to tell is held back while moderation waits for more, at most for its time; then it is
 * raised, or kept until the guest unmasks it. Nothing that was to be told is ever dropped.
 */
final class Interrupts {
    private final InterruptSink sink;
    private final String device;
    private final AtomicInteger causes = new AtomicInteger();

    /** As after power-on: all masked. */
    private volatile int mask = -1;

    /** Vectors that were to be raised while they were masked, as bits. */
    private int waitingForUnmask;

    private final InterruptModeration[] moderation = new InterruptModeration[InterruptVector.COUNT];

    // What is held back by moderation: how much there is to tell, and until when it may wait.
    private final long[] news = new long[InterruptVector.COUNT];
    private final long[] deadlinesNs = new long[InterruptVector.COUNT];

    private final long[] raised = new long[InterruptVector.COUNT];
    private final long[] suppressed = new long[InterruptVector.COUNT];
    private final long[] masked = new long[InterruptVector.COUNT];

    Interrupts(InterruptSink sink, String device, HostPolicy host) {
        this.sink = sink;
        this.device = device;
        moderation[InterruptVector.RESPONSE] = InterruptModeration.OFF;
        moderation[InterruptVector.ASYNC] = host.eventModeration();
        moderation[InterruptVector.CQ] = host.completionModeration();
        Arrays.fill(deadlinesNs, Long.MAX_VALUE);
    }

    /** Whether interrupts of a vector may be held back; if not, the time does not matter to {@link #raise}. */
    boolean isModerated(int vector) {
        return moderation[vector].isOn();
    }

    /** Whether an interrupt is held back, so that what comes counts towards it. */
    boolean isHeld(int vector) {
        return deadlinesNs[vector] != Long.MAX_VALUE;
    }

    /**
     * There is something to tell. Raises the vector, or holds it back; then {@link #deadlineNs} says until when.
     *
     * @param more how much there is to tell that was not counted yet
     */
    void raise(int vector, long more, long nowNs) {
        InterruptModeration how = moderation[vector];
        if (!how.isOn()) {
            deliver(vector);
            return;
        }
        news[vector] += more;
        if (news[vector] >= how.count()) {
            deliver(vector);
        } else {
            suppressed[vector]++;
            if (!isHeld(vector)) {
                deadlinesNs[vector] = nowNs + how.delayNs();
            }
        }
    }

    /** Raises a vector that is not moderated. */
    void raise(int vector) {
        raise(vector, 1, 0);
    }

    /** There is more to tell for an interrupt that is held back. */
    void add(int vector, long more) {
        news[vector] += more;
        if (isHeld(vector) && news[vector] >= moderation[vector].count()) {
            deliver(vector);
        }
    }

    private void deliver(int vector) {
        if (DeviceEvents.Interrupt.isWanted()) {
            DeviceEvents.Interrupt.commit(device, vector, news[vector]);
        }
        news[vector] = 0;
        deadlinesNs[vector] = Long.MAX_VALUE;
        int cause = 1 << vector;
        causes.getAndAccumulate(cause, Interrupts::or);
        if ((mask & cause) == 0) {
            raised[vector]++;
            sink.raise(vector);
        } else {
            masked[vector]++;
            waitingForUnmask |= cause;
        }
    }

    /** When something that is held back must be raised; {@link Long#MAX_VALUE} if nothing is. */
    long deadlineNs() {
        long earliest = Long.MAX_VALUE;
        for (long deadline : deadlinesNs) {
            earliest = Math.min(earliest, deadline);
        }
        return earliest;
    }

    /** Raises what has been held back long enough. */
    void serveDeadlines(long nowNs) {
        for (int vector = 0; vector < InterruptVector.COUNT; vector++) {
            if (deadlinesNs[vector] <= nowNs) {
                deliver(vector);
            }
        }
    }

    /** Changes the moderation of a vector, and raises what it had held back. */
    void moderate(int vector, InterruptModeration how) {
        moderation[vector] = how;
        if (isHeld(vector)) {
            deliver(vector);
        }
    }

    InterruptModeration moderation(int vector) {
        return moderation[vector];
    }

    /** The causes since the last call, as the register ICR gives them. Any thread. */
    int takeCauses() {
        return causes.getAndSet(0);
    }

    private static int or(int a, int b) {
        return a | b;
    }

    /** The register IMR. Any thread. */
    int mask() {
        return mask;
    }

    /**
     * Writes the register IMR. A vector that was to be raised while it was masked is raised when it is unmasked, unless the guest
     * has read the cause meanwhile.
     */
    void mask(int value) {
        mask = value;
        int now = waitingForUnmask & ~value;
        waitingForUnmask &= value;
        int unread = now & causes.get();
        for (int vector = 0; vector < InterruptVector.COUNT; vector++) {
            if ((unread >>> vector & 1) != 0) {
                raised[vector]++;
                sink.raise(vector);
            }
        }
    }

    DeviceStatistics.Interrupts statistics(int vector) {
        return new DeviceStatistics.Interrupts(raised[vector], suppressed[vector], masked[vector]);
    }

    /** As after power-on; how a vector is moderated is the host's business and stays. */
    void reset() {
        mask = -1;
        causes.set(0);
        waitingForUnmask = 0;
        Arrays.fill(news, 0);
        Arrays.fill(deadlinesNs, Long.MAX_VALUE);
    }
}
