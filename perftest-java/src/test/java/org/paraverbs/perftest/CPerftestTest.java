// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paraverbs.pvrdma.front.uverbs.CPrograms;

/**
 * The programs in Java against those in C, as Debian ships them: two processes that both use libibverbs and its vmw_pvrdma
 * provider, on one emulated device.
 */
@Timeout(300)
class CPerftestTest {
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Pattern RESULT = Pattern.compile("^ *\\d+(?:\\s+-?(?:[\\d.]+|nan))+\\s*$");
    private static final Pattern ADDRESS = Pattern.compile("VAddr 0x([0-9a-f]+)");

    @TempDir
    static Path directory;

    private static CPrograms emulators;
    private static CPrograms.Program emulator;

    private CPrograms programs;

    /** Not before all tests: those skipped there would not be counted, nor their reason told. */
    @BeforeEach
    void start() throws Exception {
        CPrograms.require("ib_write_bw", "ib_send_lat");
        if (emulators == null) {
            emulators = new CPrograms(directory);
            emulator = emulators.startEmulator();
        }
        assertThat(emulator.process.isAlive()).as(emulator.output()).isTrue();
        programs = new CPrograms(directory);
    }

    @AfterEach
    void endPrograms() throws IOException {
        if (programs != null) {
            programs.close();
        }
    }

    @AfterAll
    static void endEmulator() throws IOException {
        if (emulators != null) {
            emulators.close();
        }
    }

    /** Which side is the one in Java. */
    enum Direction {
        JAVA_CLIENT,
        JAVA_SERVER;

        List<CPrograms.Program> start(CPrograms programs, List<String> java, List<String> c) throws Exception {
            return this == JAVA_CLIENT ? programs.pair(c, java) : programs.pair(java, c);
        }
    }

    /**
     * Both sides end with 0 and print as many results as there are sizes, of that many messages. Of a bandwidth test the
     * results are the same: each side prints what it read from the other.
     */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "JAVA_CLIENT, ib_write_bw, 5000,  1,  '',        -",
                "JAVA_SERVER, ib_write_bw, 5000,  1,  '',        -",
                "JAVA_CLIENT, ib_write_bw, 20,    23, -a -n 20,  -",
                "JAVA_SERVER, ib_write_bw, 20,    23, -a -n 20,  -",
                "JAVA_CLIENT, ib_write_bw, 20000, 1,  -q 4,      -",
                "JAVA_SERVER, ib_write_bw, 20000, 1,  -q 4,      -",
                "JAVA_CLIENT, ib_write_bw, 5000,  1,  -b,        -",
                "JAVA_SERVER, ib_write_bw, 5000,  1,  -b,        -",
                // The program in C knows -e, but refuses it.
                "JAVA_CLIENT, ib_write_bw, 5000,  1,  '',        -e",
                "JAVA_SERVER, ib_write_bw, 5000,  1,  '',        -e",
                "JAVA_CLIENT, ib_send_lat, 200,   1,  -n 200,    -",
                "JAVA_SERVER, ib_send_lat, 200,   1,  -n 200,    -",
                "JAVA_CLIENT, ib_send_lat, 100,   1,  -e -n 100, -",
                "JAVA_SERVER, ib_send_lat, 100,   1,  -e -n 100, -",
            })
    void agree(Direction direction, String program, String iterations, int results, String options, String javaOnly)
            throws Exception {
        List<CPrograms.Program> pair = direction.start(
                programs,
                join(CPrograms.java(Main.class.getName(), program), options, javaOnly == null ? "" : javaOnly),
                join(List.of(program), options));
        List<List<String>> ofClient = results(pair.getLast());
        List<List<String>> ofServer = results(pair.getFirst());

        assertThat(ofClient)
                .hasSize(results)
                .allSatisfy(
                        columns -> assertThat(columns.get(1)).as("iterations").isEqualTo(iterations));
        // The average bandwidth, which for a few bytes is printed as 0.00, or the longest latency.
        assertThat(Double.parseDouble(ofClient.getLast().get(3))).isPositive();
        // Of many sizes, the server of a one-way test prints the last one.
        assertThat(ofServer).isNotEmpty();
        if (Program.of(program).isBandwidth()) {
            assertThat(ofServer.getLast()).isEqualTo(ofClient.getLast());
        }
    }

    /** What is written arrives: looked up in the memory of both processes, while they run. */
    @ParameterizedTest
    @ValueSource(strings = {"JAVA_CLIENT", "JAVA_SERVER"})
    void theBytesAreThoseOfThePeer(Direction direction) throws Exception {
        int size = 65536;
        String options = "-N -n 100000000 -s " + size;
        List<String> javaProgram = join(CPrograms.java(Main.class.getName(), "ib_write_bw"), options);
        List<CPrograms.Program> pair = direction.start(programs, javaProgram, join(List.of("ib_write_bw"), options));
        CPrograms.Program client = pair.getLast();
        CPrograms.Program server = pair.getFirst();

        // The program in C prints nothing before its end, where its output is a file.
        CPrograms.Program java = direction == Direction.JAVA_CLIENT ? client : server;
        java.awaitOutput("#bytes");
        Matcher addresses = ADDRESS.matcher(java.output());
        assertThat(addresses.find()).isTrue();
        long ofJava = Long.parseLong(addresses.group(1), 16);
        assertThat(addresses.find()).isTrue();
        long ofC = Long.parseLong(addresses.group(1), 16);
        long source = (java == client ? ofJava : ofC) - size; // the half for sending lies before the other one
        long target = java == client ? ofC : ofJava;

        // One half in C is filled at random, the one in Java with zeros: they are not equal by chance.
        try {
            while (!Arrays.equals(read(client, source, size), read(server, target, size))) {
                Thread.sleep(5);
            }
        } catch (IOException e) {
            throw new AssertionError("Has one ended?\n" + client.output() + server.output(), e);
        }
    }

    private static byte[] read(CPrograms.Program program, long address, int size) throws IOException {
        byte[] bytes = new byte[size];
        try (var memory = new RandomAccessFile("/proc/" + program.process.pid() + "/mem", "r")) {
            memory.seek(address);
            memory.readFully(bytes);
        }
        return bytes;
    }

    private static List<String> join(List<String> command, String... options) {
        List<String> words = new ArrayList<>(command);
        for (String option : options) {
            words.addAll(option.isEmpty() ? List.of() : List.of(BLANKS.split(option, -1)));
        }
        return words;
    }

    /** The lines of numbers that a program prints before it succeeds. */
    private static List<List<String>> results(CPrograms.Program program) throws Exception {
        String output = program.succeed();
        assertThat(output).contains("Device         : vmw_pvrdma0\n");
        return output.lines()
                .filter(RESULT.asMatchPredicate())
                .map(line -> List.of(BLANKS.split(line.strip(), -1)))
                .toList();
    }
}
