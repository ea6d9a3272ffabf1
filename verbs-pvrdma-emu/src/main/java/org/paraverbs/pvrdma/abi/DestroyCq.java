// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * DESTROY_CQ; the driver waits for no response.
 */
public final class DestroyCq {
    /** Bytes of {@code struct pvrdma_cmd_destroy_cq}. */
    public static final int SIZE = 24;

    public static final int CQ_HANDLE_OFFSET = 16;

    public static int cqHandle(MemorySegment s, long base) {
        return s.get(INT, base + CQ_HANDLE_OFFSET);
    }

    public static void cqHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + CQ_HANDLE_OFFSET, value);
    }

    private DestroyCq() {}
}
