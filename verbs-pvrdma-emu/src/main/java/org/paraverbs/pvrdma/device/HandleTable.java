// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Errno;

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
    private final Limit limit;
    private int first;
    private int cursor;

    /**
     * A table.
     *
     * @param first the lowest handle given out
     * @param slots handles are below this
     * @param limit how many objects there may be, which is told of those that come and go
     */
    HandleTable(int first, int slots, Limit limit) {
        this.slots = new AtomicReferenceArray<>(slots);
        this.uses = new byte[slots];
        this.limit = limit;
        this.first = first;
        this.cursor = first;
    }

    /** Sets the lowest handle given out; the table must be empty. */
    void startAt(int lowest) {
        first = lowest;
        cursor = Math.max(cursor, lowest);
    }

    /** A free handle; it stays free until {@link #put}. Refused when the limit is reached. */
    int free() throws RefusedException {
        limit.requireLeft(1);
        for (int i = first; i < slots.length(); i++) {
            int handle = cursor;
            if (slots.getPlain(handle) == null) {
                return handle;
            }
            cursor = following(handle);
        }
        throw new RefusedException(
                Errno.ENOMEM,
                "no more handles: " + limit.used() + " are in use, and those below " + first
                        + " are not for programs with this version of the interface");
    }

    private int following(int handle) {
        return handle + 1 == slots.length() ? first : handle + 1;
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
        limit.take(1);
        cursor = following(handle);
    }

    /** Puts another object in the place of one; the use of the handle goes on. */
    void replace(int handle, T object) {
        slots.set(handle, object);
    }

    /** Frees a handle. */
    void remove(int handle) {
        slots.set(handle, null);
        limit.give(1);
    }

    /** What a handle stands for; null for any number that is no handle. */
    @Nullable
    T get(int handle) {
        return Integer.compareUnsigned(handle, slots.length()) < 0 ? slots.get(handle) : null;
    }

    /** Handles are below this. */
    int limit() {
        return slots.length();
    }
}
