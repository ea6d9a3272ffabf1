// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.time.Duration;

/**
 * How the interrupts of a vector are moderated (coalesced): one is raised when there are {@code count} things to tell, or
 * {@code delayNs} after the first of them, whichever comes first. What counts are completions, from the one on for which the guest
 * asked to be told, or asynchronous events.
 *
 * @param count 1 for an interrupt at once, whatever the delay
 * @param delayNs nanoseconds that the first may wait, at least 1: nothing waits for ever
 */
public record InterruptModeration(int count, long delayNs) {
    /** Each interrupt at once. */
    public static final InterruptModeration OFF = new InterruptModeration(1, 1);

    /** Checks the ranges. */
    public InterruptModeration {
        if (count < 1 || delayNs < 1) {
            throw new IllegalArgumentException("interrupt moderation by a count of " + count + " and a delay of "
                    + delayNs + " ns; each must be at least 1");
        }
    }

    /**
     * Moderation by time alone.
     *
     * @param delay how long the first completion or event may wait, at least a nanosecond
     * @return the moderation
     */
    public static InterruptModeration after(Duration delay) {
        return new InterruptModeration(Integer.MAX_VALUE, delay.toNanos());
    }

    /** {@return whether anything is held back} */
    public boolean isOn() {
        return count > 1;
    }
}
