// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.InterruptVector;

/**
 * What a device has done since it was made, and how much of its limits is in use: a snapshot, taken between two rounds of
 * work. Counts are not set back when the device is reset.
 *
 * @param doorbells doorbells by kind
 * @param responses interrupts of vector 0, responses to commands
 * @param asynchronousEvents interrupts of vector 1
 * @param completionNotifications interrupts of vector 2
 * @param completions completions that were put in completion queues
 * @param failedCompletions how many of them were not successful
 * @param heldBack how many of them had to wait for room ({@link HostPolicy#cqGrows})
 * @param events asynchronous events that were told
 * @param lostEvents asynchronous events for which the driver's ring had no room
 * @param commands commands by name, such as {@code CREATE_QP}; those never sent are left out. Codes that are none are under
 *     {@code unknown}
 * @param refusedControls writes to DSRHIGH, CTL and REQUEST that were refused before a command was looked at
 * @param lastRefusal why the last command or control write was refused; null if none was
 * @param internalErrors faults of the emulator itself, which it has logged and gone on without; there must be none
 * @param use limits of which there is an amount in use
 */
public record DeviceStatistics(
        Doorbells doorbells,
        Interrupts responses,
        Interrupts asynchronousEvents,
        Interrupts completionNotifications,
        long completions,
        long failedCompletions,
        long heldBack,
        long events,
        long lostEvents,
        Map<String, Commands> commands,
        long refusedControls,
        @Nullable String lastRefusal,
        long internalErrors,
        List<Use> use) {

    /** Makes the collections unmodifiable. */
    public DeviceStatistics {
        commands = Map.copyOf(commands);
        use = List.copyOf(use);
    }

    /**
     * Doorbells that were rung, by kind.
     *
     * @param sends work requests in a send queue
     * @param receives work requests in a receive queue
     * @param sharedReceives work requests in a shared receive queue
     * @param arms notification requests for any completion
     * @param solicitedArms notification requests for solicited completions
     * @param emptyPolls polls that found a completion queue empty
     * @param ignored writes that are no doorbell, or ring for what is not there or not the page's
     */
    public record Doorbells(
            long sends,
            long receives,
            long sharedReceives,
            long arms,
            long solicitedArms,
            long emptyPolls,
            long ignored) {

        /** {@return all of them: each is a trap into the hypervisor on the real device} */
        public long total() {
            return sends + receives + sharedReceives + arms + solicitedArms + emptyPolls + ignored;
        }
    }

    /**
     * Interrupts of a vector.
     *
     * @param raised interrupts that the guest got
     * @param suppressed reasons for an interrupt that moderation left for a later one
     * @param masked interrupts held back because the guest had masked them; what is unmasked is raised then
     */
    public record Interrupts(long raised, long suppressed, long masked) {}

    /**
     * Commands of a code.
     *
     * @param sent how often it was sent
     * @param refused how many of these were refused
     */
    public record Commands(long sent, long refused) {}

    /**
     * How much of a limit is in use.
     *
     * @param limit its name
     * @param used what this device's guest has
     * @param elsewhere what others have
     * @param max how much there is
     * @param option the option of {@link DeviceConfiguration} that raises it
     */
    public record Use(String limit, long used, long elsewhere, long max, String option) {}

    /** {@return how much of a limit is in use}
     *
     * @param limit its name, such as {@code max_qp}
     * @throws IllegalArgumentException if there is no such limit
     */
    public Use use(String limit) {
        return use.stream()
                .filter(one -> one.limit().equals(limit))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no limit " + limit + " among " + use));
    }

    /** {@return completions for each completion interrupt; 0 if there was no interrupt} */
    public double completionsPerInterrupt() {
        long raised = completionNotifications.raised;
        return raised == 0 ? 0 : (double) completions / raised;
    }

    /** {@return commands and control writes that were refused} */
    public long refusals() {
        return refusedControls
                + commands.values().stream().mapToLong(Commands::refused).sum();
    }

    /** Takes the snapshot; for the ticket's holder. */
    static DeviceStatistics of(DeviceCore core) {
        Counters counters = core.counters;
        return new DeviceStatistics(
                new Doorbells(
                        counters.doorbells(Counters.SEND),
                        counters.doorbells(Counters.RECEIVE),
                        counters.doorbells(Counters.SHARED_RECEIVE),
                        counters.doorbells(Counters.ARM),
                        counters.doorbells(Counters.ARM_SOLICITED),
                        counters.doorbells(Counters.POLL),
                        counters.doorbells(Counters.IGNORED)),
                core.interrupts.statistics(InterruptVector.RESPONSE),
                core.interrupts.statistics(InterruptVector.ASYNC),
                core.interrupts.statistics(InterruptVector.CQ),
                counters.completions,
                counters.failedCompletions,
                counters.heldBack,
                counters.events,
                counters.lostEvents,
                commands(counters),
                counters.refusedControls,
                counters.lastRefusal,
                counters.internalErrors,
                core.limits.use());
    }

    private static Map<String, Commands> commands(Counters counters) {
        Map<String, Commands> sent = new TreeMap<>();
        for (int code = 0; code <= CommandCode.MAX; code++) {
            if (counters.commands[code] != 0) {
                sent.put(
                        code < CommandCode.MAX ? CommandCode.name(code) : "unknown",
                        new Commands(counters.commands[code], counters.refusedCommands[code]));
            }
        }
        return sent;
    }
}
