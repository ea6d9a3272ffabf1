// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.wire.ExchangePair;
import org.paraverbs.perftest.wire.PeerException;
import org.paraverbs.verbs.Device;

/** Server and client in one process, each in a thread; the client's output is the one that is printed. */
final class Loopback {
    private final Settings settings;
    private final Environment environment;
    private final Report report;
    private final Notes notes;

    Loopback(Settings settings, Environment environment, Report report, Notes notes) {
        this.settings = settings;
        this.environment = environment;
        this.report = report;
        this.notes = notes;
    }

    void run(Device clientDevice, Device serverDevice) {
        ExchangePair pair = ExchangePair.create();
        var failure = new AtomicReference<@Nullable RuntimeException>();
        var server = new Thread(() -> serve(serverDevice, pair, failure), "perftest-server");
        server.start();
        try {
            new Run(settings, environment, report, notes).on(clientDevice, pair::client);
        } catch (RuntimeException e) {
            pair.client().close();
            join(server);
            throw cause(e, failure.get());
        } finally {
            // Whatever ended the client, the server must not wait for it.
            pair.client().close();
        }
        join(server);
        RuntimeException ofServer = failure.get();
        if (ofServer != null) {
            throw ofServer;
        }
    }

    private void serve(Device device, ExchangePair pair, AtomicReference<@Nullable RuntimeException> failure) {
        try (var nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            var own = new Environment(
                    environment.clock(),
                    environment.waiting(),
                    environment.random(),
                    environment.stop(),
                    new Progress());
            // Whatever there is to remark the client remarks too.
            new Run(settings, own, new Report(settings, nowhere), note -> {}).on(device, pair::server);
        } catch (RuntimeException e) {
            failure.set(e);
        } finally {
            pair.server().close();
        }
    }

    /** When one side fails, the other one only sees it leave: the reason is the failure that is not that. */
    private static RuntimeException cause(RuntimeException ofClient, @Nullable RuntimeException ofServer) {
        boolean serverFailedFirst = ofServer != null
                && !(ofServer instanceof PeerException)
                && !(ofServer instanceof StoppedException)
                && ofClient instanceof PeerException;
        return serverFailedFirst ? ofServer : ofClient;
    }

    private static void join(Thread server) {
        try {
            server.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PerftestException("interrupted while waiting for the loopback's server");
        }
    }
}
