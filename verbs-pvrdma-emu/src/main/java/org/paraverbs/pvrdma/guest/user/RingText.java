// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.Sge;

/** Rings in words, for people who look at them in a debugger or a log. Bounded, whatever the ring holds. */
final class RingText {
    private static final int MOST_REQUESTS = 8;
    private static final int MOST_ELEMENTS = 4;

    /**
     * A ring with what its producer has published and its consumer has not taken.
     *
     * @param index where its indices are
     * @param request a work request by its index
     */
    static String of(String description, MemorySegment rings, long index, int entries, IntFunction<String> request) {
        try {
            int tail = RingState.prodTail(rings, index);
            int head = RingState.consHead(rings, index);
            if (RingState.isCorrupt(tail, head, entries) || RingState.used(tail, head, entries) > entries) {
                return description + ": corrupt indices, tail " + Integer.toUnsignedString(tail) + " and head "
                        + Integer.toUnsignedString(head) + " of " + entries + " entries";
            }
            int pending = RingState.used(tail, head, entries);
            StringBuilder text = new StringBuilder(description)
                    .append(": ")
                    .append(pending)
                    .append(" of ")
                    .append(entries)
                    .append(" pending");
            for (int i = 0; i < Math.min(pending, MOST_REQUESTS); i++) {
                text.append(i == 0 ? ": " : "; ").append(request.apply(head + i));
            }
            return pending > MOST_REQUESTS
                    ? text.append("; and ")
                            .append(pending - MOST_REQUESTS)
                            .append(" more")
                            .toString()
                    : text.toString();
        } catch (IllegalStateException e) {
            return description + ": closed"; // its memory has been freed
        }
    }

    /**
     * The elements of a request.
     *
     * @param count as it lies in the ring
     * @param room bytes that there are for elements
     */
    static String elements(MemorySegment rings, long at, int count, int room) {
        StringBuilder text = new StringBuilder();
        int shown = Math.min(Math.min(count, MOST_ELEMENTS), room / Sge.SIZE);
        for (int i = 0; i < shown; i++) {
            long element = at + (long) i * Sge.SIZE;
            text.append(i == 0 ? ", " : " + ")
                    .append(Integer.toUnsignedString(Sge.length(rings, element)))
                    .append(" bytes at 0x")
                    .append(Long.toHexString(Sge.addr(rings, element)))
                    .append(" lkey 0x")
                    .append(Integer.toHexString(Sge.lkey(rings, element)));
        }
        return count > shown
                ? text.append(" + ")
                        .append(count - shown)
                        .append(" more elements")
                        .toString()
                : text.toString();
    }

    private RingText() {}
}
