// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.contract.EmuDevices;
import org.paraverbs.pvrdma.device.DeviceStatistics.Use;
import org.paraverbs.verbs.Context;

/**
 * Connections come and go under traffic. Four threads post, poll, break, reset, destroy and recreate connections of their own,
 * on completion queues and shared receive queues that are everybody's, so that each polls the completions of all others.
 * What comes is right: the completions of a living queue pair come once each, in order and unchanged; none comes of one that has
 * been destroyed; nobody waits for ever, and nothing is left behind.
 *
 * <p>What a thread does next follows from a seed; how the threads meet does not. {@link ChangingTraffic} has what they do.
 */
class ComingAndGoingTest {
    private static final int THREADS = 4;
    private static final int CONNECTIONS = 6;
    private static final int STEPS = EmuDevices.atScale(4_000_000) / THREADS;

    @Test
    void whateverComesIsOfTheLivingOnceAndInOrder() throws Exception {
        try (EmulatedMachine machine = EmulatedMachine.builder().build()) {
            List<Use> unused = use(machine);
            ChangingTraffic traffic;
            try (Context left = machine.device(0).open();
                    Context right = machine.device(1).open()) {
                traffic = new ChangingTraffic(left, right, THREADS * CONNECTIONS);
                List<Use> withoutConnections = use(machine);
                run(traffic);
                traffic.assertSilent();
                assertThat(use(machine)).as("with queues only").isEqualTo(withoutConnections);
            }
            assertThat(use(machine)).as("with nothing").isEqualTo(unused);
            // otherwise it has not tried what it is for
            assertThat(traffic.created.sum()).as("connections").isGreaterThan(STEPS / 200);
            assertThat(traffic.received.sum()).as("messages").isGreaterThan(STEPS);
            assertThat(traffic.flushed.sum()).as("requests flushed").isGreaterThan(STEPS / 100);
        }
    }

    private static List<Use> use(EmulatedMachine machine) {
        List<Use> all = new ArrayList<>(machine.pvrdmaDevice(0).statistics().use());
        all.addAll(machine.pvrdmaDevice(1).statistics().use());
        return all;
    }

    private static void run(ChangingTraffic traffic) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> workers = new ArrayList<>();
            for (int seed = 0; seed < THREADS; seed++) {
                workers.add(threads.submit(traffic.worker(seed, CONNECTIONS, STEPS)));
            }
            for (Future<?> worker : workers) {
                worker.get();
            }
        }
    }
}
