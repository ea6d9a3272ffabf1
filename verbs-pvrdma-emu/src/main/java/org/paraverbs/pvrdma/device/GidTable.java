// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.util.Arrays;

/**
 * The GIDs of the device's port, as CREATE_BIND and DESTROY_BIND set them. Written by the ticket's holder; any thread
 * may look.
 */
final class GidTable {
    private static final Entry EMPTY = new Entry(0, 0);

    private record Entry(long high, long low) {
        boolean isBound() {
            return (high | low) != 0;
        }
    }

    private final int length;
    private volatile Entry[] entries;

    GidTable(int length) {
        this.length = length;
        this.entries = empty();
    }

    private Entry[] empty() {
        Entry[] none = new Entry[length];
        Arrays.fill(none, EMPTY);
        return none;
    }

    boolean isIndex(int index) {
        return Integer.compareUnsigned(index, length) < 0;
    }

    /** Whether an index holds a GID. */
    boolean isBound(int index) {
        return isIndex(index) && entries[index].isBound();
    }

    /** Puts a GID at an index; the zero GID empties it. */
    void set(int index, long high, long low) {
        Entry[] changed = entries.clone();
        changed[index] = new Entry(high, low);
        entries = changed;
    }

    /** Whether an index holds this GID. */
    boolean holds(int index, long high, long low) {
        Entry entry = entries[index];
        return entry.isBound() && entry.high == high && entry.low == low;
    }

    /** The high half of the GID at an index. */
    long high(int index) {
        return entries[index].high;
    }

    /** The low half of the GID at an index. */
    long low(int index) {
        return entries[index].low;
    }

    boolean contains(long high, long low) {
        for (Entry entry : entries) {
            if (entry.isBound() && entry.high == high && entry.low == low) {
                return true;
            }
        }
        return false;
    }

    void clear() {
        entries = empty();
    }
}
