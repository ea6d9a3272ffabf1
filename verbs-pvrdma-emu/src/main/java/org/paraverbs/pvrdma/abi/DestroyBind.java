// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG_BE;

import java.lang.foreign.MemorySegment;

/**
 * DESTROY_BIND: takes a GID out of the GID table; the driver waits for no response.
 */
public final class DestroyBind {
    /** Bytes of {@code struct pvrdma_cmd_destroy_bind}. */
    public static final int SIZE = 40;

    public static final int INDEX_OFFSET = 16;
    public static final int DEST_GID_OFFSET = 20;

    public static int index(MemorySegment s, long base) {
        return s.get(INT, base + INDEX_OFFSET);
    }

    public static void index(MemorySegment s, long base, int value) {
        s.set(INT, base + INDEX_OFFSET, value);
    }

    public static long destGidHigh(MemorySegment s, long base) {
        return s.get(LONG_BE, base + DEST_GID_OFFSET);
    }

    public static void destGidHigh(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + DEST_GID_OFFSET, value);
    }

    public static long destGidLow(MemorySegment s, long base) {
        return s.get(LONG_BE, base + DEST_GID_OFFSET + 8);
    }

    public static void destGidLow(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + DEST_GID_OFFSET + 8, value);
    }

    private DestroyBind() {}
}
