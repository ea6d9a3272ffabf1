// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code bin/pvrdma-emu} in a tree of its own, as nothing is packaged yet when tests run: its JVM is this one's, with this class
 * path and the module's emulator.
 */
@Timeout(300)
class LauncherTest {
    private static final Path LIBRARY = Path.of("target/native/libpvrdma-emu.so");

    @TempDir
    Path temporary;

    private Path tree;
    private Path directory;

    private record Result(int status, String out, String err) {}

    @BeforeEach
    void layTree() throws IOException {
        CPrograms.require();
        // A blank in the path: quoting is what scripts get wrong.
        tree = temporary.resolve("the tree");
        directory = temporary.resolve("emu");
        Path bin = Files.createDirectories(tree.resolve("verbs-pvrdma-emu/bin"));
        Files.copy(Path.of("bin/pvrdma-emu"), bin.resolve("pvrdma-emu"));
        Path target = tree.resolve("verbs-pvrdma-emu/target");
        Files.createDirectories(target.resolve("lib"));
        Files.createDirectories(target.resolve("native"));
        Files.createFile(target.resolve("verbs-pvrdma-emu-1.jar"));
        Files.copy(LIBRARY, target.resolve("native/libpvrdma-emu.so"));
        script(".mvn/find-jdk", "echo '" + tree.resolve("jdk") + "'");
        script(
                "jdk/bin/java",
                "echo started >>'" + temporary.resolve("starts") + "'",
                "for last in \"$@\"; do :; done",
                "exec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -XX:+UseSerialGC"
                        + " -XX:TieredStopAtLevel=1 -cp '" + System.getProperty("java.class.path") + "' "
                        + Main.class.getName() + " \"$last\"");
    }

    @AfterEach
    void stop() throws Exception {
        if (tree != null && Files.exists(directory.resolve("pid"))) {
            run("stop");
        }
    }

    @Test
    void runsACommandAsItWasGivenFromAnyFolderThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(temporary.resolve("link"), launcher());
        Path folder = Files.createDirectory(temporary.resolve("folder"));
        Result result = run(
                folder,
                Map.of("LD_PRELOAD", "libc.so.6"),
                link.toString(),
                "run",
                "--",
                "sh",
                "-c",
                "pwd; printf '%s\\n' \"$LD_PRELOAD\" \"$PVRDMA_EMU\" \"$@\"",
                "sh",
                "a  b",
                "it's",
                "\"$x\"",
                "");
        assertThat(result.out.lines())
                .containsExactly(
                        folder.toString(),
                        directory.resolve("libpvrdma-emu.so") + ":libc.so.6",
                        directory.toString(),
                        "a  b",
                        "it's",
                        "\"$x\"",
                        "");
        assertThat(result.err).isEmpty();
        assertThat(rights(directory)).isEqualTo("rwx------");
        assertThat(rights(directory.resolve("socket"))).isEqualTo("rw-------");
        // what is preloaded is the library: it has the device's directory
        assertThat(run("run", "grep", "-c", "libpvrdma-emu.so", "/proc/self/maps").status)
                .isZero();
        assertThat(starts()).isEqualTo(1);
    }

    @Test
    void theCommandsEndIsTheLaunchersAndSignalsAreTheCommands() throws Exception {
        assertThat(run("run", "--", "sh", "-c", "exit 37").status).isEqualTo(37);
        assertThat(run("run", "--", "sh", "-c", "kill -9 $$").status).isEqualTo(128 + 9);
        assertThat(run("run", "--", "no-such-command").status).isEqualTo(127);
        for (String signal : List.of("INT", "TERM")) {
            Process process = start(
                    tree,
                    Map.of(),
                    launcher().toString(),
                    "run",
                    "--",
                    "sh",
                    "-c",
                    "trap 'echo got " + signal + "; exit 5' " + signal + "; echo ready; while :; do sleep 0.05; done");
            var out = process.inputReader();
            assertThat(out.readLine()).isEqualTo("ready");
            signal(process.pid(), signal);
            assertThat(out.readLine()).isEqualTo("got " + signal);
            assertThat(process.waitFor()).isEqualTo(5);
        }
        assertThat(starts()).as("the emulator goes on").isEqualTo(1);
    }

    @Test
    void twoAtOnceStartOneEmulator() throws Exception {
        Process one = start(tree, Map.of(), launcher().toString(), "run", "--", "true");
        Process other = start(tree, Map.of(), launcher().toString(), "run", "--", "true");
        assertThat(one.waitFor()).isZero();
        assertThat(other.waitFor()).isZero();
        assertThat(starts()).isEqualTo(1);
    }

    @Test
    void whatAKilledEmulatorLeftIsReplacedAndItsNumberIsNobodys() throws Exception {
        assertThat(run("run", "true").status).isZero();
        ProcessHandle emulator = ProcessHandle.of(Long.parseLong(pid())).orElseThrow();
        emulator.destroyForcibly();
        emulator.onExit().get();
        assertThat(directory.resolve("socket")).exists();
        Process bystander = new ProcessBuilder("sleep", "600").start();
        try {
            Files.writeString(directory.resolve("pid"), bystander.pid() + "\n");
            Result stop = run("stop");
            assertThat(stop.status).isEqualTo(1);
            assertThat(stop.err).contains("no emulator runs at " + directory);
            assertThat(run("run", "true").status).isZero();
            assertThat(starts()).isEqualTo(2);
            assertThat(pid()).isNotEqualTo(Long.toString(bystander.pid()));
            assertThat(run("stop").status).isZero();
            assertThat(bystander.isAlive()).isTrue();
        } finally {
            bystander.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void anInterruptedServeLeavesNothingToConnectTo(String signal) throws Exception {
        Process serve = start(tree, Map.of(), launcher().toString(), "serve");
        assertThat(serve.inputReader().readLine()).contains("serving vmw_pvrdma0 at " + directory);
        signal(serve.pid(), signal);
        serve.waitFor();
        try (Stream<Path> left = Files.list(directory)) {
            // with an empty tree libibverbs would call it an error, not a machine without devices
            assertThat(left).containsExactly(directory.resolve("sysfs"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwx---", "rwxr-xr-x", "rwx-----x"})
    void aDirectoryThatOthersMayEnterIsRefusedAndNothingIsWrittenThere(String rights) throws Exception {
        Files.createDirectory(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(rights));
        for (String action : List.of("run", "serve")) {
            Result result = action.equals("run") ? run("run", "true") : run(action);
            assertThat(result.status).isEqualTo(1);
            assertThat(result.err).contains(directory.toString(), "chmod 700", "PVRDMA_EMU");
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aDirectoryTooLongForASocketIsRefused() throws Exception {
        String path = temporary.resolve("x".repeat(108)).toString();
        Result result = run(tree, Map.of("PVRDMA_EMU", path), launcher().toString(), "run", "true");
        assertThat(result.status).isEqualTo(1);
        assertThat(result.err).contains("too long for a socket", "PVRDMA_EMU");
        assertThat(Path.of(path)).doesNotExist();
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        Files.delete(tree.resolve("verbs-pvrdma-emu/target/native/libpvrdma-emu.so"));
        Files.createDirectories(tree.resolve("native/preload"));
        Files.copy(Path.of("../native/preload/build"), tree.resolve("native/preload/build"));
        Result result = run(tree, Map.of("CC", "no-such-compiler"), launcher().toString(), "run", "true");
        assertThat(result.status).isEqualTo(1);
        assertThat(result.err).contains("there is no C compiler (Debian: gcc)");
        assertThat(temporary.resolve("starts")).as("no emulator for nothing").doesNotExist();
    }

    @Test
    void withoutAJdkTheSearchsWordsAreTold() throws Exception {
        script(".mvn/find-jdk", "echo 'found none' >&2", "exit 1");
        for (String action : List.of("run", "serve")) {
            Result result = action.equals("run") ? run("run", "true") : run(action);
            assertThat(result.status).isEqualTo(1);
            assertThat(result.err).contains("found none");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "unknown", "run", "run --", "run --unknown true", "serve here", "stop now"})
    void wrongUseIsAnsweredByTheUsage(String words) throws Exception {
        Result result = words.isEmpty() ? run() : run(words.split(" "));
        assertThat(result.status).isEqualTo(2);
        assertThat(result.out).isEmpty();
        assertThat(result.err).startsWith("Usage: pvrdma-emu run");
    }

    @Test
    void theHelpNamesEveryVariableOfTheEnvironment() throws Exception {
        Result result = run("--help");
        assertThat(result.status).isZero();
        assertThat(result.out).contains("PVRDMA_EMU,", "PVRDMA_EMU_JAVA_OPTIONS", "JAVA_HOME", "XDG_RUNTIME_DIR");
    }

    private Path launcher() {
        return tree.resolve("verbs-pvrdma-emu/bin/pvrdma-emu");
    }

    private String pid() throws IOException {
        return Files.readString(directory.resolve("pid")).strip();
    }

    private long starts() throws IOException {
        return Files.readAllLines(temporary.resolve("starts")).size();
    }

    private static String rights(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
    }

    private static void signal(long pid, String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    private void script(String name, String... lines) throws IOException {
        Path file = tree.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Result run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(launcher().toString()));
        command.addAll(List.of(arguments));
        return run(tree, Map.of(), command.toArray(String[]::new));
    }

    private Result run(Path folder, Map<String, String> environment, String... command) throws Exception {
        Process process = start(folder, environment, command);
        // Both are short enough to wait in the pipe while the other one is read.
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
        return new Result(process.waitFor(), out, err);
    }

    private Process start(Path folder, Map<String, String> environment, String... command) throws IOException {
        // Where this build runs in the background of a shell, interrupts are ignored, which children inherit.
        List<String> words = new ArrayList<>(List.of("env", "--default-signal=INT"));
        words.addAll(List.of(command));
        var builder = new ProcessBuilder(words).directory(folder.toFile());
        builder.environment().put("PVRDMA_EMU", directory.toString());
        builder.environment().putAll(environment);
        return builder.start();
    }
}
