// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.BYTE;
import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;
import static org.paraverbs.ffm.lib.Native.SEGMENT;
import static org.paraverbs.ffm.lib.Native.SIZE;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.paraverbs.ffm.struct.IbvContext;
import org.paraverbs.ffm.struct.VerbsContext;

/**
 * Extended completion queues: creating one, and the functions that an {@code ibv_cq_ex} points to, which are all called with
 * it alone but for the first.
 */
public final class ExtendedCompletionVerbs {
    private ExtendedCompletionVerbs() {}

    /** Whether {@link #createCqEx} can be called. */
    public static boolean present(long context) {
        return IbvContext.abiCompat(Native.struct(context, IbvContext.SIZE)) == VerbsContext.PRESENT
                && VerbsContext.createCqEx(extended(context)) != 0;
    }

    /** NULL and {@code errno} if it fails. */
    public static long createCqEx(MemorySegment errno, long context, MemorySegment attributes) {
        long function = VerbsContext.createCqEx(extended(context));
        try {
            return (long) CreateCqEx.HANDLE.invokeExact(MemorySegment.ofAddress(function), errno, context, attributes);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class CreateCqEx {
        static final MethodHandle HANDLE =
                Native.pointerFunction(FunctionDescriptor.of(POINTER, POINTER, SEGMENT), CapturedErrno.CAPTURE);
    }

    private static MemorySegment extended(long context) {
        return Native.struct(context - VerbsContext.REACH, VerbsContext.REACH);
    }

    /** {@code start_poll}: 0, ENOENT if there is nothing, or another error number. */
    public static int startPoll(MemorySegment function, long queue, long attributes) {
        try {
            return (int) Polling.START.invokeExact(function, queue, attributes);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    /** {@code end_poll}. */
    public static void endPoll(MemorySegment function, long queue) {
        try {
            Polling.END.invokeExact(function, queue);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    /** The {@code read_} functions of 32 bits. */
    public static int readInt(MemorySegment function, long queue) {
        try {
            return (int) Polling.READ_INT.invokeExact(function, queue);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    /** The {@code read_} functions of 8 bits. */
    public static byte readByte(MemorySegment function, long queue) {
        try {
            return (byte) Polling.READ_BYTE.invokeExact(function, queue);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    /** The {@code read_} functions of 64 bits. */
    public static long readLong(MemorySegment function, long queue) {
        try {
            return (long) Polling.READ_LONG.invokeExact(function, queue);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Polling {
        static final MethodHandle START = Native.pointerFunction(FunctionDescriptor.of(INT, POINTER, POINTER));
        static final MethodHandle END = Native.pointerFunction(FunctionDescriptor.ofVoid(POINTER));
        static final MethodHandle READ_INT = Native.pointerFunction(FunctionDescriptor.of(INT, POINTER));
        static final MethodHandle READ_BYTE = Native.pointerFunction(FunctionDescriptor.of(BYTE, POINTER));
        static final MethodHandle READ_LONG = Native.pointerFunction(FunctionDescriptor.of(SIZE, POINTER));
    }
}
