// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Objects by handle. Handles are given out round robin, so that one that was freed is not reused at once, and each use
 * of a handle has a number: keys and queue pair numbers are made of both, and an old one leads nowhere.
 *
 * <p>One writer, the holder of the device's ticket; {@link #get} may be called by any thread.
 *
 * @param <T> what the table holds
 */
final class HandleTable<T> {
    private final AtomicReferenceArray<@Nullable T> slots;
    private final byte[] uses;
    private final int first;
    private int cursor;
    private int count;

    /**
     * A table.
     *
     * @param first the lowest handle given out
     * @param limit handles are below this
     */
    HandleTable(int first, int limit) {
        this.slots = new AtomicReferenceArray<>(limit);
        this.uses = new byte[limit];
        this.first = first;
        this.cursor = first;
    }

    /** A free handle, or -1; it stays free until {@link #put}. */
    int free() {
        int limit = slots.length();
        if (count == limit - first) {
            return -1;
        }
        while (slots.getPlain(cursor) != null) {
            cursor = cursor + 1 == limit ? first : cursor + 1;
        }
        return cursor;
    }

    /** The number, 1 to 255, of the use of a handle that the next {@link #put} begins. */
    int nextUse(int handle) {
        int use = (uses[handle] + 1) & 0xff;
        return use == 0 ? 1 : use;
    }

    /** Fills a free handle. */
    void put(int handle, T object) {
        uses[handle] = (byte) nextUse(handle);
        slots.set(handle, object); // pairs with get(): the object is seen whole
        count++;
        cursor = handle + 1 == slots.length() ? first : handle + 1;
    }

    /** Frees a handle. */
    void remove(int handle) {
        slots.set(handle, null);
        count--;
    }

    /** What a handle stands for; null for any number that is no handle. */
    @Nullable
    T get(int handle) {
        return Integer.compareUnsigned(handle, slots.length()) < 0 ? slots.get(handle) : null;
    }

    /** Number of objects. */
    int size() {
        return count;
    }

    /** Handles are below this. */
    int limit() {
        return slots.length();
    }
}
