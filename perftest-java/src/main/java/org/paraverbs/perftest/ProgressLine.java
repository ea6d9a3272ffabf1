// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.io.PrintStream;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A line on the terminal that tells how far a long run has come, rewritten every second and wiped at the end. Only for a
 * terminal: in a log it would be noise.
 */
final class ProgressLine implements AutoCloseable {
    private static final String TO_LINE_START_AND_WIPE = "\r\033[K";

    private final Progress progress;
    private final PrintStream err;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "perftest-progress");
        thread.setDaemon(true);
        return thread;
    });

    // Both only touched by the timer's thread.
    private long shown;
    private boolean visible;

    ProgressLine(Progress progress, PrintStream err) {
        this.progress = progress;
        this.err = err;
        var _ = timer.scheduleAtFixedRate(this::show, 1, 1, TimeUnit.SECONDS);
    }

    private void show() {
        long messages = progress.messages();
        if (messages != shown) {
            shown = messages;
            visible = true;
            err.print(TO_LINE_START_AND_WIPE + messages + " messages");
            err.flush();
        }
    }

    @Override
    public void close() {
        timer.execute(() -> {
            if (visible) {
                err.print(TO_LINE_START_AND_WIPE);
                err.flush();
            }
        });
        timer.close();
    }
}
