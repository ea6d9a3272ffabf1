// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that are killed, and an emulator that ends under programs. */
class ClientDeathTest extends ServerFixture {
    /** How many programs are killed: the long form is 1000. */
    private static final int KILLED = Integer.getInteger("paraverbs.killed", 100);

    /** Those before what the emulator holds is looked at for the first time. */
    private static final int WARM_UP = 20;

    private static final int BYSTANDERS = 2;

    /** The exit status of who writes to a connection of TCP that is gone. */
    private static final int BROKEN_PIPE = 128 + 13;

    private static final long SEED = 20_260_101;
    private static final String[] ALONE = "ibv_rc_pingpong -g 1 -r 100 -p 0 -s 8192".split(" ", -1);

    private long longestNs;

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

    /**
     * Every other victim is alone, and gets no further than the dynamic linker, or somewhere in setting up, or waits for a peer that
     * never comes; the others have one, which they exchange messages with, polling or asleep. Two that exchange messages all the time
     * are not disturbed.
     */
    @Test
    void programsThatAreKilledAnywhereLeaveNothing() throws Exception {
        Random random = new Random(SEED);
        List<CPrograms.Program> bystanders = bystanders();
        int exchanges = 0;
        Footprint before = null;
        for (int victim = 0; victim < KILLED; victim++) {
            if (victim == WARM_UP) {
                before = footprintOfNobody(bystanders);
                bystanders = bystanders();
            }
            if (victim % 2 == 0) {
                CPrograms.Program alone = programs.start(ALONE);
                kill(alone, random.nextInt(2_000_000));
                programs.forget(List.of(alone));
            } else {
                killOneOfTwo(random, victim % 4 == 1);
            }
            if (bystanders.stream().noneMatch(program -> program.process.isAlive())) {
                assertUndisturbed(bystanders);
                exchanges++;
                programs.forget(bystanders);
                bystanders = bystanders();
            }
        }
        footprintOfNobody(bystanders).assertNoMoreThan(before);
        System.out.printf(
                "KILLED %d programs; %d exchanges of others beside them; a dead one was free after %d ms at most%n",
                KILLED, exchanges + 2, longestNs / 1_000_000);
    }

    /** Called while nobody else is attached. */
    private List<CPrograms.Program> bystanders() throws Exception {
        List<CPrograms.Program> pair = pair("ibv_rc_pingpong", "-g", "1", "-n", "2000", "-c");
        awaitClients(BYSTANDERS);
        return pair;
    }

    private Footprint footprintOfNobody(List<CPrograms.Program> bystanders) throws Exception {
        assertUndisturbed(bystanders);
        assertNothingIsLeft();
        programs.forget(bystanders);
        return Footprint.now();
    }

    /** Lets a program run for so many turns of a loop, and kills it. */
    private static void kill(CPrograms.Program victim, long turns) throws InterruptedException {
        for (long turn = 0; turn < turns && victim.process.isAlive(); turn++) {
            Thread.onSpinWait();
        }
        victim.process.destroyForcibly().waitFor();
    }

    /** The survivor's request, if it has one under way, fails as it does where the other machine has died; or it waits, as there. */
    private void killOneOfTwo(Random random, boolean asleep) throws Exception {
        List<CPrograms.Program> pair =
                pair(("ibv_rc_pingpong -g 1 -n 100000000" + (asleep ? " -e" : "")).split(" ", -1));
        int victim = random.nextInt(2);
        CPrograms.Program survivor = pair.get(1 - victim);
        if (random.nextBoolean()) {
            awaitCompletions(100 + random.nextInt(1000));
        }
        kill(pair.get(victim), random.nextInt(200_000));
        long dead = System.nanoTime();
        if (random.nextBoolean() && survivor.process.waitFor(2, TimeUnit.SECONDS)) {
            String end = survivor.process.exitValue() == BROKEN_PIPE ? "broken pipe" : survivor.output();
            assertThat(end)
                    .containsAnyOf(
                            "broken pipe",
                            "transport retry counter exceeded", // a request was under way
                            "Couldn't connect to", // the others: addresses were being exchanged, by TCP
                            "Couldn't read",
                            "Couldn't send",
                            "accept() failed",
                            "client read",
                            "client write");
        } else {
            survivor.process.destroyForcibly().waitFor();
            dead = System.nanoTime();
        }
        while (server.clients() > BYSTANDERS) {
            Thread.sleep(1);
        }
        longestNs = Math.max(longestNs, System.nanoTime() - dead);
        programs.forget(pair);
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
