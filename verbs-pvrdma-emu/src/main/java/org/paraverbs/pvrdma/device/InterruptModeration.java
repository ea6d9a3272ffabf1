// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.time.Duration;
import org.paraverbs.pvrdma.abi.InterruptVector;

/**
 * How the interrupts of a vector are moderated (coalesced): one is raised when there are {@code count} things to tell, or
 * {@code delayNs} after the first of them, whichever comes first. What counts are completions, from the one on for which the guest
 * asked to be told, or asynchronous events.
 *
 * <p>As with the coalescing of network adapters, a count saves interrupts under load, and the delay is what a thread waits longer
 * when there is little to do: about the time between two completions times the count is a good beginning, 10 to 100
 * microseconds.
 *
 * @param count 1 for an interrupt at once, whatever the delay; {@link Integer#MAX_VALUE} for moderation by time alone
 * @param delayNs nanoseconds that the first may wait, 1 to {@link #MAX_DELAY_NS}: nothing waits for ever
 */
public record InterruptModeration(int count, long delayNs) {
    /** Each interrupt at once. */
    public static final InterruptModeration OFF = new InterruptModeration(1, 1);

    /** The longest delay, a minute. */
    public static final long MAX_DELAY_NS = 60_000_000_000L;

    /** Checks the ranges. */
    public InterruptModeration {
        if (count < 1 || delayNs < 1 || delayNs > MAX_DELAY_NS) {
            throw new IllegalArgumentException("interrupt moderation by a count of " + count + " and a delay of "
                    + delayNs + " ns; each must be at least 1, and the delay at most a minute");
        }
    }

    /**
     * Moderation by time alone.
     *
     * @param delay how long the first completion or event may wait, a nanosecond to a minute
     * @return the moderation
     * @throws IllegalArgumentException for another delay
     */
    public static InterruptModeration after(Duration delay) {
        // bounded first: a Duration may have more nanoseconds than a long
        boolean tooLong = delay.compareTo(Duration.ofNanos(MAX_DELAY_NS)) > 0;
        return new InterruptModeration(Integer.MAX_VALUE, tooLong ? Long.MAX_VALUE : delay.toNanos());
    }

    /**
     * Checks that a vector can be moderated: vector 0 cannot, since it tells a driver that sleeps of the response to its one command.
     *
     * @throws IllegalArgumentException if it cannot
     */
    static void requireModerated(int vector) {
        if (vector != InterruptVector.ASYNC && vector != InterruptVector.CQ) {
            throw new IllegalArgumentException("interrupt vector " + vector
                    + " cannot be moderated; 1 (asynchronous events) and 2 (completions) can");
        }
    }

    /** {@return whether anything is held back} */
    public boolean isOn() {
        return count > 1;
    }
}
