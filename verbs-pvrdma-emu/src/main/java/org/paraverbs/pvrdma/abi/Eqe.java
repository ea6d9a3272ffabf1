// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * An asynchronous event: {@link EventType} and the handle of what it concerns (the port number for port
 * events).
 */
public final class Eqe {
    /** Bytes of {@code struct pvrdma_eqe}. */
    public static final int SIZE = 8;

    public static final int TYPE_OFFSET = 0;
    public static final int INFO_OFFSET = 4;

    public static int type(MemorySegment s, long base) {
        return s.get(INT, base + TYPE_OFFSET);
    }

    public static void type(MemorySegment s, long base, int value) {
        s.set(INT, base + TYPE_OFFSET, value);
    }

    public static int info(MemorySegment s, long base) {
        return s.get(INT, base + INFO_OFFSET);
    }

    public static void info(MemorySegment s, long base, int value) {
        s.set(INT, base + INFO_OFFSET, value);
    }

    private Eqe() {}
}
