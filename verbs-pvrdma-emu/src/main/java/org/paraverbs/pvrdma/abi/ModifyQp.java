// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * MODIFY_QP; refused with {@code err} in the response header. The only command whose response is a bare
 * header. It carries a {@link QpAttr}, which makes it the longest command.
 */
public final class ModifyQp {
    /** Bytes of {@code struct pvrdma_cmd_modify_qp}. */
    public static final int SIZE = 184;

    public static final int QP_HANDLE_OFFSET = 16;
    public static final int ATTR_MASK_OFFSET = 20;
    public static final int ATTRS_OFFSET = 24;

    public static int qpHandle(MemorySegment s, long base) {
        return s.get(INT, base + QP_HANDLE_OFFSET);
    }

    public static void qpHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + QP_HANDLE_OFFSET, value);
    }

    public static int attrMask(MemorySegment s, long base) {
        return s.get(INT, base + ATTR_MASK_OFFSET);
    }

    public static void attrMask(MemorySegment s, long base, int value) {
        s.set(INT, base + ATTR_MASK_OFFSET, value);
    }

    private ModifyQp() {}
}
