// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * QUERY_SRQ.
 */
public final class QuerySrq {
    /** Bytes of {@code struct pvrdma_cmd_query_srq}. */
    public static final int SIZE = 24;

    public static final int SRQ_HANDLE_OFFSET = 16;

    public static int srqHandle(MemorySegment s, long base) {
        return s.get(INT, base + SRQ_HANDLE_OFFSET);
    }

    public static void srqHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + SRQ_HANDLE_OFFSET, value);
    }

    /** Carries a {@link SrqAttr}. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_query_srq_resp}. */
        public static final int SIZE = 32;

        public static final int ATTRS_OFFSET = 16;

        private Response() {}
    }

    private QuerySrq() {}
}
