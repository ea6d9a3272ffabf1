// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.WorkCompletion;

/** A SEND of 8 bytes to another thread and its SEND back, against the same between two words off the heap. */
public class RoundTrip {

    private static final int BYTES = 8;
    private static final int DEPTH = 64;
    private static final int SIGNALED = 32;

    /** Two threads that answer each other by SENDs. */
    @State(Scope.Thread)
    public static class Sends {
        private Link link;
        private volatile boolean stopped;
        private Thread echo;
        private long sent;

        @Setup(Level.Iteration)
        public void start() {
            link = new Link(DEPTH, BYTES);
            stopped = false;
            fill(link.here);
            fill(link.there);
            echo = Thread.ofPlatform().daemon().start(this::echo);
        }

        private static void fill(Link.Side side) {
            for (int i = 0; i < DEPTH; i++) {
                side.pair.receiveQueue().receive(i).local(side.buffer, 0, BYTES);
            }
            side.pair.receiveQueue().post();
        }

        private void echo() {
            long sent = 0;
            while (!stopped) {
                WorkCompletion completion = link.there.completions.poll();
                if (completion == null) {
                    Thread.onSpinWait();
                } else if (completion.requireSuccess().opcode().isReceive()) {
                    repost(link.there);
                    send(link.there, ++sent);
                }
            }
        }

        private static void repost(Link.Side side) {
            side.pair.receiveQueue().receive(1).local(side.buffer, 0, BYTES);
            side.pair.receiveQueue().post();
        }

        /** Asks for a completion now and then, as programs do that care for latency. */
        private static void send(Link.Side side, long number) {
            SendWorkRequest request = side.pair.sendQueue().send(number).local(side.buffer, 0, BYTES);
            if (number % SIGNALED == 0) {
                request.signaled();
            }
            side.pair.sendQueue().post();
        }

        @TearDown(Level.Iteration)
        public void stop() throws InterruptedException {
            stopped = true;
            echo.join();
            link.close();
        }
    }

    @Benchmark
    public long send(Sends sends) {
        Link.Side here = sends.link.here;
        Sends.send(here, ++sends.sent);
        while (true) {
            WorkCompletion completion = here.await();
            if (completion.opcode().isReceive()) {
                Sends.repost(here);
                return completion.byteLength();
            }
        }
    }

    /** Two threads that answer each other through two words, each on a cache line of its own. */
    @State(Scope.Thread)
    public static class Words {
        private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
        private static final long ANSWER = 256;
        private static final long STOP = -1;

        private MemorySegment words;
        private Thread echo;
        private long round;

        @Setup(Level.Iteration)
        public void start() {
            words = Arena.ofAuto().allocate(2 * ANSWER, ANSWER);
            round = 0;
            echo = Thread.ofPlatform().daemon().start(this::echo);
        }

        private void echo() {
            long seen = 0;
            while (true) {
                long asked = (long) WORD.getAcquire(words, 0L);
                if (asked == STOP) {
                    return;
                }
                if (asked != seen) {
                    seen = asked;
                    WORD.setRelease(words, ANSWER, asked);
                } else {
                    Thread.onSpinWait();
                }
            }
        }

        @TearDown(Level.Iteration)
        public void stop() throws InterruptedException {
            WORD.setRelease(words, 0L, STOP);
            echo.join();
        }
    }

    /** The baseline. */
    @Benchmark
    public long word(Words words) {
        long asked = ++words.round;
        Words.WORD.setRelease(words.words, 0L, asked);
        while ((long) Words.WORD.getAcquire(words.words, Words.ANSWER) != asked) {
            Thread.onSpinWait();
        }
        return asked;
    }
}
