// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Notices that a step does not come to an end, and writes down what led there, which nobody else could any more. */
final class Hangs {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);

    private static volatile long lastNs;
    private static volatile Thread watched;

    static void watch(Supplier<HostileRun> soFar, Path findings) {
        Thread worker = Thread.currentThread();
        watched = worker;
        progress();
        Thread.ofPlatform().daemon().name("hang watch").start(() -> {
            while (worker.equals(watched)) {
                if (System.nanoTime() - lastNs > LONGEST_NS) {
                    Path file = soFar.get().write(findings, "hang", "the step after these does not come to an end");
                    System.err.println("A step takes longer than a minute; before it: " + file.toAbsolutePath() + "\n"
                            + Arrays.toString(worker.getStackTrace()).replace(", ", "\n  "));
                    Runtime.getRuntime().halt(3); // who waits for the step would wait for ever
                }
                try {
                    Thread.sleep(1000);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
    }

    static void progress() {
        lastNs = System.nanoTime();
    }

    static void unwatch() {
        watched = null;
    }

    private Hangs() {}
}
