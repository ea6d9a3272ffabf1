// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_srq_init_attr_ex}: how to create a shared receive queue, {@code ibv_create_srq_ex(3)}. */
public final class IbvSrqInitAttrEx {
    public static final long SIZE = 64;

    private static final long SRQ_CONTEXT = 0;
    private static final long ATTR = 8;
    private static final long COMP_MASK = 20;
    private static final long SRQ_TYPE = 24;
    private static final long PD = 32;
    private static final long XRCD = 40;
    private static final long CQ = 48;

    private IbvSrqInitAttrEx() {}

    public static void srqContext(MemorySegment struct, long value) {
        struct.set(JAVA_LONG, SRQ_CONTEXT, value);
    }

    public static MemorySegment attr(MemorySegment struct) {
        return struct.asSlice(ATTR, IbvSrqAttr.SIZE);
    }

    public static void compMask(MemorySegment struct, int value) {
        struct.set(JAVA_INT, COMP_MASK, value);
    }

    public static void srqType(MemorySegment struct, int value) {
        struct.set(JAVA_INT, SRQ_TYPE, value);
    }

    public static void pd(MemorySegment struct, long value) {
        struct.set(JAVA_LONG, PD, value);
    }

    public static void xrcd(MemorySegment struct, long value) {
        struct.set(JAVA_LONG, XRCD, value);
    }

    public static void cq(MemorySegment struct, long value) {
        struct.set(JAVA_LONG, CQ, value);
    }
}
