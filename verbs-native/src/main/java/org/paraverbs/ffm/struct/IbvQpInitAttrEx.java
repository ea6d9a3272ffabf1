// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_qp_init_attr_ex}: how to create a queue pair, {@code ibv_create_qp_ex(3)}. */
public final class IbvQpInitAttrEx {
    public static final long SIZE = 136;

    private static final long QP_CONTEXT = 0;
    private static final long QP_TYPE = 52;
    private static final long COMP_MASK = 60;
    private static final long XRCD = 72;

    private IbvQpInitAttrEx() {}

    public static void qpContext(MemorySegment struct, long value) {
        struct.set(JAVA_LONG, QP_CONTEXT, value);
    }

    public static void qpType(MemorySegment struct, int value) {
        struct.set(JAVA_INT, QP_TYPE, value);
    }

    public static void compMask(MemorySegment struct, int value) {
        struct.set(JAVA_INT, COMP_MASK, value);
    }

    public static void xrcd(MemorySegment struct, long value) {
        struct.set(JAVA_LONG, XRCD, value);
    }
}
