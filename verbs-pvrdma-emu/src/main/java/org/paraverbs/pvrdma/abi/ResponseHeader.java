// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * What every response starts with. The driver compares {@code ack} with {@link CommandCode#ack} of its
 * command, and looks at {@code err} after MODIFY_QP only.
 */
public final class ResponseHeader {
    /** Bytes of {@code struct pvrdma_cmd_resp_hdr}. */
    public static final int SIZE = 16;

    public static final int RESPONSE_OFFSET = 0;
    public static final int ACK_OFFSET = 8;
    public static final int ERR_OFFSET = 12;

    public static long response(MemorySegment s, long base) {
        return s.get(LONG, base + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment s, long base, long value) {
        s.set(LONG, base + RESPONSE_OFFSET, value);
    }

    public static int ack(MemorySegment s, long base) {
        return s.get(INT, base + ACK_OFFSET);
    }

    public static void ack(MemorySegment s, long base, int value) {
        s.set(INT, base + ACK_OFFSET, value);
    }

    public static int err(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + ERR_OFFSET));
    }

    public static void err(MemorySegment s, long base, int value) {
        s.set(BYTE, base + ERR_OFFSET, (byte) value);
    }

    private ResponseHeader() {}
}
