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
        "frames, 100, thrown out",
        "commands, 20000, done",
        "rings, 1000000, done",
        "unread, 200000, thrown out",
        "truncate, 1, thrown out"
    })
    void aBadClientHarmsOnlyItself(String mode, String steps, String end) throws Exception {
        String program = hostile();
        List<CPrograms.Program> bystanders = pair("ibv_rc_pingpong", "-g", "1", "-c", "-e", "-n", "300");
        CPrograms.Program bad = programs.start(program, directory.toString(), mode, "7", steps);
        assertThat(bad.succeed()).contains(end);
        for (CPrograms.Program bystander : bystanders) {
            assertThat(bystander.succeed()).doesNotContain("invalid data");
        }
        for (CPrograms.Program after : pair("ibv_rc_pingpong", "-g", "1", "-c", "-n", "100")) {
            assertThat(after.succeed()).doesNotContain("invalid data");
        }
        assertNothingIsLeft();
    }
}
