// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.function.IntFunction;
import org.paraverbs.pvrdma.abi.RingState;

/**
 * Rings in words, for debuggers and logs: any thread may ask at any time, so what is read may be in the middle of a change, the
 * guest's memory may be gone and its indices may be anything. Bounded, and never throws.
 */
final class RingText {
    /** Entries that are shown. */
    private static final int SHOWN = 8;

    /**
     * The entries between two indices.
     *
     * @param entry describes the entry in a slot
     */
    static String entries(int tail, int head, int elements, IntFunction<String> entry) {
        if (RingState.isCorrupt(tail, head, elements) || RingState.used(tail, head, elements) > elements) {
            return "corrupt indices " + Integer.toUnsignedString(tail) + " and " + Integer.toUnsignedString(head);
        }
        int used = RingState.used(tail, head, elements);
        StringBuilder text = new StringBuilder().append(used).append(" waiting");
        for (int i = 0; i < Math.min(used, SHOWN); i++) {
            text.append(i == 0 ? " [" : "; ").append(describe(entry, RingState.slot(head + i, elements)));
        }
        if (used > SHOWN) {
            text.append("; and ").append(used - SHOWN).append(" more");
        }
        return used == 0 ? text.toString() : text.append(']').toString();
    }

    private static String describe(IntFunction<String> entry, int slot) {
        try {
            return entry.apply(slot);
        } catch (RuntimeException | InternalError e) {
            return "slot " + slot + " cannot be read";
        }
    }

    private RingText() {}
}
