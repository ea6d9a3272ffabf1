// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that are killed, and an emulator that ends under programs. */
class ClientDeathTest extends ServerFixture {
    @Override
    String[] required() {
        return new String[] {"ibv_rc_pingpong", "ibv_asyncwatch", "ib_write_bw"};
    }

    @Test
    void thePeerOfAKilledProgramFailsAndNothingIsLeft() throws Exception {
        // the client writes all the time, so that it has requests under way when its peer dies
        List<CPrograms.Program> pair = pair("ib_write_bw", "-x", "1", "-n", "5000000", "-s", "64");
        awaitClients(2);
        awaitCompletions(1000);
        pair.get(0).process.destroyForcibly();
        assertThat(pair.get(1).await()).as("exit status").isNotZero();
        assertThat(pair.get(1).output()).contains("Completion with error");
        assertNothingIsLeft();
    }

    private void awaitCompletions(long count) throws InterruptedException {
        long before = server.device().statistics().completions();
        while (server.device().statistics().completions() < before + count) {
            Thread.sleep(1);
        }
    }

    @Test
    void programsThatAreKilledAnywhereLeaveNothing() throws Exception {
        Random random = new Random(20_260_101);
        CPrograms.Program[] bystanders =
                pair("ibv_rc_pingpong", "-g", "1", "-n", "3000", "-c").toArray(CPrograms.Program[]::new);
        for (int i = 0; i < 50; i++) {
            CPrograms.Program victim =
                    programs.start("ibv_rc_pingpong", "-g", "1", "-r", "100", "-p", "0", "-s", "8192");
            // some get no further than the dynamic linker, some wait for their peer with everything set up
            long turns = random.nextInt(2_000_000);
            for (long turn = 0; turn < turns && victim.process.isAlive(); turn++) {
                Thread.onSpinWait();
            }
            victim.process.destroyForcibly().waitFor();
        }
        for (CPrograms.Program bystander : bystanders) {
            assertThat(bystander.succeed()).doesNotContain("invalid data");
        }
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-e"})
    void programsNoticeThatTheEmulatorHasEnded(String events) throws Exception {
        String[] command = ("ibv_rc_pingpong -g 1 -n 100000000 " + events).split(" ");
        List<CPrograms.Program> pair = pair(command);
        awaitCompletions(100);
        server.close();
        for (CPrograms.Program program : pair) {
            assertThat(program.await()).as("exit status").isEqualTo(1);
            assertThat(program.output())
                    .containsAnyOf(
                            "poll CQ failed", "Failed to get cq_event", "Couldn't post send", "Couldn't request CQ");
        }
    }

    @Test
    void theEndOfTheEmulatorIsAFatalEventOfTheDevice() throws Exception {
        CPrograms.Program watch = programs.start("ibv_asyncwatch");
        awaitClients(1);
        watch.awaitOutput("async event FD");
        server.close();
        watch.await();
        assertThat(watch.output()).contains("IBV_EVENT_DEVICE_FATAL");
    }
}
