// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_srq_init_attr}: the arguments of {@code ibv_create_srq(3)}. */
public final class IbvSrqInitAttr {
    public static final long SIZE = 24;

    private static final long SRQ_CONTEXT = 0;
    private static final long ATTR = 8;

    private IbvSrqInitAttr() {}

    public static void srqContext(MemorySegment attributes, long value) {
        attributes.set(JAVA_LONG, SRQ_CONTEXT, value);
    }

    public static MemorySegment attr(MemorySegment attributes) {
        return attributes.asSlice(ATTR, IbvSrqAttr.SIZE);
    }
}
