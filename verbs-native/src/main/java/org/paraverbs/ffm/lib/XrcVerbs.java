// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;
import static org.paraverbs.ffm.lib.Native.SEGMENT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.paraverbs.ffm.struct.IbvContext;
import org.paraverbs.ffm.struct.VerbsContext;

/**
 * Extended reliable connections: inline functions that call through {@code verbs_context}. What makes something answers with
 * NULL and {@code errno}, the others with 0 or an error number.
 */
public final class XrcVerbs {
    private static final MethodHandle MAKE =
            Native.pointerFunction(FunctionDescriptor.of(POINTER, POINTER, SEGMENT), CapturedErrno.CAPTURE);

    private XrcVerbs() {}

    /** Whether the library has them all; a provider that does not have them refuses. */
    public static boolean present(long context) {
        if (IbvContext.abiCompat(Native.struct(context, IbvContext.SIZE)) != VerbsContext.PRESENT) {
            return false;
        }
        MemorySegment extended = extended(context);
        return VerbsContext.openXrcd(extended) != 0
                && VerbsContext.closeXrcd(extended) != 0
                && VerbsContext.createSrqEx(extended) != 0
                && VerbsContext.getSrqNum(extended) != 0
                && VerbsContext.createQpEx(extended) != 0;
    }

    public static long openXrcd(MemorySegment errno, long context, MemorySegment attributes) {
        return make(VerbsContext.openXrcd(extended(context)), errno, context, attributes);
    }

    public static long createSrqEx(MemorySegment errno, long context, MemorySegment attributes) {
        return make(VerbsContext.createSrqEx(extended(context)), errno, context, attributes);
    }

    public static long createQpEx(MemorySegment errno, long context, MemorySegment attributes) {
        return make(VerbsContext.createQpEx(extended(context)), errno, context, attributes);
    }

    private static long make(long function, MemorySegment errno, long context, MemorySegment attributes) {
        try {
            return (long) MAKE.invokeExact(MemorySegment.ofAddress(function), errno, context, attributes);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    public static int closeXrcd(long context, long domain) {
        long function = VerbsContext.closeXrcd(extended(context));
        try {
            return (int) CloseXrcd.HANDLE.invokeExact(MemorySegment.ofAddress(function), domain);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class CloseXrcd {
        static final MethodHandle HANDLE = Native.pointerFunction(FunctionDescriptor.of(INT, POINTER));
    }

    public static int getSrqNum(long context, long queue, MemorySegment number) {
        long function = VerbsContext.getSrqNum(extended(context));
        try {
            return (int) GetSrqNum.HANDLE.invokeExact(MemorySegment.ofAddress(function), queue, number);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class GetSrqNum {
        static final MethodHandle HANDLE = Native.pointerFunction(FunctionDescriptor.of(INT, POINTER, SEGMENT));
    }

    private static MemorySegment extended(long context) {
        return Native.struct(context - VerbsContext.REACH, VerbsContext.REACH);
    }
}
