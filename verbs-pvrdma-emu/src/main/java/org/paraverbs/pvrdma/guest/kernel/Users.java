// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.util.concurrent.atomic.AtomicInteger;
import org.paraverbs.verbs.Errno;

/** How many objects use an object, which cannot go before them (the use counts of the kernel's verbs core). */
final class Users {
    private static final int GONE = -1;

    private final String what;
    private final AtomicInteger count = new AtomicInteger();

    Users(String what) {
        this.what = what;
    }

    /** Counts one more user, or throws EINVAL if the object is going. */
    void take(Call call) {
        int before = count.getAndUpdate(now -> now == GONE ? GONE : now + 1);
        if (before == GONE) {
            throw call.failure(Errno.EINVAL, "the " + what + " is being destroyed");
        }
    }

    void give() {
        count.decrementAndGet();
    }

    /** Lets nobody use the object any more, or throws EBUSY if somebody does. */
    void retire(Call call) {
        int before = count.getAndUpdate(now -> now == 0 ? GONE : now);
        if (before != 0) {
            throw call.failure(
                    Errno.EBUSY, "the " + what + " still has " + before + " users: destroy what was made on it first");
        }
    }
}
