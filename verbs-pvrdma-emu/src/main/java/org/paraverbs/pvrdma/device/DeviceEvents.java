// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * What a device tells a flight recorder. On the data path an event is made only when a recording wants it: {@code PROBE} of a kind
 * answers that without an allocation, and with a constant that the JIT sees through when no recording runs. What comes with every
 * doorbell has to be enabled by name.
 */
final class DeviceEvents {
    private static final String CATEGORY = "Paraverbs";
    private static final String DEVICE = "PVRDMA device";

    /** A command. */
    @Name("org.paraverbs.pvrdma.Command")
    @Label("PVRDMA Command")
    @Category({CATEGORY, DEVICE})
    @StackTrace(false)
    static final class Command extends Event {
        @Label("Device")
        String device = "";

        @Label("Command")
        String command = "";

        @Label("Error Number")
        @Description("0, or why the command was refused")
        int errno;

        @Label("Reason")
        String reason = "";

        void commit(DeviceCore core, String name, int error) {
            if (shouldCommit()) {
                device = core.label;
                command = name;
                errno = error;
                String last = core.counters.lastRefusal;
                reason = error == 0 || last == null ? "" : last;
                commit();
            }
        }
    }

    /** A limit was run into. */
    @Name("org.paraverbs.pvrdma.LimitRefused")
    @Label("PVRDMA Limit Refused")
    @Category({CATEGORY, DEVICE})
    static final class LimitRefused extends Event {
        @Label("Device")
        String device = "";

        @Label("Limit")
        String limit = "";

        @Label("Reason")
        String reason = "";

        static void commit(DeviceCore core, String limit, String reason) {
            LimitRefused event = new LimitRefused();
            if (event.shouldCommit()) {
                event.device = core.label;
                event.limit = limit;
                event.reason = reason;
                event.commit();
            }
        }
    }

    /** A round of work: what doorbells, peers and timers have left for the device since the last. */
    @Name("org.paraverbs.pvrdma.Round")
    @Label("PVRDMA Round")
    @Enabled(false)
    @Category({CATEGORY, DEVICE})
    @StackTrace(false)
    static final class Round extends Event {
        private static final Round PROBE = new Round();

        @Label("Device")
        String device = "";

        @Label("Letters")
        @Description("How often a queue pair was looked at")
        long letters;

        @Label("Completions")
        long completions;

        static boolean isWanted() {
            return PROBE.isEnabled();
        }

        static void commit(DeviceCore core, long letters, long completions) {
            Round event = new Round();
            event.device = core.label;
            event.letters = letters;
            event.completions = completions;
            event.commit();
        }
    }

    /** An interrupt. */
    @Name("org.paraverbs.pvrdma.Interrupt")
    @Label("PVRDMA Interrupt")
    @Enabled(false)
    @Category({CATEGORY, DEVICE})
    @StackTrace(false)
    static final class Interrupt extends Event {
        private static final Interrupt PROBE = new Interrupt();

        @Label("Device")
        String device = "";

        @Label("Vector")
        @Description("0 response, 1 asynchronous event, 2 completion")
        int vector;

        @Label("Things To Tell")
        long news;

        static boolean isWanted() {
            return PROBE.isEnabled();
        }

        static void commit(String device, int vector, long news) {
            Interrupt event = new Interrupt();
            event.device = device;
            event.vector = vector;
            event.news = news;
            event.commit();
        }
    }

    /** A completion that is not successful. */
    @Name("org.paraverbs.pvrdma.FailedCompletion")
    @Label("PVRDMA Failed Completion")
    @Category({CATEGORY, DEVICE})
    @StackTrace(false)
    static final class FailedCompletion extends Event {
        private static final FailedCompletion PROBE = new FailedCompletion();

        @Label("Device")
        String device = "";

        @Label("Completion Queue")
        int completionQueue;

        @Label("Queue Pair Number")
        int qpn;

        @Label("Work Request")
        long wrId;

        @Label("Opcode")
        int opcode;

        @Label("Status")
        int status;

        static boolean isWanted() {
            return PROBE.isEnabled();
        }

        static void commit(DeviceCore core, int completionQueue, int qpn, long wrId, int opcode, int status) {
            FailedCompletion event = new FailedCompletion();
            event.device = core.label;
            event.completionQueue = completionQueue;
            event.qpn = qpn;
            event.wrId = wrId;
            event.opcode = opcode;
            event.status = status;
            event.commit();
        }
    }

    /** A queue pair changed its state. */
    @Name("org.paraverbs.pvrdma.QueuePairState")
    @Label("PVRDMA Queue Pair State")
    @Category({CATEGORY, DEVICE})
    @StackTrace(false)
    static final class QueuePairState extends Event {
        private static final QueuePairState PROBE = new QueuePairState();

        @Label("Device")
        String device = "";

        @Label("Queue Pair Number")
        int qpn;

        @Label("From")
        int from;

        @Label("To")
        int to;

        static boolean isWanted() {
            return PROBE.isEnabled();
        }

        static void commit(DeviceCore core, int qpn, int from, int to) {
            QueuePairState event = new QueuePairState();
            event.device = core.label;
            event.qpn = qpn;
            event.from = from;
            event.to = to;
            event.commit();
        }
    }

    /**
     * A queue pair changed its state. Costs nothing unless a recording wants it.
     *
     * @param from of {@link org.paraverbs.pvrdma.abi.QpState}
     * @param to the same
     */
    static void queuePairState(DeviceCore core, int qpn, int from, int to) {
        if (from != to && QueuePairState.isWanted()) {
            QueuePairState.commit(core, qpn, from, to);
        }
    }

    private DeviceEvents() {}
}
