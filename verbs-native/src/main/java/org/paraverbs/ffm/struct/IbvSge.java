// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_sge}: a scatter/gather element: a piece of a registered region. */
public final class IbvSge {
    public static final long SIZE = 16;

    private static final long ADDR = 0;
    private static final long LENGTH = 8;
    private static final long LKEY = 12;

    private IbvSge() {}

    public static long addr(MemorySegment elements, long at) {
        return elements.get(JAVA_LONG, at + ADDR);
    }

    public static void addr(MemorySegment elements, long at, long value) {
        elements.set(JAVA_LONG, at + ADDR, value);
    }

    public static int length(MemorySegment elements, long at) {
        return elements.get(JAVA_INT, at + LENGTH);
    }

    public static void length(MemorySegment elements, long at, int value) {
        elements.set(JAVA_INT, at + LENGTH, value);
    }

    public static int lkey(MemorySegment elements, long at) {
        return elements.get(JAVA_INT, at + LKEY);
    }

    public static void lkey(MemorySegment elements, long at, int value) {
        elements.set(JAVA_INT, at + LKEY, value);
    }
}
