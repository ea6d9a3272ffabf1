// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * CREATE_UC: a user context with a page of the user access region. The page frame number is 32 bits wide
 * before version 19 and 64 bits from then on.
 */
public final class CreateUc {
    /** Bytes of {@code struct pvrdma_cmd_create_uc}. */
    public static final int SIZE = 24;

    public static final int PFN_OFFSET = 16;
    public static final int PFN64_OFFSET = 16;

    public static int pfn(MemorySegment s, long base) {
        return s.get(INT, base + PFN_OFFSET);
    }

    public static void pfn(MemorySegment s, long base, int value) {
        s.set(INT, base + PFN_OFFSET, value);
    }

    public static long pfn64(MemorySegment s, long base) {
        return s.get(LONG, base + PFN64_OFFSET);
    }

    public static void pfn64(MemorySegment s, long base, long value) {
        s.set(LONG, base + PFN64_OFFSET, value);
    }

    /** Carries the context handle. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_create_uc_resp}. */
        public static final int SIZE = 24;

        public static final int CTX_HANDLE_OFFSET = 16;

        public static int ctxHandle(MemorySegment s, long base) {
            return s.get(INT, base + CTX_HANDLE_OFFSET);
        }

        public static void ctxHandle(MemorySegment s, long base, int value) {
            s.set(INT, base + CTX_HANDLE_OFFSET, value);
        }

        private Response() {}
    }

    private CreateUc() {}
}
