// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_xrcd_init_attr}: how to open an XRC domain, {@code ibv_open_xrcd(3)}. */
public final class IbvXrcdInitAttr {
    public static final long SIZE = 12;

    private static final long COMP_MASK = 0;
    private static final long FD = 4;
    private static final long OFLAGS = 8;

    private IbvXrcdInitAttr() {}

    public static void compMask(MemorySegment struct, int value) {
        struct.set(JAVA_INT, COMP_MASK, value);
    }

    public static void fd(MemorySegment struct, int value) {
        struct.set(JAVA_INT, FD, value);
    }

    public static void oflags(MemorySegment struct, int value) {
        struct.set(JAVA_INT, OFLAGS, value);
    }
}
