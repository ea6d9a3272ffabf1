// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_async_event}: an asynchronous event, {@code ibv_get_async_event(3)}. */
public final class IbvAsyncEvent {
    public static final long SIZE = 16;

    private static final long CQ = 0;
    private static final long QP = 0;
    private static final long SRQ = 0;
    private static final long PORT_NUM = 0;
    private static final long EVENT_TYPE = 8;

    private IbvAsyncEvent() {}

    public static long cq(MemorySegment event) {
        return event.get(JAVA_LONG, CQ);
    }

    public static long qp(MemorySegment event) {
        return event.get(JAVA_LONG, QP);
    }

    public static long srq(MemorySegment event) {
        return event.get(JAVA_LONG, SRQ);
    }

    public static int portNum(MemorySegment event) {
        return event.get(JAVA_INT, PORT_NUM);
    }

    public static int eventType(MemorySegment event) {
        return event.get(JAVA_INT, EVENT_TYPE);
    }
}
