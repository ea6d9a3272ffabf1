// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * QUERY_PKEY.
 */
public final class QueryPkey {
    /** Bytes of {@code struct pvrdma_cmd_query_pkey}. */
    public static final int SIZE = 24;

    public static final int PORT_NUM_OFFSET = 16;
    public static final int INDEX_OFFSET = 17;

    public static int portNum(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + PORT_NUM_OFFSET));
    }

    public static void portNum(MemorySegment s, long base, int value) {
        s.set(BYTE, base + PORT_NUM_OFFSET, (byte) value);
    }

    public static int index(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + INDEX_OFFSET));
    }

    public static void index(MemorySegment s, long base, int value) {
        s.set(BYTE, base + INDEX_OFFSET, (byte) value);
    }

    /** Carries the partition key. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_query_pkey_resp}. */
        public static final int SIZE = 24;

        public static final int PKEY_OFFSET = 16;

        public static int pkey(MemorySegment s, long base) {
            return Short.toUnsignedInt(s.get(SHORT, base + PKEY_OFFSET));
        }

        public static void pkey(MemorySegment s, long base, int value) {
            s.set(SHORT, base + PKEY_OFFSET, (short) value);
        }

        private Response() {}
    }

    private QueryPkey() {}
}
