// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.paraverbs.pvrdma.device.DeviceStatistics;

/** A server in this JVM, and programs in C that use its device. */
abstract class ServerFixture {
    @TempDir
    Path directory;

    UverbsServer server;
    CPrograms programs;

    /** What a test of this class cannot do without. */
    abstract String[] required();

    @BeforeEach
    void start() throws IOException {
        CPrograms.require(required());
        server = UverbsServer.start(directory);
        programs = new CPrograms(directory);
    }

    @AfterEach
    void close() throws IOException {
        if (server != null) {
            try {
                programs.close();
            } finally {
                server.close();
            }
        }
    }

    /** Server and client of a program, as {@link CPrograms#pair} starts them. */
    List<CPrograms.Program> pair(String... command) throws IOException, InterruptedException {
        return programs.pair(Arrays.asList(command), Arrays.asList(command));
    }

    /**
     * Waits until both have succeeded. Under valgrind the clock is too uneven for perftest now and then: it does not report, and its
     * peer notices.
     */
    void succeed(List<CPrograms.Program> pair) throws IOException, InterruptedException {
        boolean noReport = false;
        for (CPrograms.Program program : pair) {
            program.await();
            noReport |= programs.areUnderMemcheck() && program.output().contains("Can't produce a report");
        }
        for (CPrograms.Program program : pair) {
            if (!noReport) {
                program.succeed();
            }
        }
    }

    /** Waits until ping-pong programs have succeeded, and found the data that they expect. */
    static void assertUndisturbed(List<CPrograms.Program> bystanders) throws IOException, InterruptedException {
        for (CPrograms.Program bystander : bystanders) {
            assertThat(bystander.succeed()).contains("iters in").doesNotContain("invalid data");
        }
    }

    /** Waits until the emulator has noticed that all programs have ended, and looks whether it has forgotten them. */
    void assertNothingIsLeft() throws InterruptedException {
        awaitClients(0);
        while (server.connections() != 0) {
            Thread.sleep(1);
        }
        DeviceStatistics statistics = server.device().statistics();
        assertThat(statistics.use())
                .allSatisfy(use -> assertThat(use.used()).as(use.limit()).isZero());
    }

    void awaitClients(int count) throws InterruptedException {
        while (server.clients() != count) {
            Thread.sleep(1);
        }
    }
}
