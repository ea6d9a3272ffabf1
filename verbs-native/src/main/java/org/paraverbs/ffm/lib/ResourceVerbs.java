// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;
import static org.paraverbs.ffm.lib.Native.SEGMENT;
import static org.paraverbs.ffm.lib.Native.SHORT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Making and releasing protection domains, completion queues and queue pairs. Each function has a holder
 * class, so that it is linked when first used. What makes something answers with NULL and {@code errno}, what changes or
 * releases something with 0 or an error number.
 */
public final class ResourceVerbs {
    private ResourceVerbs() {}

    public static long allocatePd(MemorySegment errno, long context) {
        try {
            return (long) AllocatePd.HANDLE.invokeExact(errno, context);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class AllocatePd {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_alloc_pd", FunctionDescriptor.of(POINTER, POINTER), CapturedErrno.CAPTURE);
    }

    public static int deallocatePd(long pd) {
        try {
            return (int) DeallocatePd.HANDLE.invokeExact(pd);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class DeallocatePd {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_dealloc_pd", FunctionDescriptor.of(INT, POINTER));
    }

    public static long createChannel(MemorySegment errno, long context) {
        try {
            return (long) CreateChannel.HANDLE.invokeExact(errno, context);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class CreateChannel {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_create_comp_channel", FunctionDescriptor.of(POINTER, POINTER), CapturedErrno.CAPTURE);
    }

    public static int destroyChannel(long channel) {
        try {
            return (int) DestroyChannel.HANDLE.invokeExact(channel);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class DestroyChannel {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_destroy_comp_channel", FunctionDescriptor.of(INT, POINTER));
    }

    public static long createCq(
            MemorySegment errno, long context, int entries, long userContext, long channel, int vector) {
        try {
            return (long) CreateCq.HANDLE.invokeExact(errno, context, entries, userContext, channel, vector);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class CreateCq {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_create_cq",
                FunctionDescriptor.of(POINTER, POINTER, INT, POINTER, POINTER, INT),
                CapturedErrno.CAPTURE);
    }

    /** Waits until all events of the queue that were taken have been acknowledged. */
    public static int destroyCq(long queue) {
        try {
            return (int) DestroyCq.HANDLE.invokeExact(queue);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class DestroyCq {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_destroy_cq", FunctionDescriptor.of(INT, POINTER));
    }

    public static long createQp(MemorySegment errno, long pd, MemorySegment attributes) {
        try {
            return (long) CreateQp.HANDLE.invokeExact(errno, pd, attributes);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class CreateQp {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_create_qp", FunctionDescriptor.of(POINTER, POINTER, SEGMENT), CapturedErrno.CAPTURE);
    }

    public static int modifyQp(long pair, MemorySegment attributes, int mask) {
        try {
            return (int) ModifyQp.HANDLE.invokeExact(pair, attributes, mask);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class ModifyQp {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_modify_qp", FunctionDescriptor.of(INT, POINTER, SEGMENT, INT));
    }

    public static int queryQp(long pair, MemorySegment attributes, int mask, MemorySegment initAttributes) {
        try {
            return (int) QueryQp.HANDLE.invokeExact(pair, attributes, mask, initAttributes);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class QueryQp {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_query_qp", FunctionDescriptor.of(INT, POINTER, SEGMENT, INT, SEGMENT));
    }

    /** Waits until all events of the queue pair that were taken have been acknowledged. */
    public static int destroyQp(long pair) {
        try {
            return (int) DestroyQp.HANDLE.invokeExact(pair);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class DestroyQp {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_destroy_qp", FunctionDescriptor.of(INT, POINTER));
    }

    public static long createAh(MemorySegment errno, long pd, MemorySegment address) {
        try {
            return (long) CreateAh.HANDLE.invokeExact(errno, pd, address);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class CreateAh {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_create_ah", FunctionDescriptor.of(POINTER, POINTER, SEGMENT), CapturedErrno.CAPTURE);
    }

    public static int destroyAh(long handle) {
        try {
            return (int) DestroyAh.HANDLE.invokeExact(handle);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class DestroyAh {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_destroy_ah", FunctionDescriptor.of(INT, POINTER));
    }

    /** 0, or an error number. The provider may still be polled meanwhile only if it says so: most do not. */
    public static int resizeCq(long queue, int entries) {
        try {
            return (int) ResizeCq.HANDLE.invokeExact(queue, entries);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class ResizeCq {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_resize_cq", FunctionDescriptor.of(INT, POINTER, INT));
    }

    /** Joins or leaves a multicast group. 0, or an error number. */
    public static int attachMulticast(long pair, MemorySegment group, short lid) {
        try {
            return (int) AttachMulticast.HANDLE.invokeExact(pair, group, lid);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class AttachMulticast {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_attach_mcast", FunctionDescriptor.of(INT, POINTER, SEGMENT, SHORT));
    }

    /** See {@link #attachMulticast}. */
    public static int detachMulticast(long pair, MemorySegment group, short lid) {
        try {
            return (int) DetachMulticast.HANDLE.invokeExact(pair, group, lid);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class DetachMulticast {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_detach_mcast", FunctionDescriptor.of(INT, POINTER, SEGMENT, SHORT));
    }
}
