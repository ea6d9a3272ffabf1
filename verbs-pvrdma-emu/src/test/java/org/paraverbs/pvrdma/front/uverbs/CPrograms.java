// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs in C, as Debian ships them, on the emulated device. Where they or the preload library are missing, tests are
 * skipped, unless the system property {@code paraverbs.c-programs} is {@code required}, as it is in CI.
 */
final class CPrograms implements AutoCloseable {
    /** So long no program takes; only that a test ends depends on it. */
    private static final long TIMEOUT_SECONDS = 120;

    private static final Path LIBRARY = Path.of("target/native/libpvrdma-emu.so");

    private final Path directory;
    private final List<Program> programs = new ArrayList<>();
    private final List<Path> outputs = new ArrayList<>();
    private @Nullable Memcheck memcheck;

    /** Programs on the emulator that serves in a directory. */
    CPrograms(Path directory) throws IOException {
        this.directory = directory;
        if ("all".equals(System.getProperty("paraverbs.memcheck"))) {
            underMemcheck();
        }
    }

    /** From now on programs run under valgrind, and {@link #close} fails if that says something of the preload library. */
    void underMemcheck() throws IOException {
        if (memcheck == null) {
            memcheck = new Memcheck(Files.createDirectory(directory.resolve("memcheck")));
        }
    }

    boolean areUnderMemcheck() {
        return memcheck != null;
    }

    /** Skips the test, or fails it, if one of the programs, or one of the files if a name is a path, is not there. */
    static void require(String... names) {
        List<String> missing = new ArrayList<>();
        if (!Files.exists(LIBRARY)) {
            missing.add("the preload library, which needs gcc and libibverbs-dev when Maven runs");
        }
        for (String name : names) {
            if (name.contains("/") ? !Files.exists(Path.of(name)) : find(name) == null) {
                missing.add(name);
            }
        }
        if (!missing.isEmpty()) {
            String reason = "missing: " + String.join(", ", missing)
                    + " (native/install-debian-packages.sh c-interop installs what is needed)";
            if ("required".equals(System.getProperty("paraverbs.c-programs"))) {
                fail(reason);
            }
            abort(reason);
        }
    }

    private static @Nullable Path find(String name) {
        for (String entry : System.getenv("PATH").split(":", -1)) {
            Path candidate = Path.of(entry, name);
            if (Files.isExecutable(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    /** A program that runs, or has run. */
    static final class Program implements AutoCloseable {
        final Process process;
        private final Path output;
        private final List<String> command;

        Program(Process process, Path output, List<String> command) {
            this.process = process;
            this.output = output;
            this.command = command;
        }

        /** What it has printed, on either stream. */
        String output() throws IOException {
            return Files.readString(output);
        }

        /** Waits for its end; gives its exit status. */
        int await() throws IOException, InterruptedException {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                fail(command + " does not end; it printed:\n" + output());
            }
            return process.exitValue();
        }

        /** Waits until it has succeeded; gives what it printed. */
        String succeed() throws IOException, InterruptedException {
            assertThat(await()).as("%s printed:%n%s", command, output()).isZero();
            return output();
        }

        /** Waits until it has printed something. */
        void awaitOutput(String text) throws IOException, InterruptedException {
            while (!output().contains(text)) {
                if (!process.isAlive() && !output().contains(text)) {
                    fail(command + " ended without \"" + text + "\"; it printed:\n" + output());
                }
                Thread.sleep(5);
            }
        }

        /** Waits until it listens at a port of TCP. */
        void awaitListening(int port) throws IOException, InterruptedException {
            String local = String.format(":%04X ", port);
            while (!isListening(local)) {
                if (!process.isAlive()) {
                    fail(command + " ended without listening; it printed:\n" + output());
                }
                Thread.sleep(5);
            }
        }

        /** The columns of proc(5): number, local address, remote address, state, of which 0A is that of a listener. */
        private static boolean isListening(String local) throws IOException {
            for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
                for (String line : Files.readAllLines(Path.of(table))) {
                    if (line.contains(local) && line.indexOf(local) < 50 && line.contains(" 0A ")) {
                        return true;
                    }
                }
            }
            return false;
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    /** Starts a program on the emulator. */
    Program start(String... command) throws IOException {
        return start(Map.of(), command);
    }

    Program start(Map<String, String> environment, String... command) throws IOException {
        Path output = Files.createTempFile("c-program", ".txt");
        outputs.add(output);
        List<String> words = memcheck == null ? List.of(command) : memcheck.around(List.of(command));
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("LD_PRELOAD", LIBRARY.toAbsolutePath().toString());
        builder.environment().put("PVRDMA_EMU", directory.toString());
        builder.environment().putAll(environment);
        Program program = new Program(builder.start(), output, List.of(command));
        programs.add(program);
        return program;
    }

    /** Ends what still runs. */
    @Override
    public void close() throws IOException {
        programs.forEach(Program::close);
        for (Path output : outputs) {
            Files.deleteIfExists(output);
        }
        if (memcheck != null && !programs.isEmpty()) {
            assertThat(memcheck.complaints()).as("what valgrind says").isEmpty();
        }
    }
}
