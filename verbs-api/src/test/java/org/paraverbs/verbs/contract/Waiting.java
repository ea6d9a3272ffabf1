// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.WorkCompletion;

/**
 * How the contract waits: it yields between two looks, since a machine with one processor needs it for the device's own
 * work. The deadline is far beyond what anything takes; it only turns a hang into a failure. The system property
 * {@code paraverbs.contract.deadline} gives another one, in seconds, to slow machines.
 */
final class Waiting {

    static final Duration DEADLINE = Duration.ofSeconds(Long.getLong("paraverbs.contract.deadline", 60));

    /** Looks at a completion queue that is to stay empty. No number proves it; a wrong completion comes sooner. */
    private static final int LOOKS_FOR_SILENCE = 2_000;

    private Waiting() {}

    static CompletionRecord completion(CompletionQueue queue) {
        long start = System.nanoTime();
        WorkCompletion completion = queue.poll();
        while (completion == null) {
            checkDeadline(start, "a completion");
            pause();
            completion = queue.poll();
        }
        return completion.copy();
    }

    static List<CompletionRecord> completions(CompletionQueue queue, int count) {
        List<CompletionRecord> completions = new ArrayList<>();
        while (completions.size() < count) {
            completions.add(completion(queue));
        }
        return completions;
    }

    static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            checkDeadline(start, what);
            pause();
        }
    }

    static void assertSilent(CompletionQueue queue) {
        for (int look = 0; look < LOOKS_FOR_SILENCE; look++) {
            WorkCompletion completion = queue.poll();
            assertThat(completion == null ? null : completion.copy())
                    .as("a completion that was not asked for")
                    .isNull();
            pause();
        }
    }

    static void checkDeadline(long startNs, String what) {
        if (System.nanoTime() - startNs > DEADLINE.toNanos()) {
            throw new AssertionError("waited " + DEADLINE + " for " + what);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // on one processor, the device works only when this thread lets it
    static void pause() {
        Thread.yield();
    }
}
