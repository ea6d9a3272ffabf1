// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_cq}: a completion queue, {@code ibv_create_cq(3)}. */
public final class IbvCq {
    public static final long SIZE = 128;

    private static final long CQ_CONTEXT = 16;
    private static final long CQE = 28;

    private IbvCq() {}

    /** The number of entries really there, at least what was asked for. */
    public static int cqe(MemorySegment queue) {
        return queue.get(JAVA_INT, CQE);
    }

    /** What we gave when creating it: our slot. */
    public static long cqContext(MemorySegment queue) {
        return queue.get(JAVA_LONG, CQ_CONTEXT);
    }
}
