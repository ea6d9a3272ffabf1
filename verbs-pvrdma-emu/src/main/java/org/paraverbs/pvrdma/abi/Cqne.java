// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * A completion notification: the handle of a completion queue.
 */
public final class Cqne {
    /** Bytes of {@code struct pvrdma_cqne}. */
    public static final int SIZE = 4;

    public static final int INFO_OFFSET = 0;

    public static int info(MemorySegment s, long base) {
        return s.get(INT, base + INFO_OFFSET);
    }

    public static void info(MemorySegment s, long base, int value) {
        s.set(INT, base + INFO_OFFSET, value);
    }

    private Cqne() {}
}
