// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs all benchmarks several times in turn, so that what disturbs the machine disturbs all alike, and prints each with
 * its baseline as a ratio.
 */
public final class Report {

    /** What is compared with what. */
    private record Row(String name, String measured, String baseline) {}

    private static final List<Row> ROWS = List.of(
            new Row("WRITE of 1 MiB / copy of 1 MiB", "LargeWrite.write", "LargeWrite.copy"),
            new Row("WRITE of 8 bytes, lists of 64 / copy of 8 bytes", "SmallWrites.write", "SmallWrites.copy"),
            new Row("WRITE of 8 bytes, one by one / copy of 8 bytes", "SmallWrites.writeSingly", "SmallWrites.copy"),
            new Row("SEND round trip / round trip of words", "RoundTrip.send", "RoundTrip.word"));

    /** JMH is older than this option, and an older JVM needs it not. */
    private static final String UNSAFE_WITHOUT_WARNING = "--sun-misc-unsafe-memory-access=allow";

    private Report() {}

    /**
     * Prints the report on standard output.
     *
     * @param arguments how often to run all; 5 if missing
     * @throws RunnerException if a benchmark failed
     */
    public static void main(String[] arguments) throws RunnerException {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
        Map<String, double[]> times = measure(rounds, TimeValue.seconds(1), 1);
        System.out.printf(
                "%s, JDK %s, %d processors; %d rounds; nanoseconds per operation: median [least, most]%n",
                System.getProperty("os.arch"),
                System.getProperty("java.version"),
                Runtime.getRuntime().availableProcessors(),
                rounds);
        for (Row row : ROWS) {
            System.out.println(line(row, times));
        }
    }

    /** Runs all benchmarks as often; the answer has their times, sorted, by name. */
    static Map<String, double[]> measure(int rounds, TimeValue length, int forks) throws RunnerException {
        Map<String, List<Double>> times = new TreeMap<>();
        for (int round = 0; round < rounds; round++) {
            var options = new OptionsBuilder()
                    .include("org\\.paraverbs\\.bench\\..*")
                    .mode(Mode.AverageTime)
                    .timeUnit(TimeUnit.NANOSECONDS)
                    .forks(forks)
                    .jvmArgs("-XX:+UseSerialGC", "-XX:+IgnoreUnrecognizedVMOptions", UNSAFE_WITHOUT_WARNING)
                    .warmupIterations(3)
                    .warmupTime(length)
                    .measurementIterations(3)
                    .measurementTime(length)
                    .shouldFailOnError(true)
                    .verbosity(VerboseMode.SILENT)
                    .build();
            for (RunResult result : new Runner(options).run()) {
                times.computeIfAbsent(shortName(result.getParams()), name -> new ArrayList<>())
                        .add(result.getPrimaryResult().getScore());
            }
        }
        Map<String, double[]> sorted = new TreeMap<>();
        times.forEach((name, values) -> sorted.put(
                name, values.stream().mapToDouble(Double::doubleValue).sorted().toArray()));
        return sorted;
    }

    private static String shortName(BenchmarkParams params) {
        String name = params.getBenchmark();
        return name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1);
    }

    private static String line(Row row, Map<String, double[]> times) {
        double[] measured = times.get(row.measured());
        double[] baseline = times.get(row.baseline());
        if (measured == null || baseline == null) {
            throw new IllegalStateException("not measured: " + row + " in " + times.keySet());
        }
        return String.format(
                Locale.ROOT,
                "%-50s %s / %s = %.2f; %.1f million per second",
                row.name(),
                spread(measured),
                spread(baseline),
                median(measured) / median(baseline),
                1000 / median(measured));
    }

    private static String spread(double[] sorted) {
        return String.format(Locale.ROOT, "%.1f [%.1f, %.1f]", median(sorted), sorted[0], sorted[sorted.length - 1]);
    }

    private static double median(double[] sorted) {
        return Arrays.stream(sorted, (sorted.length - 1) / 2, sorted.length / 2 + 1)
                .average()
                .orElseThrow();
    }
}
