// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;
import static org.paraverbs.ffm.lib.Native.SEGMENT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Shared receive queues. Creating answers with NULL and {@code errno}, everything else with 0 or an error number. */
public final class SharedReceiveVerbs {
    private SharedReceiveVerbs() {}

    public static long createSrq(MemorySegment errno, long pd, MemorySegment attributes) {
        try {
            return (long) CreateSrq.HANDLE.invokeExact(errno, pd, attributes);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class CreateSrq {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_create_srq", FunctionDescriptor.of(POINTER, POINTER, SEGMENT), CapturedErrno.CAPTURE);
    }

    public static int modifySrq(long queue, MemorySegment attributes, int mask) {
        try {
            return (int) ModifySrq.HANDLE.invokeExact(queue, attributes, mask);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class ModifySrq {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_modify_srq", FunctionDescriptor.of(INT, POINTER, SEGMENT, INT));
    }

    public static int querySrq(long queue, MemorySegment attributes) {
        try {
            return (int) QuerySrq.HANDLE.invokeExact(queue, attributes);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class QuerySrq {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_query_srq", FunctionDescriptor.of(INT, POINTER, SEGMENT));
    }

    /** Waits until all events of the queue that were taken have been acknowledged. */
    public static int destroySrq(long queue) {
        try {
            return (int) DestroySrq.HANDLE.invokeExact(queue);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class DestroySrq {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_destroy_srq", FunctionDescriptor.of(INT, POINTER));
    }
}
