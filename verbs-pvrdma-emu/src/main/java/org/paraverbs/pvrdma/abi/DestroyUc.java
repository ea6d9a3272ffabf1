// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * DESTROY_UC; the driver waits for no response.
 */
public final class DestroyUc {
    /** Bytes of {@code struct pvrdma_cmd_destroy_uc}. */
    public static final int SIZE = 24;

    public static final int CTX_HANDLE_OFFSET = 16;

    public static int ctxHandle(MemorySegment s, long base) {
        return s.get(INT, base + CTX_HANDLE_OFFSET);
    }

    public static void ctxHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + CTX_HANDLE_OFFSET, value);
    }

    private DestroyUc() {}
}
