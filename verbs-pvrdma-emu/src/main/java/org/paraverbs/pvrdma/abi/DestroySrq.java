// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * DESTROY_SRQ.
 */
public final class DestroySrq {
    /** Bytes of {@code struct pvrdma_cmd_destroy_srq}. */
    public static final int SIZE = 24;

    public static final int SRQ_HANDLE_OFFSET = 16;

    public static int srqHandle(MemorySegment s, long base) {
        return s.get(INT, base + SRQ_HANDLE_OFFSET);
    }

    public static void srqHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + SRQ_HANDLE_OFFSET, value);
    }

    private DestroySrq() {}
}
