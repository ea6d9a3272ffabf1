// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.preload;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the contract tests of the binding, in a process that the preload library is in, and prints a line for each: see {@link
 * Outcome}.
 */
final class ContractRun implements TestExecutionListener {
    private static final String TESTS = "org.paraverbs.ffm.contract";

    /** What became of a test; as a line, where what is said may have lines of its own. */
    record Outcome(String kind, String test, String said) {
        static final String PASSED = "passed";
        static final String SKIPPED = "skipped";

        private static final String MARK = "outcome ";

        String line() {
            byte[] bytes = said.getBytes(StandardCharsets.UTF_8);
            return MARK + kind + " " + test + " " + Base64.getEncoder().encodeToString(bytes);
        }

        static boolean isOne(String line) {
            return line.startsWith(MARK);
        }

        static Outcome of(String line) {
            String[] words = line.substring(MARK.length()).split(" ", 3);
            return new Outcome(
                    words[0], words[1], new String(Base64.getDecoder().decode(words[2]), StandardCharsets.UTF_8));
        }
    }

    public static void main(String[] arguments) {
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectPackage(TESTS))
                                .build(),
                        new ContractRun());
        System.exit(0); // whatever threads a failed test has left
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        print(test, Outcome.SKIPPED, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String kind = switch (result.getStatus()) {
            case SUCCESSFUL -> Outcome.PASSED;
            case ABORTED -> Outcome.SKIPPED;
            case FAILED -> "failed";
        };
        if (test.isTest() || result.getStatus() == TestExecutionResult.Status.FAILED) {
            print(
                    test,
                    kind,
                    result.getThrowable().map(thrown -> said(kind, thrown)).orElse(""));
        }
    }

    private static String said(String kind, Throwable thrown) {
        if (kind.equals(Outcome.SKIPPED)) {
            return String.valueOf(thrown.getMessage());
        }
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    private static void print(TestIdentifier test, String kind, String said) {
        String name = test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .map(method -> method.getClassName().replaceFirst(".*\\.", "") + "." + method.getMethodName())
                .orElse(test.getUniqueId());
        System.out.println(new Outcome(kind, (name + test.getDisplayName()).replace(' ', '_'), said).line());
    }
}
