// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Resources of a context by a number that the device carries for us, so that a completion or an event finds its own by an
 * index. Numbers are given again in the order in which they became free, so that one comes back as late as possible.
 */
final class SlotTable<T> {
    private static final int SLOTS_AT_FIRST = 64;

    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private int[] generations = new int[0];

    /** Replaced by a longer copy when it is full, so that readers need no lock. */
    private volatile AtomicReferenceArray<@Nullable T> entries = new AtomicReferenceArray<>(0);

    /**
     * Takes a free slot.
     *
     * @return its number, or -1 if {@link RequestId#SLOT_COUNT} are in use
     */
    synchronized int reserve() {
        if (free.isEmpty() && !grow()) {
            return -1;
        }
        return free.remove();
    }

    /** Gives a slot back that nothing stands in. */
    synchronized void free(int slot) {
        free.add(slot);
    }

    /** A number that this slot has not had for as long as possible. */
    synchronized int nextGeneration(int slot) {
        generations[slot] = generations[slot] + 1 & RequestId.GENERATION_MASK;
        return generations[slot];
    }

    synchronized void put(int slot, T entry) {
        entries.setRelease(slot, entry);
    }

    /** From now on the slot leads nowhere; it is not free yet. */
    synchronized void remove(int slot) {
        entries.setRelease(slot, null);
    }

    /** What stands in a slot; null for nothing, and for numbers that no slot has. */
    @Nullable
    T get(int slot) {
        AtomicReferenceArray<@Nullable T> current = entries;
        // pairs with setRelease in put()
        return slot >= 0 && slot < current.length() ? current.getAcquire(slot) : null;
    }

    /** Shows each entry that stands in a slot. */
    void forEach(Consumer<? super T> action) {
        AtomicReferenceArray<@Nullable T> current = entries;
        for (int slot = 0; slot < current.length(); slot++) {
            T entry = current.getAcquire(slot);
            if (entry != null) {
                action.accept(entry);
            }
        }
    }

    private boolean grow() {
        AtomicReferenceArray<@Nullable T> old = entries;
        int length = Math.min(Math.max(SLOTS_AT_FIRST, old.length() * 2), RequestId.SLOT_COUNT);
        if (length == old.length()) {
            return false;
        }
        AtomicReferenceArray<@Nullable T> longer = new AtomicReferenceArray<>(length);
        for (int slot = 0; slot < old.length(); slot++) {
            longer.setPlain(slot, old.getPlain(slot));
        }
        generations = Arrays.copyOf(generations, length);
        for (int slot = old.length(); slot < length; slot++) {
            free.add(slot);
        }
        entries = longer;
        return true;
    }
}
