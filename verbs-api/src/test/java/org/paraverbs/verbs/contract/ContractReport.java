// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Counts the contract tests and says what was skipped and why, what deviated and why, and in the end how many tests ran
 * on how many devices: a run on no device must not look like a success.
 */
public final class ContractReport implements BeforeAllCallback, TestWatcher {

    private static final AtomicInteger PASSED = new AtomicInteger();
    private static final AtomicInteger FAILED = new AtomicInteger();
    private static final AtomicInteger SKIPPED = new AtomicInteger();
    private static final Set<String> DEVICES = new ConcurrentSkipListSet<>();
    private static final Set<String> DEVIATIONS = new ConcurrentSkipListSet<>();

    static void openedDevice(String name) {
        DEVICES.add(name);
    }

    static void deviation(String sentence) {
        if (DEVIATIONS.add(sentence)) {
            print("DEVIATION " + sentence);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        // in the root's store, so that it is closed after the last test
        context.getRoot()
                .getStore(ExtensionContext.Namespace.create(ContractReport.class))
                .getOrComputeIfAbsent("summary", key -> (AutoCloseable) ContractReport::summarise, AutoCloseable.class);
    }

    @Override
    public void testSuccessful(ExtensionContext context) {
        PASSED.incrementAndGet();
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        FAILED.incrementAndGet();
    }

    @Override
    public void testAborted(ExtensionContext context, Throwable cause) {
        SKIPPED.incrementAndGet();
        print("SKIPPED " + context.getRequiredTestClass().getSimpleName() + " " + context.getDisplayName() + ": "
                + cause.getMessage());
    }

    private static void summarise() {
        print("CONTRACT " + PASSED + " passed, " + FAILED + " failed, " + SKIPPED + " skipped, " + DEVIATIONS.size()
                + " known deviations, on " + DEVICES.size() + " devices " + DEVICES);
    }

    private static void print(String line) {
        System.out.println(line);
    }
}
