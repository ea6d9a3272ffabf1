// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paraverbs.ffm.lib.IbverbsLibrary;
import org.paraverbs.verbs.Verbs;

/** Every reason why the binding cannot start is one sentence that says what to do, and never an exception. */
class StartUpTest {
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    /** What the program of {@link StartUp} prints, in a JVM of its own: the library is looked for once in a process. */
    private static List<String> run(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        String classPath = Stream.of(StartUp.class, LibibverbsProvider.class, Verbs.class)
                .map(StartUpTest::location)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
        command.addAll(List.of("-cp", classPath, StartUp.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
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

    private static String theOnly(List<String> lines, String kind) {
        List<String> found = lines.stream()
                .filter(line -> line.startsWith(kind + " "))
                .map(line -> line.substring(kind.length() + 1))
                .toList();
        assertThat(found).as("%s", lines).hasSize(1);
        return found.get(0);
    }

    @Test
    void aMissingLibraryIsNamed() throws Exception {
        List<String> lines = run(NATIVE_ACCESS, "-D" + IbverbsLibrary.NAME_PROPERTY + "=/nowhere/libibverbs.so.1");
        assertThat(theOnly(lines, "devices")).isEqualTo("[]");
        assertThat(theOnly(lines, "reason"))
                .startsWith("ibv: the library /nowhere/libibverbs.so.1 was not found")
                .contains(IbverbsLibrary.NAME_PROPERTY);
        assertThat(theOnly(lines, "open")).contains("ENODEV").contains("/nowhere/libibverbs.so.1 was not found");
    }

    @Test
    void aFileThatIsNoLibraryIsNamed(@TempDir Path folder) throws Exception {
        Path text = Files.writeString(folder.resolve("libtext.so"), "not a library");
        List<String> lines = run(NATIVE_ACCESS, "-D" + IbverbsLibrary.NAME_PROPERTY + "=" + text);
        assertThat(theOnly(lines, "reason")).contains(text + " was not found or is not one for this machine");
    }

    @Test
    void anotherLibraryIsNotTakenForOurs() throws Exception {
        List<String> lines = run(NATIVE_ACCESS, "-D" + IbverbsLibrary.NAME_PROPERTY + "=libc.so.6");
        assertThat(theOnly(lines, "reason")).contains("libc.so.6 is not libibverbs");
        assertThat(theOnly(lines, "devices")).isEqualTo("[]");
    }

    @Test
    void deniedNativeAccessIsToldTheFlag() throws Exception {
        assumeTrue(
                Runtime.version().feature() >= 24,
                "--illegal-native-access=deny, by which a release says no, came with JDK 24");
        List<String> lines = run("--illegal-native-access=deny");
        assertThat(theOnly(lines, "reason")).contains("start java with --enable-native-access=ALL-UNNAMED");
        assertThat(theOnly(lines, "devices")).isEqualTo("[]");
    }

    @Test
    void withoutADeviceOneSentenceSaysWhy() throws Exception {
        assumeTrue(
                IbverbsLibrary.unavailability().isEmpty(),
                () -> IbverbsLibrary.unavailability().orElse(""));
        assumeTrue(new LibibverbsProvider().devices().isEmpty(), "this machine has RDMA devices");
        List<String> lines = run(NATIVE_ACCESS);
        assertThat(theOnly(lines, "devices")).isEqualTo("[]");
        assertThat(theOnly(lines, "reason")).startsWith("ibv: ").matches(".*(modprobe|rdma link add|--device=).*");
        assertThat(theOnly(lines, "open"))
                .contains("nosuch0")
                .contains("ENODEV")
                .contains("ibv: ");
    }

    @Test
    void aWishAboutForkThatThereIsNotIsTold() throws IOException, InterruptedException {
        assumeTrue(
                IbverbsLibrary.unavailability().isEmpty(),
                () -> IbverbsLibrary.unavailability().orElse(""));
        List<String> lines = run(NATIVE_ACCESS, "-Dorg.paraverbs.ffm.fork=perhaps");
        assertThat(theOnly(lines, "reason")).contains("org.paraverbs.ffm.fork").contains("auto, always or never");
    }
}
