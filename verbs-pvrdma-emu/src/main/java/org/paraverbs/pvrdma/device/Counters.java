// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;

/**
 * What a device counts. Plain fields are the ticket holder's; doorbells are counted by the thread that rings, in one of several
 * cache lines, so that threads that ring at the same time seldom meet.
 */
final class Counters {
    /** Kinds of doorbells. */
    static final int SEND = 0;

    static final int RECEIVE = 1;
    static final int SHARED_RECEIVE = 2;
    static final int ARM = 3;
    static final int ARM_SOLICITED = 4;
    static final int POLL = 5;
    static final int IGNORED = 6;

    /** Two cache lines of 64 bytes: neighbours are fetched in pairs, and the array does not begin on a line. */
    private static final int STRIPE = 16;

    private static final int STRIPES = 16;
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** The first stripe is not used: it shares a line with the array's header. */
    private final long[] doorbells = new long[STRIPE * (1 + STRIPES)];

    /** By code; the last is for codes that are none. */
    final long[] commands = new long[CommandCode.MAX + 1];

    final long[] refusedCommands = new long[CommandCode.MAX + 1];
    long refusedControls;
    long completions;
    long failedCompletions;
    long heldBack;
    long events;
    long lostEvents;
    long internalErrors;
    long letters;

    @Nullable
    String lastRefusal;

    /** Counts a doorbell. Any thread. */
    void doorbell(int kind) {
        int stripe = 1 + ((int) Thread.currentThread().threadId() & STRIPES - 1);
        CELL.getAndAddRelease(doorbells, stripe * STRIPE + kind, 1L);
    }

    /** Doorbells of a kind. Any thread; those that ring meanwhile may be missing. */
    long doorbells(int kind) {
        long sum = 0;
        for (int stripe = 1; stripe <= STRIPES; stripe++) {
            sum += (long) CELL.getAcquire(doorbells, stripe * STRIPE + kind);
        }
        return sum;
    }

    /** The index of a command in the arrays. */
    static int index(int code) {
        return code >= 0 && code < CommandCode.MAX ? code : CommandCode.MAX;
    }
}
