// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.link;

import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is moved. */
public final class VirtualClock implements Clock {
    private final AtomicLong nowNs = new AtomicLong();

    /** A clock that stands at 0. */
    public VirtualClock() {}

    @Override
    public long nanoTime() {
        return nowNs.get();
    }

    /**
     * Moves the time forward to {@code timeNs}; an earlier time is ignored.
     *
     * @param timeNs nanoseconds on this clock
     */
    public void advanceTo(long timeNs) {
        nowNs.accumulateAndGet(timeNs, Math::max);
    }
}
