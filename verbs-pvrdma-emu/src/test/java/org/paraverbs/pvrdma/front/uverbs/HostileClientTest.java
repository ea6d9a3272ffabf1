// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that do not keep to the protocol harm nobody but themselves. What they do is in src/test/c/hostile.c. */
class HostileClientTest extends ServerFixture {
    /** How often each does its worst: the long form is a million; 0 for what suits a build. */
    private static final long STEPS = Long.getLong("paraverbs.hostile.client.steps", 0);

    @TempDir
    private Path built;

    @Override
    String[] required() {
        return new String[] {"gcc", "ibv_rc_pingpong"};
    }

    private String hostile() throws Exception {
        String program = built.resolve("hostile").toString();
        Process compiler = new ProcessBuilder(
                        "gcc",
                        "-std=c17",
                        "-O1",
                        "-Wall",
                        "-Wextra",
                        "-Werror",
                        "-I",
                        "../native/preload",
                        "-o",
                        program,
                        "src/test/c/hostile.c")
                .inheritIO()
                .start();
        assertThat(compiler.waitFor()).as("gcc").isZero();
        return program;
    }

    @ParameterizedTest
    @CsvSource({
        "garbage, 500, done",
        "greetings, 500, done",
        "frames, 200, done",
        "fds, 200, done",
        "commands, 20000, done",
        "rings, 1000000, done",
        "unread, 200000, thrown out"
    })
    void aBadClientHarmsOnlyItself(String mode, long steps, String end) throws Exception {
        assertHarmsNobody(mode, STEPS == 0 ? steps : STEPS, end);
    }

    @ParameterizedTest
    @CsvSource({
        "truncate, 1, thrown out",
        "impostor, 1, thrown out",
        "mute, 1, thrown out",
        "silent, 9000, done",
        "stalled, 1, done"
    })
    void aBadClientHarmsNobodyOnce(String mode, long steps, String end) throws Exception {
        assertHarmsNobody(mode, steps, end);
    }

    /** Others exchange messages that they check, before, during and after; and then all is as it was. */
    private void assertHarmsNobody(String mode, long steps, String end) throws Exception {
        String program = hostile();
        assertUndisturbed(bystanders());
        assertNothingIsLeft();
        Footprint before = Footprint.now();

        List<CPrograms.Program> bystanders = bystanders();
        CPrograms.Program bad = programs.start(program, directory.toString(), mode, "7", Long.toString(steps));
        while (bad.process.isAlive()) {
            assertUndisturbed(bystanders);
            programs.forget(bystanders);
            bystanders = bystanders();
        }
        assertThat(bad.succeed()).contains(end);
        assertUndisturbed(bystanders);
        assertNothingIsLeft();
        Footprint.now().assertNoMoreThan(before);
        assertThat(server.device().statistics().internalErrors()).isZero();
    }

    private List<CPrograms.Program> bystanders() throws Exception {
        return pair("ibv_rc_pingpong", "-g", "1", "-c", "-e", "-n", "300");
    }
}
