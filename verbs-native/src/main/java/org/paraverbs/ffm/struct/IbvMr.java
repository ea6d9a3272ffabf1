// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_mr}: a registered memory region, {@code ibv_reg_mr(3)}. */
public final class IbvMr {
    public static final long SIZE = 48;

    private static final long ADDR = 16;
    private static final long LENGTH = 24;
    private static final long LKEY = 36;
    private static final long RKEY = 40;

    private IbvMr() {}

    public static long addr(MemorySegment region) {
        return region.get(JAVA_LONG, ADDR);
    }

    public static long length(MemorySegment region) {
        return region.get(JAVA_LONG, LENGTH);
    }

    public static int lkey(MemorySegment region) {
        return region.get(JAVA_INT, LKEY);
    }

    public static int rkey(MemorySegment region) {
        return region.get(JAVA_INT, RKEY);
    }
}
