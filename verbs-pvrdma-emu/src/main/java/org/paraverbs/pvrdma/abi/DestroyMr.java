// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * DESTROY_MR; the driver waits for no response.
 */
public final class DestroyMr {
    /** Bytes of {@code struct pvrdma_cmd_destroy_mr}. */
    public static final int SIZE = 24;

    public static final int MR_HANDLE_OFFSET = 16;

    public static int mrHandle(MemorySegment s, long base) {
        return s.get(INT, base + MR_HANDLE_OFFSET);
    }

    public static void mrHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + MR_HANDLE_OFFSET, value);
    }

    private DestroyMr() {}
}
