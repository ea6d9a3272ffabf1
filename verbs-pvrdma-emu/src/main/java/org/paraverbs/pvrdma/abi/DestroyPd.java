// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * DESTROY_PD; the driver waits for no response.
 */
public final class DestroyPd {
    /** Bytes of {@code struct pvrdma_cmd_destroy_pd}. */
    public static final int SIZE = 24;

    public static final int PD_HANDLE_OFFSET = 16;

    public static int pdHandle(MemorySegment s, long base) {
        return s.get(INT, base + PD_HANDLE_OFFSET);
    }

    public static void pdHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + PD_HANDLE_OFFSET, value);
    }

    private DestroyPd() {}
}
