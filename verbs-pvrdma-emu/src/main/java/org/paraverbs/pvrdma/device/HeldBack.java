// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.Cqe;

/**
 * Completions for which a ring had no room, oldest first, in the device's own memory: a ring that doubles as it fills, up to a
 * limit. For the ticket's holder.
 */
final class HeldBack {
    private static final int FIRST_CAPACITY = 64;

    /** Memory for so many is kept for the next time. */
    private static final int MOST_KEPT = 4096;

    private static final MemorySegment NONE = MemorySegment.ofArray(new byte[0]);

    private final int limit;
    private MemorySegment memory = NONE;
    private int capacity;
    private int first;

    /** Read by doorbells of any thread. */
    private volatile int count;

    HeldBack(int limit) {
        this.limit = limit;
    }

    /** Any thread. */
    boolean isEmpty() {
        return count == 0;
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count >= limit;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Offset of the place for one more, which {@link #add} then adds; there must be room. */
    long freeOffset() {
        if (count == capacity) {
            grow();
        }
        return offset(count);
    }

    void add() {
        int before = count; // one writer
        count = before + 1;
    }

    /** Offset of the {@code i}-th oldest. */
    long offset(int i) {
        return (long) (first + i & capacity - 1) * Cqe.SIZE;
    }

    void removeFirst() {
        first = first + 1 & capacity - 1;
        int left = count - 1;
        count = left;
        if (left == 0 && capacity > MOST_KEPT) {
            memory = NONE; // a large burst is over
            capacity = 0;
            first = 0;
        }
    }

    void clear() {
        count = 0;
        memory = NONE;
        capacity = 0;
        first = 0;
    }

    /** Removes the completions of a queue pair. */
    void forget(int queuePair) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            long from = offset(i);
            if ((int) Cqe.qp(memory, from) != queuePair) {
                long to = offset(kept++);
                if (from != to) {
                    MemorySegment.copy(memory, from, memory, to, Cqe.SIZE);
                }
            }
        }
        count = kept;
    }

    private void grow() {
        int more = Math.max(FIRST_CAPACITY, 2 * capacity);
        MemorySegment larger = MemorySegment.ofArray(new long[more * (Cqe.SIZE / Long.BYTES)]);
        for (int i = 0; i < count; i++) {
            MemorySegment.copy(memory, offset(i), larger, (long) i * Cqe.SIZE, Cqe.SIZE);
        }
        memory = larger;
        capacity = more;
        first = 0;
    }
}
