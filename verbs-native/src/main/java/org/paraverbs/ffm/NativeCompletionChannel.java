// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.EventVerbs;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.ffm.struct.IbvCompChannel;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.spi.ResourceBase;

/** {@code ibv_comp_channel}. */
final class NativeCompletionChannel extends ResourceBase implements CompletionChannel {
    private final NativeContext context;
    private final long channel;
    private final EventDescriptor events;

    private NativeCompletionChannel(NativeContext context, long channel) {
        super(context, "completion channel of " + context.device().name());
        this.context = context;
        this.channel = channel;
        this.events = new EventDescriptor(toString(), IbvCompChannel.fd(Native.struct(channel, IbvCompChannel.SIZE)));
    }

    static NativeCompletionChannel create(NativeContext context) {
        long channel = NativeCall.nonNull(
                "ibv_create_comp_channel",
                context.device().name(),
                context.advice()::general,
                errno -> ResourceVerbs.createChannel(errno, context.pointer()));
        try {
            return new NativeCompletionChannel(context, channel);
        } catch (RuntimeException e) {
            ResourceVerbs.destroyChannel(channel);
            throw e;
        }
    }

    NativeContext context() {
        return context;
    }

    long pointer() {
        return channel;
    }

    @Override
    public @Nullable CompletionQueue poll() {
        events.enter();
        try {
            return take();
        } finally {
            events.exit();
        }
    }

    @Override
    public @Nullable CompletionQueue await(Duration timeout) throws InterruptedException {
        long deadlineNs = EventDescriptor.deadline(timeout);
        events.enter();
        try {
            while (events.await(deadlineNs)) {
                // Null if another thread was quicker, or the event is that of a queue being closed.
                CompletionQueue queue = take();
                if (queue != null) {
                    return queue;
                }
            }
            return null;
        } finally {
            events.exit();
        }
    }

    private @Nullable CompletionQueue take() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment queue = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment slot = arena.allocate(ValueLayout.JAVA_LONG);
            boolean taken = NativeCall.available(
                    "ibv_get_cq_event",
                    toString(),
                    context.advice()::general,
                    errno -> EventVerbs.getCqEvent(errno, channel, queue, slot));
            if (!taken) {
                return null;
            }
            NativeCompletionQueue notified = context.completionQueues().get((int) slot.get(ValueLayout.JAVA_LONG, 0));
            // At once, so that destroying the queue cannot wait for an acknowledgement that never comes.
            EventVerbs.ackCqEvents(queue.get(ValueLayout.JAVA_LONG, 0), 1);
            return notified;
        }
    }

    @Override
    protected void release() {
        events.close();
        NativeCall.zero(
                "ibv_destroy_comp_channel",
                toString(),
                context.advice()::release,
                () -> ResourceVerbs.destroyChannel(channel));
    }
}
