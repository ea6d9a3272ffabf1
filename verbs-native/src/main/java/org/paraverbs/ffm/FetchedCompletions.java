// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.paraverbs.ffm.struct.IbvWc;

/**
 * Memory for completions that were fetched from the library: an array of {@code ibv_wc}, which the library writes, and behind
 * it the timestamp of each, for which that struct has no field. Freed by the collector, so that a completion that was handed
 * out may be read a little longer.
 */
final class FetchedCompletions {
    private static final long ENTRY = IbvWc.SIZE + Long.BYTES;

    private FetchedCompletions() {}

    static MemorySegment allocate(int count) {
        return Arena.ofAuto().allocate(count * ENTRY, Long.BYTES);
    }

    /** The timestamp of the completion at an offset. */
    static long timestamp(MemorySegment completions, long at) {
        return completions.get(JAVA_LONG, timestampAt(completions, at));
    }

    static void timestamp(MemorySegment completions, long at, long value) {
        completions.set(JAVA_LONG, timestampAt(completions, at), value);
    }

    private static long timestampAt(MemorySegment completions, long at) {
        return completions.byteSize() / ENTRY * IbvWc.SIZE + at / IbvWc.SIZE * Long.BYTES;
    }

    static void copy(MemorySegment from, long at, MemorySegment to, long target) {
        MemorySegment.copy(from, at, to, target, IbvWc.SIZE);
        timestamp(to, target, timestamp(from, at));
    }
}
