// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The immediate data extended transport header (IBTA volume 1, section 9.3.6). */
public final class ImmDt {
    /** Bytes of the header. */
    public static final int SIZE = 4;

    public static int immediate(MemorySegment s, long base) {
        return Fields.i32(s, base);
    }

    public static void write(MemorySegment s, long base, int immediate) {
        Fields.i32(s, base, immediate);
    }

    private ImmDt() {}
}
