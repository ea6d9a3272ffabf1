// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.ServerSocket;
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
public final class CPrograms implements AutoCloseable {
    /** So long no program takes; only that a test ends depends on it. */
    private static final long TIMEOUT_SECONDS = 120;

    /** Seen from any module: perftest-java has such tests, too. */
    private static final Path LIBRARY = Path.of("../verbs-pvrdma-emu/target/native/libpvrdma-emu.so");

    private final Path directory;
    private final List<Program> programs = new ArrayList<>();
    private final List<Path> outputs = new ArrayList<>();
    private @Nullable Memcheck memcheck;

    /** Programs on the emulator that serves in a directory. */
    public CPrograms(Path directory) throws IOException {
        this.directory = directory;
        if ("all".equals(System.getProperty("paraverbs.memcheck"))) {
            underMemcheck();
        }
    }

    /** From now on programs run under valgrind, and {@link #close} fails if that says something of the preload library. */
    void underMemcheck() throws IOException {
        if (memcheck == null) {
            memcheck = new Memcheck(Files.createDirectories(directory.resolve("memcheck")));
        }
    }

    boolean areUnderMemcheck() {
        return memcheck != null;
    }

    /** Skips the test, or fails it, if one of the programs, or one of the files if a name is a path, is not there. */
    public static void require(String... names) {
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
    public static final class Program implements AutoCloseable {
        public final Process process;
        private final Path output;
        private final List<String> command;

        Program(Process process, Path output, List<String> command) {
            this.process = process;
            this.output = output;
            this.command = command;
        }

        /** What it has printed, on either stream. */
        public String output() throws IOException {
            return Files.readString(output);
        }

        /** Waits for its end; gives its exit status. */
        public int await() throws IOException, InterruptedException {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                fail(command + " does not end; it printed:\n" + output());
            }
            return process.exitValue();
        }

        /** Waits until it has succeeded; gives what it printed. */
        public String succeed() throws IOException, InterruptedException {
            assertThat(await()).as("%s printed:%n%s", command, output()).isZero();
            return output();
        }

        /** Waits until it has printed something. */
        public void awaitOutput(String text) throws IOException, InterruptedException {
            while (!output().contains(text)) {
                if (!process.isAlive() && !output().contains(text)) {
                    fail(command + " ended without \"" + text + "\"; it printed:\n" + output());
                }
                Thread.sleep(5);
            }
        }

        /** Waits until it listens at a port of TCP. */
        public void awaitListening(int port) throws IOException, InterruptedException {
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
    public Program start(String... command) throws IOException {
        return start(Map.of(), command);
    }

    public Program start(Map<String, String> environment, String... command) throws IOException {
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

    /**
     * Starts two processes that take the port of the server by {@code -p}, and the client its name as the last argument.
     *
     * @return the server, which listens already, and the client
     */
    public List<Program> pair(List<String> server, List<String> client) throws IOException, InterruptedException {
        return pair(Map.of(), server, Map.of(), client);
    }

    /** The same in an environment for each. */
    List<Program> pair(
            Map<String, String> serverEnvironment,
            List<String> server,
            Map<String, String> clientEnvironment,
            List<String> client)
            throws IOException, InterruptedException {
        int port = freePort();
        List<String> words = new ArrayList<>(server);
        words.addAll(List.of("-p", Integer.toString(port)));
        Program first = start(serverEnvironment, words.toArray(String[]::new));
        first.awaitListening(port);
        words = new ArrayList<>(client);
        words.addAll(List.of("-p", Integer.toString(port), "127.0.0.1"));
        return List.of(first, start(clientEnvironment, words.toArray(String[]::new)));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** What starts a main class of the test's class path in a JVM of its own. */
    public static List<String> java(String mainClass, String... arguments) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path"),
                mainClass));
        words.addAll(List.of(arguments));
        return words;
    }

    /** Starts an emulator of its own, for tests that have none in their JVM; returns once it serves. */
    public Program startEmulator() throws IOException, InterruptedException {
        Program emulator = start(
                Map.of("LD_PRELOAD", ""),
                java(Main.class.getName(), directory.toString()).toArray(String[]::new));
        emulator.awaitOutput("serving ");
        return emulator;
    }

    /** Lets go of programs that have ended, for tests that start thousands. */
    void forget(List<Program> ended) throws IOException {
        programs.removeAll(ended);
        for (Program program : ended) {
            outputs.remove(program.output);
            Files.deleteIfExists(program.output);
        }
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
