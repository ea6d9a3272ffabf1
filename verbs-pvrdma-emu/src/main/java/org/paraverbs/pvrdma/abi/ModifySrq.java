// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * MODIFY_SRQ; the Linux driver sends it for {@link #LIMIT} only.
 */
public final class ModifySrq {
    /** Bytes of {@code struct pvrdma_cmd_modify_srq}. */
    public static final int SIZE = 40;

    public static final int SRQ_HANDLE_OFFSET = 16;
    public static final int ATTR_MASK_OFFSET = 20;
    public static final int ATTRS_OFFSET = 24;

    /** {@code IBV_SRQ_MAX_WR} in the mask. */
    public static final int MAX_WR = 0x1;

    /** {@code IBV_SRQ_LIMIT} in the mask. */
    public static final int LIMIT = 0x2;

    public static int srqHandle(MemorySegment s, long base) {
        return s.get(INT, base + SRQ_HANDLE_OFFSET);
    }

    public static void srqHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + SRQ_HANDLE_OFFSET, value);
    }

    public static int attrMask(MemorySegment s, long base) {
        return s.get(INT, base + ATTR_MASK_OFFSET);
    }

    public static void attrMask(MemorySegment s, long base, int value) {
        s.set(INT, base + ATTR_MASK_OFFSET, value);
    }

    private ModifySrq() {}
}
