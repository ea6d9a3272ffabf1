// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.util.concurrent.atomic.AtomicInteger;
import org.paraverbs.verbs.Errno;

/** How many there may be of a kind, which the driver counts itself, for all programs together. */
final class Limit {
    private final String what;
    private final int max;
    private final AtomicInteger count = new AtomicInteger();

    Limit(String what, int max) {
        this.what = what;
        this.max = max;
    }

    /** Counts one more, or throws ENOMEM. */
    void take(Call call) {
        int taken = count.getAndUpdate(now -> now < max ? now + 1 : now);
        if (taken >= max) {
            throw call.failure(
                    Errno.ENOMEM,
                    "the device has at most " + max + " " + what + ", shared by all its programs, and they are all in"
                            + " use: close some");
        }
    }

    void give() {
        count.decrementAndGet();
    }
}
