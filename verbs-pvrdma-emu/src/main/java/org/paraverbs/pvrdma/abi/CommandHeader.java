// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * What every command starts with. {@code response} is a key that the device hands back.
 */
public final class CommandHeader {
    /** Bytes of {@code struct pvrdma_cmd_hdr}. */
    public static final int SIZE = 16;

    public static final int RESPONSE_OFFSET = 0;
    public static final int CMD_OFFSET = 8;

    public static long response(MemorySegment s, long base) {
        return s.get(LONG, base + RESPONSE_OFFSET);
    }

    public static void response(MemorySegment s, long base, long value) {
        s.set(LONG, base + RESPONSE_OFFSET, value);
    }

    public static int cmd(MemorySegment s, long base) {
        return s.get(INT, base + CMD_OFFSET);
    }

    public static void cmd(MemorySegment s, long base, int value) {
        s.set(INT, base + CMD_OFFSET, value);
    }

    private CommandHeader() {}
}
