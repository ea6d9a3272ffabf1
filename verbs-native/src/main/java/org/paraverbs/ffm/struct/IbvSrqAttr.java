// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_srq_attr}: the sizes and the limit of a shared receive queue, {@code ibv_modify_srq(3)}. */
public final class IbvSrqAttr {
    public static final long SIZE = 12;

    private static final long MAX_WR = 0;
    private static final long MAX_SGE = 4;
    private static final long SRQ_LIMIT = 8;

    private IbvSrqAttr() {}

    public static int maxWr(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_WR);
    }

    public static void maxWr(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, MAX_WR, value);
    }

    public static int maxSge(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_SGE);
    }

    public static void maxSge(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, MAX_SGE, value);
    }

    public static int srqLimit(MemorySegment attributes) {
        return attributes.get(JAVA_INT, SRQ_LIMIT);
    }

    public static void srqLimit(MemorySegment attributes, int value) {
        attributes.set(JAVA_INT, SRQ_LIMIT, value);
    }
}
