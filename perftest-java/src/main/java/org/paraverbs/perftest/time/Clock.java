// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.time;

/** Where time stamps come from. */
@FunctionalInterface
public interface Clock {
    /**
     * Reads the clock. Called in the measured loops, so it must not allocate.
     *
     * @return nanoseconds from some fixed moment; never goes back
     */
    long nowNs();
}
