// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.stub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.paraverbs.ffm.LibibverbsProvider;
import org.paraverbs.ffm.lib.IbverbsLibrary;
import org.paraverbs.verbs.Verbs;

/**
 * The binding on a libibverbs that has everything and does nothing, {@code native/stub/ibverbs.c}: what it asks the library
 * for, and what becomes of answers that no device at hand gives.
 */
class StubDeviceTest {

    @TestFactory
    Stream<DynamicTest> everyCasePasses(@TempDir Path folder) throws IOException, InterruptedException {
        assumeTrue(
                System.getProperty("os.arch").equals("amd64")
                        && System.getProperty("os.name").equals("Linux"),
                "the binding is for Linux on x86-64");
        assumeTrue(
                Files.exists(Path.of("/usr/include/infiniband/verbs.h")),
                "no /usr/include/infiniband/verbs.h: install libibverbs-dev or rdma-core-devel to compile the stub");
        List<String> lines = run(compiled(folder));
        return StubPrograms.cases()
                .map(StubPrograms::name)
                .map(name -> DynamicTest.dynamicTest(name, () -> {
                    if (!lines.contains("PASSED " + name)) {
                        fail(String.join("\n", lines));
                    }
                }));
    }

    private static Path compiled(Path folder) throws IOException, InterruptedException {
        Path library = folder.resolve("libibverbs-stub.so");
        Path source = Path.of("..", "native", "stub", "ibverbs.c");
        Process compiler;
        try {
            compiler = new ProcessBuilder(
                            "cc",
                            "-std=gnu11",
                            "-Wall",
                            "-Werror",
                            "-shared",
                            "-fPIC",
                            "-o",
                            library.toString(),
                            source.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "no C compiler cc on the PATH: install gcc to compile the stub");
            throw e;
        }
        String messages = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(messages).isZero();
        return library;
    }

    private static List<String> run(Path library) throws IOException, InterruptedException {
        String classPath = Stream.of(StubPrograms.class, LibibverbsProvider.class, Verbs.class, Assertions.class)
                .map(StubDeviceTest::location)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-D" + IbverbsLibrary.NAME_PROPERTY + "=" + library,
                        "-cp",
                        classPath,
                        StubPrograms.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).as("%s", lines).isZero();
        return lines;
    }

    private static String location(Class<?> type) {
        CodeSource source = Objects.requireNonNull(type.getProtectionDomain().getCodeSource());
        return Path.of(source.getLocation().getPath()).toString();
    }
}
