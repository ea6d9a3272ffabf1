// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;

import java.lang.foreign.MemorySegment;

/**
 * DESTROY_QP; the driver waits for no response though the interface has one.
 */
public final class DestroyQp {
    /** Bytes of {@code struct pvrdma_cmd_destroy_qp}. */
    public static final int SIZE = 24;

    public static final int QP_HANDLE_OFFSET = 16;

    public static int qpHandle(MemorySegment s, long base) {
        return s.get(INT, base + QP_HANDLE_OFFSET);
    }

    public static void qpHandle(MemorySegment s, long base, int value) {
        s.set(INT, base + QP_HANDLE_OFFSET, value);
    }

    /** Carries the number of asynchronous events reported. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_destroy_qp_resp}. */
        public static final int SIZE = 24;

        public static final int EVENTS_REPORTED_OFFSET = 16;

        public static int eventsReported(MemorySegment s, long base) {
            return s.get(INT, base + EVENTS_REPORTED_OFFSET);
        }

        public static void eventsReported(MemorySegment s, long base, int value) {
            s.set(INT, base + EVENTS_REPORTED_OFFSET, value);
        }

        private Response() {}
    }

    private DestroyQp() {}
}
