// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.preload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.paraverbs.preload.ContractRun.Outcome;
import org.paraverbs.pvrdma.front.uverbs.CPrograms;

/**
 * The contract tests of the binding to libibverbs, on the emulated device by way of libibverbs and its vmw_pvrdma provider: each
 * of them is a test here, too.
 */
class IbvContractTest {
    /** The contract of today has more; a run that finds fewer has not found the device, or not the tests. */
    private static final int FEWEST_PASSED = 250;

    /** Where eight threads poll on two cores, the emulator gets its turn seldom. */
    private static final String SCALE = "-Dparaverbs.contract.scale=0.001";

    @TempDir
    Path directory;

    @TestFactory
    Stream<DynamicTest> theBindingKeepsTheContract() throws Exception {
        CPrograms.require("ibv_devinfo", "/etc/libibverbs.d/vmw_pvrdma.driver");
        List<Outcome> outcomes = run();
        assertThat(outcomes)
                .filteredOn(outcome -> outcome.kind().equals(Outcome.PASSED))
                .as("tests that passed, of %s", outcomes)
                .hasSizeGreaterThanOrEqualTo(FEWEST_PASSED);
        return outcomes.stream().map(outcome -> DynamicTest.dynamicTest(outcome.test(), () -> repeat(outcome)));
    }

    private List<Outcome> run() throws Exception {
        try (CPrograms programs = new CPrograms(directory)) {
            programs.startEmulator();
            List<String> command = new ArrayList<>(CPrograms.java(ContractRun.class.getName()));
            command.addAll(1, List.of("-ea", SCALE));
            return programs.start(command.toArray(String[]::new))
                    .succeed()
                    .lines()
                    .filter(Outcome::isOne)
                    .map(Outcome::of)
                    .toList();
        }
    }

    private static void repeat(Outcome outcome) {
        switch (outcome.kind()) {
            case Outcome.PASSED -> {}
            case Outcome.SKIPPED -> abort(outcome.said());
            default -> fail(outcome.said());
        }
    }
}
