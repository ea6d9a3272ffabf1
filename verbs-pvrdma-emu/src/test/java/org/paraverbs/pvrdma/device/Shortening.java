// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes lives shorter that show something: leaves out steps, many at once first, while they still do. */
final class Shortening {
    private static final int MOST_TRIES = 3000;

    static HostileRun of(HostileRun run, Predicate<HostileRun> stillShows) {
        List<HostileStep> steps = new ArrayList<>(run.steps());
        int tries = 0;
        for (int chunk = Math.max(1, steps.size() / 2); chunk >= 1; chunk /= 2) {
            for (int at = 0; at < steps.size() && tries < MOST_TRIES; ) {
                List<HostileStep> fewer = new ArrayList<>(steps);
                fewer.subList(at, Math.min(steps.size(), at + chunk)).clear();
                tries++;
                if (stillShows.test(new HostileRun(run.form(), List.copyOf(fewer)))) {
                    steps = fewer;
                } else {
                    at += chunk;
                }
            }
        }
        return new HostileRun(run.form(), List.copyOf(steps));
    }

    private Shortening() {}
}
