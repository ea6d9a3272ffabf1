// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles the layout probe against the headers of this machine and compares what it prints with the checked-in output.
 * If this fails after an update of rdma-core, the ABI has changed, or the probe has without its output:
 * {@code cc -std=gnu11 -o /tmp/probe native/layout_probe/*.c && /tmp/probe > native/layouts/x86_64.txt}.
 */
class LayoutProbeTest {

    @Test
    void headersOfThisMachineHaveTheCheckedInLayout(@TempDir Path folder) throws IOException, InterruptedException {
        assumeTrue(
                System.getProperty("os.arch").equals("amd64")
                        && System.getProperty("os.name").equals("Linux"),
                "the checked-in layout is that of Linux on x86-64");
        assumeTrue(
                Files.exists(Path.of("/usr/include/infiniband/verbs.h")),
                "no /usr/include/infiniband/verbs.h: install libibverbs-dev or rdma-core-devel to compare");
        assumeTrue(hasCompiler(), "no C compiler cc on the PATH: install gcc to compare");

        Path probe = folder.resolve("layout_probe");
        List<String> command = new ArrayList<>(List.of("cc", "-std=gnu11", "-Wall", "-Werror", "-o", probe.toString()));
        command.addAll(sources());
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        String messages = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(messages).isZero();

        Process run = new ProcessBuilder(probe.toString()).start();
        List<String> printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(run.waitFor()).isZero();
        assertThat(printed).isEqualTo(GoldenLayout.lines());
    }

    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.list(GoldenLayout.NATIVE.resolve("layout_probe"))) {
            return files.map(Path::toString).filter(name -> name.endsWith(".c")).toList();
        }
    }

    private static boolean hasCompiler() throws InterruptedException {
        try {
            return new ProcessBuilder("cc", "--version")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
