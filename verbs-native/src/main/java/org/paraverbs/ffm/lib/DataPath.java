// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The data path: {@code ibv_poll_cq}, {@code ibv_req_notify_cq}, {@code ibv_post_send}, {@code ibv_post_recv} and
 * {@code ibv_post_srq_recv} are inline functions that call through {@code ibv_context.ops}. One handle each serves all devices; the pointer of the open
 * device is its first argument, a segment without a lifetime, which costs nothing. All other pointers are {@code long}
 * ({@link Native#POINTER}), so <b>nobody checks that they are alive</b>: the caller's gate does.
 *
 * <p>{@code Linker.Option.critical} is not used: it is for calls that return in the time of an empty function, and on rxe
 * posting is a system call, on vmw_pvrdma a register write that leaves the virtual machine.
 */
public final class DataPath {
    private static final MethodHandle POLL_CQ =
            Native.pointerFunction(FunctionDescriptor.of(INT, POINTER, INT, POINTER));
    private static final MethodHandle REQ_NOTIFY_CQ = Native.pointerFunction(FunctionDescriptor.of(INT, POINTER, INT));
    private static final MethodHandle POST =
            Native.pointerFunction(FunctionDescriptor.of(INT, POINTER, POINTER, POINTER));

    private DataPath() {}

    /** The number of completions written to {@code completions}, or a negative number. */
    public static int pollCq(MemorySegment function, long queue, int limit, long completions) {
        try {
            return (int) POLL_CQ.invokeExact(function, queue, limit, completions);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    /** 0, or an error number. */
    public static int requestNotification(MemorySegment function, long queue, int solicitedOnly) {
        try {
            return (int) REQ_NOTIFY_CQ.invokeExact(function, queue, solicitedOnly);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    /**
     * {@code post_send}, {@code post_recv} or {@code post_srq_recv}, which have the same signature.
     *
     * @param function the pointer of the open device
     * @param queue the queue pair or the shared receive queue
     * @param requests the first request; the others follow by {@code next}
     * @param firstRefused where the address of the first request that was not accepted goes
     * @return 0, or an error number
     */
    public static int post(MemorySegment function, long queue, long requests, long firstRefused) {
        try {
            return (int) POST.invokeExact(function, queue, requests, firstRefused);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }
}
