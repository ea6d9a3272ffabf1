// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.util.concurrent.atomic.AtomicInteger;
import org.paraverbs.verbs.Errno;

/** How many there may be of a kind, which the driver counts itself, for all programs together. */
final class Limit {
    private final String name;
    private final String things;
    private final int max;
    private final String option;
    private final AtomicInteger count = new AtomicInteger();

    /**
     * A limit.
     *
     * @param name the capability of the device that sets it
     * @param things what there is so many of
     * @param max how many
     * @param option of {@link org.paraverbs.pvrdma.device.DeviceConfiguration}, which raises it
     */
    Limit(String name, String things, int max, String option) {
        this.name = name;
        this.things = things;
        this.max = max;
        this.option = option;
    }

    /** Counts one more, or throws ENOMEM. */
    void take(Call call) {
        int taken = count.getAndUpdate(now -> now < max ? now + 1 : now);
        if (taken >= max) {
            throw call.failure(
                    Errno.ENOMEM,
                    "no more " + things + ": " + name + " is " + max + ", and " + taken
                            + " are in use by the programs of this device; close some, or raise DeviceConfiguration."
                            + option);
        }
    }

    void give() {
        count.decrementAndGet();
    }
}
