// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * CREATE_PD.
 */
public final class CreatePd {
    /** Bytes of {@code struct pvrdma_cmd_create_pd}. */
    public static final int SIZE = 24;

    public static final int CTX_HANDLE_OFFSET = 16;

    public static int ctxHandle(MemorySegment s, long base) {
        return s.get(INT, base + CTX_HANDLE_OFFSET);
    }

    public static void ctxHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + CTX_HANDLE_OFFSET, value);
    }

    /** Carries the protection domain handle. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_create_pd_resp}. */
        public static final int SIZE = 24;

        public static final int PD_HANDLE_OFFSET = 16;

        public static int pdHandle(MemorySegment s, long base) {
            return s.get(INT, base + PD_HANDLE_OFFSET);
        }

        public static void pdHandle(MemorySegment s, long base, int value) {
            s.set(INT, base + PD_HANDLE_OFFSET, value);
        }

        private Response() {}
    }

    private CreatePd() {}
}
