// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.LibC;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.XrcVerbs;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvXrcdInitAttr;
import org.paraverbs.ffm.struct.LinuxConstants;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.XrcDomain;
import org.paraverbs.verbs.spi.ResourceBase;

/** {@code ibv_xrcd}. */
final class NativeXrcDomain extends ResourceBase implements XrcDomain {
    /** The domain of no file. */
    private static final int NO_FILE = -1;

    private final NativeContext context;
    private final long xrcd;

    private NativeXrcDomain(NativeContext context, long xrcd) {
        super(context, "XRC domain of " + context.device().name());
        this.context = context;
        this.xrcd = xrcd;
    }

    static NativeXrcDomain open(NativeContext context, @Nullable Path file) {
        if (file == null) {
            return open(context, NO_FILE, context.device().name());
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(file.toString());
            int descriptor = NativeCall.nonNegative(
                    "ibv_open_xrcd",
                    file.toString(),
                    errno ->
                            "the file that the domain is shared by cannot be opened: it has to exist, and to be readable",
                    errno -> LibC.open(errno, path, LinuxConstants.O_RDONLY | LinuxConstants.O_CLOEXEC));
            try {
                return open(
                        context, descriptor, file + " on " + context.device().name());
            } finally {
                LibC.close(descriptor); // the kernel holds the file for as long as it needs it
            }
        }
    }

    private static NativeXrcDomain open(NativeContext context, int descriptor, String object) {
        try (Arena arena = Arena.ofConfined()) {
            return new NativeXrcDomain(context, open(arena, context.pointer(), descriptor, object, context.advice()));
        }
    }

    /** Opens one, for who closes it: {@code ibv_open_xrcd}. */
    static long open(Arena arena, long ibvContext, int descriptor, String object, @Nullable Advice advice) {
        MemorySegment attributes = arena.allocate(IbvXrcdInitAttr.SIZE, Long.BYTES);
        IbvXrcdInitAttr.compMask(
                attributes, IbvConstants.IBV_XRCD_INIT_ATTR_FD | IbvConstants.IBV_XRCD_INIT_ATTR_OFLAGS);
        IbvXrcdInitAttr.fd(attributes, descriptor);
        IbvXrcdInitAttr.oflags(attributes, LinuxConstants.O_CREAT);
        return NativeCall.nonNull(
                "ibv_open_xrcd",
                object,
                errno -> advice == null ? "" : advice.general(errno),
                errno -> XrcVerbs.openXrcd(errno, ibvContext, attributes));
    }

    /** The {@code ibv_xrcd}, valid inside {@link #whileOpen} and until dependents are closed. */
    long pointer() {
        return xrcd;
    }

    @Override
    public QueuePair createReceivingQueuePair() {
        return create(() -> QueuePairCreation.receivingFor(context, this));
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(
            ProtectionDomain domain, CompletionQueue completions, int receives, int elements) {
        if (!(domain instanceof NativeProtectionDomain ourDomain) || ourDomain.context() != context) {
            throw new IllegalArgumentException(domain + " is of another context than this one, the " + context);
        }
        if (!(completions instanceof NativeCompletionQueue ourQueue) || ourQueue.context() != context) {
            throw new IllegalArgumentException(completions + " is of another context than this one, the " + context);
        }
        return create(
                () -> NativeSharedReceiveQueue.create(
                        context, ourDomain, receives, elements, new NativeSharedReceiveQueue.Extended(this, ourQueue)),
                ourDomain,
                ourQueue);
    }

    @Override
    protected void release() {
        NativeCall.zero(
                "ibv_close_xrcd",
                toString(),
                context.advice()::release,
                () -> XrcVerbs.closeXrcd(context.pointer(), xrcd));
    }
}
