// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short form: every test under jcstress for a moment, in one kind of JVM. The script "run" is the long one. */
class StressesTest {
    private static final Pattern OUTCOME = Pattern.compile("Results: (\\d+) planned; (\\d+) passed");

    @TempDir
    private Path folder;

    @Test
    @Timeout(600)
    void noForbiddenOutcomeIsSeen() throws Exception {
        List<String> listed = jcstress("-l");
        long tests = listed.stream()
                .filter(line -> line.startsWith("org.paraverbs."))
                .count();
        assertThat(tests).as("tests found in %s", listed).isGreaterThanOrEqualTo(9);

        List<String> lines = jcstress(
                "-sc", "false", "-f", "1", "-iters", "1", "-time", "300", "-jvmArgs", "-XX:-TieredCompilation", "-v");
        String summary = lines.stream()
                .filter(line -> OUTCOME.matcher(line).find())
                .reduce((earlier, later) -> later)
                .orElseThrow();
        assertThat(summary).contains("Results: " + tests + " planned; " + tests + " passed, 0 failed");
    }

    private List<String> jcstress(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-r",
                folder.resolve("report").toString()));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> lines;
        try (var output = process.inputReader(UTF_8)) {
            lines = output.lines().toList();
        }
        assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
        return lines;
    }
}
