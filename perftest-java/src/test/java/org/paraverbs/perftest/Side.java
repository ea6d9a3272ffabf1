// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.time.Clock;
import org.paraverbs.perftest.time.RealTime;
import org.paraverbs.perftest.wire.Exchange;
import org.paraverbs.verbs.Device;

/** One side of a test, run in a thread of its own or in the caller's, with all that it printed. */
final class Side {
    final Stop stop = new Stop();
    final Progress progress = new Progress();
    final List<String> notes = new CopyOnWriteArrayList<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Settings settings;
    private final Environment environment;
    private @Nullable Thread thread;
    private volatile @Nullable Throwable failure;

    Side(Program program, String... arguments) {
        this(RealTime.clock(), program, arguments);
    }

    Side(Clock clock, Program program, String... arguments) {
        var nowhere = new PrintStream(new ByteArrayOutputStream(), true, UTF_8);
        settings = Objects.requireNonNull(new CommandLineParser(program, nowhere, nowhere).parse(arguments));
        environment = new Environment(clock, RealTime::waiting, new Random(), stop, progress);
    }

    /** Runs in the caller's thread. */
    void run(Device device, Supplier<Exchange> connection) {
        var report = new Report(settings, new PrintStream(out, true, UTF_8));
        new Run(settings, environment, report, notes::add).on(device, connection);
    }

    Side start(Device device, Supplier<Exchange> connection) {
        thread = Thread.ofPlatform().start(() -> {
            try {
                run(device, connection);
            } catch (RuntimeException | Error e) {
                failure = e;
            }
        });
        return this;
    }

    /** Waits for the end and gives what ended it before its time, or null. */
    @Nullable
    Throwable join() throws InterruptedException {
        Objects.requireNonNull(thread).join();
        return failure;
    }

    String printed() {
        return out.toString(UTF_8);
    }

    /** The lines between the columns' names and the next rule. */
    List<String> results() {
        String all = printed();
        int header = all.lastIndexOf(" #bytes");
        String body = all.substring(all.indexOf('\n', header) + 1);
        return body.lines().takeWhile(line -> !line.startsWith("----")).toList();
    }

    Settings settings() {
        return settings;
    }
}
