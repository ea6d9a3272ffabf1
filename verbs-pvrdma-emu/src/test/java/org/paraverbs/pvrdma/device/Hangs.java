// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Notices that a step does not come to an end, and writes down what led there, which nobody else could any more. */
final class Hangs implements AutoCloseable {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(60);

    private static final AtomicReference<Hangs> WATCHED = new AtomicReference<>();

    static {
        Thread.ofPlatform().daemon().name("hang watch").start(Hangs::run);
    }

    private final Thread worker = Thread.currentThread();
    private final Supplier<HostileRun> soFar;
    private final Path findings;
    private volatile long lastNs = System.nanoTime();

    /** Watches the calling thread until closed; one at a time. */
    Hangs(Supplier<HostileRun> soFar, Path findings) {
        this.soFar = soFar;
        this.findings = findings;
        WATCHED.set(this);
    }

    void progress() {
        lastNs = System.nanoTime();
    }

    @Override
    public void close() {
        WATCHED.compareAndSet(this, null);
    }

    private static void run() {
        while (true) {
            Hangs watched = WATCHED.get();
            if (watched != null && System.nanoTime() - watched.lastNs > LONGEST_NS) {
                Path file = watched.soFar.get().write(watched.findings, "hang", "a step does not come to an end");
                System.err.println("A step takes longer than a minute; it is the one after, or the last of, "
                        + file.toAbsolutePath() + "\n  "
                        + Arrays.toString(watched.worker.getStackTrace()).replace(", ", "\n  "));
                Runtime.getRuntime().halt(3); // who waits for the step would wait for ever
            }
            try {
                Thread.sleep(1000);
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
