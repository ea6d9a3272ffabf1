// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.function.Supplier;
import org.paraverbs.perftest.wire.Exchange;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;

/** One side of a test from opening the device to closing it. */
final class Run {
    private final Settings settings;
    private final Environment environment;
    private final Report report;
    private final Notes notes;

    Run(Settings settings, Environment environment, Report report, Notes notes) {
        this.settings = settings;
        this.environment = environment;
        this.report = report;
        this.notes = notes;
    }

    /**
     * Runs.
     *
     * @param device is opened for the run
     * @param connection connects to the peer; asked once the device has been found fit
     */
    void on(Device device, Supplier<Exchange> connection) {
        try (Context context = device.open()) {
            LocalPort port = LocalPort.of(context, settings.path(), notes);
            // The exchange is closed first: a peer that still waits then hears of it before the device goes.
            try (Exchange exchange = connection.get()) {
                var session = new Session(settings, environment, port, exchange, report, notes);
                if (settings.program().isBandwidth()) {
                    new BandwidthTest(session).run();
                } else {
                    new LatencyTest(session).run();
                }
            }
        }
    }
}
