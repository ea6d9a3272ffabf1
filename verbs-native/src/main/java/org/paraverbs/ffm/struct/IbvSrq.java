// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_srq}: a shared receive queue, {@code ibv_create_srq(3)}. */
public final class IbvSrq {
    public static final long SIZE = 128;

    private static final long SRQ_CONTEXT = 8;

    private IbvSrq() {}

    /** What we gave when creating it: our slot. */
    public static long srqContext(MemorySegment queue) {
        return queue.get(JAVA_LONG, SRQ_CONTEXT);
    }
}
