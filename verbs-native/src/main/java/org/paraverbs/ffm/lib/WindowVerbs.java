// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.paraverbs.ffm.struct.IbvContext;

/** Memory windows: inline functions that call through {@code ibv_context.ops}. */
public final class WindowVerbs {
    private WindowVerbs() {}

    /** NULL and {@code errno} if there are no more. */
    public static long allocateMw(MemorySegment errno, long context, long pd, int type) {
        long function = IbvContext.allocMw(Native.struct(context, IbvContext.SIZE));
        try {
            return (long) AllocateMw.HANDLE.invokeExact(MemorySegment.ofAddress(function), errno, pd, type);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class AllocateMw {
        static final MethodHandle HANDLE =
                Native.pointerFunction(FunctionDescriptor.of(POINTER, POINTER, INT), CapturedErrno.CAPTURE);
    }

    /** 0, or an error number. */
    public static int deallocateMw(long context, long window) {
        long function = IbvContext.deallocMw(Native.struct(context, IbvContext.SIZE));
        try {
            return (int) DeallocateMw.HANDLE.invokeExact(MemorySegment.ofAddress(function), window);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class DeallocateMw {
        static final MethodHandle HANDLE = Native.pointerFunction(FunctionDescriptor.of(INT, POINTER));
    }
}
