// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce.wire;

import java.lang.foreign.MemorySegment;

/** The invalidate extended transport header (IBTA volume 1, section 9.3.7): the key that a SEND takes back. */
public final class Ieth {
    /** Bytes of the header. */
    public static final int SIZE = 4;

    public static int rkey(MemorySegment s, long base) {
        return Fields.i32(s, base);
    }

    public static void write(MemorySegment s, long base, int rkey) {
        Fields.i32(s, base, rkey);
    }

    private Ieth() {}
}
