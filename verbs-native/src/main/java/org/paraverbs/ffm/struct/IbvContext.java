// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct ibv_context}: an open device. The data path has no exported symbols; it goes through the function
 * pointers of {@code ops}, which the provider may set per context.
 */
public final class IbvContext {
    public static final long SIZE = 328;

    private static final long ALLOC_MW = 64;
    private static final long DEALLOC_MW = 80;
    private static final long POLL_CQ = 96;
    private static final long REQ_NOTIFY_CQ = 104;
    private static final long POST_SRQ_RECV = 168;
    private static final long POST_SEND = 208;
    private static final long POST_RECV = 216;
    private static final long CMD_FD = 264;
    private static final long ASYNC_FD = 268;
    private static final long NUM_COMP_VECTORS = 272;
    private static final long ABI_COMPAT = 320;

    private IbvContext() {}

    public static long allocMw(MemorySegment context) {
        return context.get(JAVA_LONG, ALLOC_MW);
    }

    public static long deallocMw(MemorySegment context) {
        return context.get(JAVA_LONG, DEALLOC_MW);
    }

    public static long pollCq(MemorySegment context) {
        return context.get(JAVA_LONG, POLL_CQ);
    }

    public static long reqNotifyCq(MemorySegment context) {
        return context.get(JAVA_LONG, REQ_NOTIFY_CQ);
    }

    public static long postSrqRecv(MemorySegment context) {
        return context.get(JAVA_LONG, POST_SRQ_RECV);
    }

    public static long postSend(MemorySegment context) {
        return context.get(JAVA_LONG, POST_SEND);
    }

    public static long postRecv(MemorySegment context) {
        return context.get(JAVA_LONG, POST_RECV);
    }

    public static int cmdFd(MemorySegment context) {
        return context.get(JAVA_INT, CMD_FD);
    }

    public static int asyncFd(MemorySegment context) {
        return context.get(JAVA_INT, ASYNC_FD);
    }

    public static int numCompVectors(MemorySegment context) {
        return context.get(JAVA_INT, NUM_COMP_VECTORS);
    }

    /** All ones where a {@code verbs_context} stands before this struct; see {@link VerbsContext}. */
    public static long abiCompat(MemorySegment context) {
        return context.get(JAVA_LONG, ABI_COMPAT);
    }
}
