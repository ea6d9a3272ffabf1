// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.paraverbs.verbs.Errno;

/**
 * A limit of the device, which says of itself what it is when a guest runs into it: its name, its value, how much is in use,
 * and the option that raises it. For the ticket's holder.
 */
final class Limit {
    final String name;
    final long max;

    /** What others have of it. */
    private final long elsewhere;

    private final String things;
    private final String option;
    private long used;

    /**
     * A limit.
     *
     * @param name as in {@code ibv_query_device}, where it is one of that
     * @param things what there is so much of
     * @param max how much there is
     * @param elsewhere how much of it others have
     * @param option of {@link DeviceConfiguration}
     */
    Limit(String name, String things, long max, long elsewhere, String option) {
        this.name = name;
        this.things = things;
        this.max = max;
        this.elsewhere = elsewhere;
        this.option = option;
    }

    Limit(String name, String things, long max, String option) {
        this(name, things, max, 0, option);
    }

    /** Refuses with ENOMEM unless there is so much left. */
    void requireLeft(long wanted) throws RefusedException {
        if (wanted > max - elsewhere - used) {
            throw RefusedException.ofLimit(
                    Errno.ENOMEM,
                    name,
                    "no more " + things + ": " + name + " is " + max + ", in use are " + used
                            + (elsewhere == 0 ? "" : " here and " + elsewhere + " elsewhere") + ", wanted "
                            + (wanted == 1 ? "is one" : "are " + wanted)
                            + " more; free some, or raise DeviceConfiguration." + option);
        }
    }

    /** Refuses with EINVAL what is too large for one object; unsigned, since it is what a guest wrote. */
    void requireWithin(long asked) throws RefusedException {
        if (Long.compareUnsigned(asked, max) > 0) {
            throw RefusedException.ofLimit(
                    Errno.EINVAL,
                    name,
                    Long.toUnsignedString(asked) + " " + things + ": " + name + " is " + max
                            + "; ask for less, or raise DeviceConfiguration." + option);
        }
    }

    void take(long more) {
        used += more;
    }

    void give(long back) {
        used -= back;
    }

    long used() {
        return used;
    }

    DeviceStatistics.Use use() {
        return new DeviceStatistics.Use(name, used, elsewhere, max, option);
    }
}
