// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The atomic acknowledge extended transport header (IBTA volume 1, section 9.5.3): what was there before. */
public final class AtomicAckEth {
    /** Bytes of the header. */
    public static final int SIZE = 8;

    public static long original(MemorySegment s, long base) {
        return Fields.i64(s, base);
    }

    public static void write(MemorySegment s, long base, long original) {
        Fields.i64(s, base, original);
    }

    private AtomicAckEth() {}
}
