// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_qp}: a queue pair, {@code ibv_create_qp(3)}. */
public final class IbvQp {
    public static final long SIZE = 160;

    private static final long QP_CONTEXT = 8;
    private static final long HANDLE = 48;
    private static final long QP_NUM = 52;

    private IbvQp() {}

    public static int handle(MemorySegment pair) {
        return pair.get(JAVA_INT, HANDLE);
    }

    public static int qpNum(MemorySegment pair) {
        return pair.get(JAVA_INT, QP_NUM);
    }

    /** What we gave when creating it: our slot. */
    public static long qpContext(MemorySegment pair) {
        return pair.get(JAVA_LONG, QP_CONTEXT);
    }
}
