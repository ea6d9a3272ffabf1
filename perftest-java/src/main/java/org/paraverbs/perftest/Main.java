// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.time.Clock;
import org.paraverbs.perftest.time.RealTime;
import org.paraverbs.perftest.wire.Exchange;
import org.paraverbs.perftest.wire.PeerException;
import org.paraverbs.perftest.wire.TcpExchange;
import org.paraverbs.verbs.VerbsException;

/**
 * The programs' entry: the first argument is the program's name, the others are its own. The launchers in {@code bin} call
 * it so.
 */
public final class Main {
    /** Set by the launchers when standard error is a terminal, which Java cannot tell of itself. */
    private static final String TERMINAL_PROPERTY = "org.paraverbs.perftest.terminal";

    /** How long Ctrl-C waits for the loops to print what they have. */
    private static final int STOP_SECONDS = 3;

    private final Program program;
    private final PrintStream out;
    private final PrintStream err;
    private final Stop stop = new Stop();

    private Main(Program program, PrintStream out, PrintStream err) {
        this.program = program;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs a program and ends the JVM with its exit status: 0, or 1 and 17 as the C programs have them, 130 after Ctrl-C.
     *
     * @param arguments the program's name, then its arguments
     */
    public static void main(String[] arguments) {
        int status = run(System.out, System.err, true, arguments);
        if (status != 0) {
            System.exit(status);
        }
    }

    /**
     * Runs a program inside a running JVM.
     *
     * @param endsOnSignal whether Ctrl-C ends the measurement; only for a JVM of its own
     * @return the exit status
     */
    static int run(PrintStream out, PrintStream err, boolean endsOnSignal, String... arguments) {
        if (arguments.length == 0) {
            err.println("name a program: " + Arrays.toString(Program.values()));
            return PerftestException.FAILED;
        }
        try {
            var main = new Main(Program.of(arguments[0]), out, err);
            return main.guarded(endsOnSignal, Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (PerftestException e) {
            err.println(e.getMessage());
            return e.exitStatus();
        }
    }

    private int guarded(boolean endsOnSignal, String... arguments) {
        try {
            Settings settings = new CommandLineParser(program, out, err).parse(arguments);
            if (settings != null) {
                if (endsOnSignal) {
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop.request(STOP_SECONDS)));
                }
                run(settings);
            }
            return 0;
        } catch (StoppedException e) {
            err.println(program.commandName() + ": " + e.getMessage());
            // The JVM is on its way down already and gives the signal's status; a call to exit would wait for ever.
            return 0;
        } catch (PerftestException e) {
            err.println(program.commandName() + ": " + e.getMessage());
            return e.exitStatus();
        } catch (PeerException | VerbsException e) {
            err.println(program.commandName() + ": " + e.getMessage());
            return PerftestException.FAILED;
        } finally {
            out.flush();
            stop.reported();
        }
    }

    private void run(Settings settings) {
        Notes notes = note -> err.println(program.commandName() + ": " + note);
        var report = new Report(settings, out);
        var progress = new Progress();
        var environment = new Environment(RealTime.clock(), RealTime::waiting, new Random(), stop, progress);
        Settings.Rendezvous rendezvous = settings.rendezvous();
        DeviceChoice devices = DeviceChoice.of(settings.path().device(), rendezvous.loopback(), notes);
        try (@Nullable
                ProgressLine _ = Boolean.getBoolean(TERMINAL_PROPERTY) ? new ProgressLine(progress, err) : null) {
            if (rendezvous.loopback()) {
                new Loopback(settings, environment, report, notes).run(devices.own(), devices.loopbackServer());
                if (devices.own().emulated()) {
                    notes.add(
                            "The figures are the emulator's, a copy inside this process: they say nothing of a network.");
                }
            } else {
                new Run(settings, environment, report, notes)
                        .on(devices.own(), () -> connect(rendezvous, report, environment.clock()));
            }
        }
    }

    private static Exchange connect(Settings.Rendezvous rendezvous, Report report, Clock clock) {
        String server = rendezvous.server();
        if (server != null) {
            return TcpExchange.connect(server, rendezvous.port(), clock);
        }
        try (TcpExchange.Listener listener = TcpExchange.listen(rendezvous.port())) {
            report.waitingForClient();
            return listener.accept(clock);
        }
    }
}
