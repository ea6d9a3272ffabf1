// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;

import java.lang.foreign.MemorySegment;

/**
 * QUERY_PORT.
 */
public final class QueryPort {
    /** Bytes of {@code struct pvrdma_cmd_query_port}. */
    public static final int SIZE = 24;

    public static final int PORT_NUM_OFFSET = 16;

    public static int portNum(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + PORT_NUM_OFFSET));
    }

    public static void portNum(MemorySegment s, long base, int value) {
        s.set(BYTE, base + PORT_NUM_OFFSET, (byte) value);
    }

    /** Carries a {@link PortAttr}. */
    public static final class Response {
        /** Bytes of {@code struct pvrdma_cmd_query_port_resp}. */
        public static final int SIZE = 64;

        public static final int ATTRS_OFFSET = 16;

        private Response() {}
    }

    private QueryPort() {}
}
