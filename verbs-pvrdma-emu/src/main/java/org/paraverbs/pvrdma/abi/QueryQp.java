// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * QUERY_QP.
 */
public final class QueryQp {
    /** Bytes of {@code struct pvrdma_cmd_query_qp}. */
    public static final int SIZE = 24;

    public static final int QP_HANDLE_OFFSET = 16;
    public static final int ATTR_MASK_OFFSET = 20;

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

    /** Carries a {@link QpAttr}. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_query_qp_resp}. */
        public static final int SIZE = 176;

        public static final int ATTRS_OFFSET = 16;

        private Response() {}
    }

    private QueryQp() {}
}
