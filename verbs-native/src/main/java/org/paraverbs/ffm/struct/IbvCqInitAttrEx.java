// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_cq_init_attr_ex}: how to create a completion queue, {@code ibv_create_cq_ex(3)}. */
public final class IbvCqInitAttrEx {
    public static final long SIZE = 56;

    private static final long CQE = 0;
    private static final long CQ_CONTEXT = 8;
    private static final long CHANNEL = 16;
    private static final long COMP_VECTOR = 24;
    private static final long WC_FLAGS = 32;

    private IbvCqInitAttrEx() {}

    public static void cqe(MemorySegment struct, int value) {
        struct.set(JAVA_INT, CQE, value);
    }

    public static void cqContext(MemorySegment struct, long value) {
        struct.set(JAVA_LONG, CQ_CONTEXT, value);
    }

    public static void channel(MemorySegment struct, long value) {
        struct.set(JAVA_LONG, CHANNEL, value);
    }

    public static void compVector(MemorySegment struct, int value) {
        struct.set(JAVA_INT, COMP_VECTOR, value);
    }

    public static void wcFlags(MemorySegment struct, long value) {
        struct.set(JAVA_LONG, WC_FLAGS, value);
    }
}
