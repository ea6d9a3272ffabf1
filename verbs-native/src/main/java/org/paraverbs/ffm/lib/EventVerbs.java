// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;
import static org.paraverbs.ffm.lib.Native.SEGMENT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Taking and acknowledging events. Taking one blocks unless the descriptor was made non-blocking; it answers with 0, or
 * with -1 and {@code errno}.
 */
public final class EventVerbs {
    private EventVerbs() {}

    public static int getCqEvent(MemorySegment errno, long channel, MemorySegment queue, MemorySegment userContext) {
        try {
            return (int) GetCqEvent.HANDLE.invokeExact(errno, channel, queue, userContext);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class GetCqEvent {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_get_cq_event", FunctionDescriptor.of(INT, POINTER, SEGMENT, SEGMENT), CapturedErrno.CAPTURE);
    }

    public static void ackCqEvents(long queue, int count) {
        try {
            AckCqEvents.HANDLE.invokeExact(queue, count);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class AckCqEvents {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_ack_cq_events", FunctionDescriptor.ofVoid(POINTER, INT));
    }

    public static int getAsyncEvent(MemorySegment errno, long context, MemorySegment event) {
        try {
            return (int) GetAsyncEvent.HANDLE.invokeExact(errno, context, event);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class GetAsyncEvent {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_get_async_event", FunctionDescriptor.of(INT, POINTER, SEGMENT), CapturedErrno.CAPTURE);
    }

    public static void ackAsyncEvent(MemorySegment event) {
        try {
            AckAsyncEvent.HANDLE.invokeExact(event);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class AckAsyncEvent {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_ack_async_event", FunctionDescriptor.ofVoid(SEGMENT));
    }
}
