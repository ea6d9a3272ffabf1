// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct verbs_context}: the extended verbs of an open device. It ends with the {@code ibv_context} that the
 * library hands out and grows at its front, so everything is at a fixed negative offset from that pointer, and {@code sz}
 * says how far back one may read. The segment given to the accessors begins at {@link #REACH} bytes before the
 * {@code ibv_context}.
 */
public final class VerbsContext {
    /** How far before the {@code ibv_context} the accessors reach. */
    public static final long REACH = 320;

    /** What {@code ibv_context.abi_compat} holds where this struct is there. */
    public static final long PRESENT = -1;

    private static final long QUERY_PORT = -320;
    private static final long CREATE_CQ_EX = -120;
    private static final long QUERY_DEVICE_EX = -104;
    private static final long CREATE_QP_EX = -56;
    private static final long GET_SRQ_NUM = -48;
    private static final long CREATE_SRQ_EX = -40;
    private static final long OPEN_XRCD = -32;
    private static final long CLOSE_XRCD = -24;
    private static final long SZ = -8;

    private VerbsContext() {}

    /** Whether the whole struct, of the size it gives, has a {@code query_port} ({@code verbs_get_ctx_op} in verbs.h). */
    public static boolean hasQueryPort(MemorySegment context) {
        return sz(context) >= IbvContext.SIZE - QUERY_PORT && queryPort(context) != 0;
    }

    public static long queryPort(MemorySegment context) {
        return context.get(JAVA_LONG, REACH + QUERY_PORT);
    }

    /** Whether the whole struct, of the size it gives, has a {@code query_device_ex}. */
    public static boolean hasQueryDeviceEx(MemorySegment context) {
        return sz(context) >= IbvContext.SIZE - QUERY_DEVICE_EX && queryDeviceEx(context) != 0;
    }

    public static long queryDeviceEx(MemorySegment context) {
        return context.get(JAVA_LONG, REACH + QUERY_DEVICE_EX);
    }

    public static long createCqEx(MemorySegment context) {
        return operation(context, CREATE_CQ_EX);
    }

    public static long createQpEx(MemorySegment context) {
        return operation(context, CREATE_QP_EX);
    }

    public static long getSrqNum(MemorySegment context) {
        return operation(context, GET_SRQ_NUM);
    }

    public static long createSrqEx(MemorySegment context) {
        return operation(context, CREATE_SRQ_EX);
    }

    public static long openXrcd(MemorySegment context) {
        return operation(context, OPEN_XRCD);
    }

    public static long closeXrcd(MemorySegment context) {
        return operation(context, CLOSE_XRCD);
    }

    /** The function pointer, 0 if the whole struct, of the size it gives, does not have it. */
    private static long operation(MemorySegment context, long offset) {
        return sz(context) >= IbvContext.SIZE - offset ? context.get(JAVA_LONG, REACH + offset) : 0;
    }

    public static long sz(MemorySegment context) {
        return context.get(JAVA_LONG, REACH + SZ);
    }
}
