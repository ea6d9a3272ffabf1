// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.DataPath;
import org.paraverbs.ffm.lib.ExtendedCompletionVerbs;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvCq;
import org.paraverbs.ffm.struct.IbvCqInitAttrEx;
import org.paraverbs.ffm.struct.IbvWc;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.spi.Gate;
import org.paraverbs.verbs.spi.ResourceBase;

/**
 * {@code ibv_cq}. Completions are fetched from the library {@value #BATCH} at a time and handed out one by one, so that
 * most polls are no call at all.
 */
final class NativeCompletionQueue extends ResourceBase implements CompletionQueue {
    static final int BATCH = 16;

    private final NativeContext context;
    private final @Nullable NativeCompletionChannel channel;
    private final SlotTable<RequestOwner> owners;
    private final MemorySegment pollFunction;

    /** How an extended queue is polled; null for others. */
    private final @Nullable ExtendedPolling extended;

    private final MemorySegment notifyFunction;
    private final int slot;
    private final long queue;

    /** Changed by resizing, inside the gate; read by any thread. */
    private volatile int entries;

    private final Gate polling;

    /** Apart from polling, since any thread may ask for a notification while another polls. */
    private final Gate arming;

    private final MemorySegment batch = FetchedCompletions.allocate(BATCH);

    private final Completion completion = new Completion();

    /** Inside the gate: where the completions are that have not been handed out, from the next to the end. */
    private MemorySegment fetched = batch;

    private int next;

    private int end;

    private NativeCompletionQueue(
            NativeContext context,
            long queue,
            int slot,
            @Nullable NativeCompletionChannel channel,
            @Nullable ExtendedPolling extended) {
        super(context, "completion queue of " + context.device().name());
        this.context = context;
        this.queue = queue;
        this.slot = slot;
        this.channel = channel;
        this.extended = extended;
        this.owners = context.requestOwners();
        this.pollFunction = context.pollCqFunction();
        this.notifyFunction = context.requestNotificationFunction();
        this.entries = IbvCq.cqe(Native.struct(queue, IbvCq.SIZE));
        this.polling = new Gate(toString());
        this.arming = new Gate(toString());
    }

    static NativeCompletionQueue create(
            NativeContext context, int entries, @Nullable NativeCompletionChannel channel, int vector) {
        return inSlot(context, slot -> {
            long queue = NativeCall.nonNull(
                    "ibv_create_cq",
                    wanted(context, entries, vector),
                    errno -> context.advice().completionQueue(errno, entries, vector),
                    errno -> ResourceVerbs.createCq(
                            errno, context.pointer(), entries, slot, channel == null ? 0 : channel.pointer(), vector));
            return new NativeCompletionQueue(context, queue, slot, channel, null);
        });
    }

    /**
     * Creates an extended queue.
     *
     * @param wcFlags {@code enum ibv_create_cq_wc_flags}, the standard ones among them
     */
    static NativeCompletionQueue createExtended(
            NativeContext context, int entries, @Nullable NativeCompletionChannel channel, int vector, long wcFlags) {
        return inSlot(context, slot -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = arena.allocate(IbvCqInitAttrEx.SIZE, Long.BYTES);
                IbvCqInitAttrEx.cqe(attributes, entries);
                IbvCqInitAttrEx.cqContext(attributes, slot);
                IbvCqInitAttrEx.channel(attributes, channel == null ? 0 : channel.pointer());
                IbvCqInitAttrEx.compVector(attributes, vector);
                IbvCqInitAttrEx.wcFlags(attributes, wcFlags);
                long queue = NativeCall.nonNull(
                        "ibv_create_cq_ex",
                        wanted(context, entries, vector),
                        errno -> context.advice().extendedCompletionQueue(errno, entries, vector),
                        errno -> ExtendedCompletionVerbs.createCqEx(errno, context.pointer(), attributes));
                try {
                    return new NativeCompletionQueue(
                            context, queue, slot, channel, new ExtendedPolling(queue, wcFlags));
                } catch (RuntimeException e) {
                    ResourceVerbs.destroyCq(queue);
                    throw e;
                }
            }
        });
    }

    private static String wanted(NativeContext context, int entries, int vector) {
        return entries + " entries, vector " + vector + " of "
                + context.device().name();
    }

    private static NativeCompletionQueue inSlot(NativeContext context, IntFunction<NativeCompletionQueue> creation) {
        SlotTable<NativeCompletionQueue> table = context.completionQueues();
        int slot = table.reserve();
        if (slot < 0) {
            throw new VerbsException(
                    "ibv_create_cq",
                    context.device().name(),
                    Errno.ENOMEM,
                    "a context holds at most " + RequestId.SLOT_COUNT + " completion queues");
        }
        try {
            NativeCompletionQueue created = creation.apply(slot);
            table.put(slot, created);
            return created;
        } catch (RuntimeException e) {
            table.free(slot);
            throw e;
        }
    }

    NativeContext context() {
        return context;
    }

    long pointer() {
        return queue;
    }

    @Override
    public int entries() {
        return entries;
    }

    @Override
    public void resize(int newEntries) {
        context.requireSupported(Feature.RESIZE_COMPLETION_QUEUE, "ibv_resize_cq");
        whileOpen(() -> {
            // Not every provider has a lock of its own round its ring: polling and arming wait.
            polling.enterInTurn();
            arming.enterInTurn();
            try {
                NativeCall.zero(
                        "ibv_resize_cq",
                        this + " from " + entries + " to " + newEntries + " entries",
                        errno -> context.advice().resizing(errno, newEntries),
                        () -> ResourceVerbs.resizeCq(queue, newEntries));
                entries = IbvCq.cqe(Native.struct(queue, IbvCq.SIZE));
            } finally {
                arming.exit();
                polling.exit();
            }
            return Boolean.TRUE;
        });
    }

    @Override
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    @Override
    public @Nullable WorkCompletion poll() {
        polling.enter();
        try {
            // Bounded: beyond the entries of the queue there cannot be completions of closed queue pairs.
            int limit = entries + BATCH;
            for (int skipped = 0; skipped <= limit; skipped++) {
                if (next == end && !fetch()) {
                    return null;
                }
                if (completion.accept(next++ * IbvWc.SIZE)) {
                    return completion;
                }
            }
            return null;
        } finally {
            polling.exit();
        }
    }

    /** Fetches up to {@value #BATCH} completions into memory of {@link FetchedCompletions}. */
    private int poll(MemorySegment completions) {
        if (extended != null) {
            return extended.poll(completions, BATCH);
        }
        try {
            return DataPath.pollCq(pollFunction, queue, BATCH, completions.address());
        } finally {
            Reference.reachabilityFence(completions);
        }
    }

    private boolean fetch() {
        int count = poll(batch);
        if (count < 0 || count > BATCH) {
            throw new VerbsException(
                    "ibv_poll_cq",
                    toString(),
                    count < 0 ? -count : Errno.EIO.number(),
                    "the queue is lost, it may have overflowed: close it, and create it with as many entries as requests"
                            + " can be outstanding");
        }
        fetched = batch;
        next = 0;
        end = count;
        return count > 0;
    }

    /**
     * Takes out the receives of a queue pair that came from shared receive queues, and frees their slots: they do not carry
     * its generation, and another queue pair may get its number. The queue pair has been destroyed or reset, so that none
     * follow. Other completions are kept, in their order.
     *
     * @param qpn the number of the queue pair
     */
    void dropSharedReceives(int qpn) {
        polling.enterInTurn();
        try {
            // What was handed out last stays where it is: its reader may not be done with it.
            int size = entries;
            MemorySegment kept = FetchedCompletions.allocate(end - next + size + BATCH);
            MemorySegment taken = FetchedCompletions.allocate(BATCH);
            int count = keep(fetched, next, end, qpn, kept, 0);
            // Those of the queue pair are among as many as the queue holds; others may follow without end.
            int polled = 0;
            int more;
            do {
                more = poll(taken);
                if (more > BATCH) {
                    break;
                }
                count = keep(taken, 0, more, qpn, kept, count);
                polled += more;
            } while (more > 0 && polled < size);
            fetched = kept;
            next = 0;
            end = count;
        } finally {
            polling.exit();
        }
    }

    private int keep(MemorySegment from, int first, int afterLast, int qpn, MemorySegment kept, int already) {
        int count = already;
        for (int entry = first; entry < afterLast; entry++) {
            long at = entry * IbvWc.SIZE;
            long requestId = IbvWc.wrId(from, at);
            if (IbvWc.qpNum(from, at) == qpn
                    && owners.get(RequestId.slot(requestId)) instanceof NativeSharedReceiveQueue shared) {
                RequestAccount account = shared.account(true);
                if (account.claim(requestId)) {
                    account.complete(requestId);
                }
            } else {
                FetchedCompletions.copy(from, at, kept, count++ * IbvWc.SIZE);
            }
        }
        return count;
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        if (channel == null) {
            requireOpen();
            throw new IllegalStateException(
                    this + " has no channel; create it with Context.createCompletionQueue(entries, channel)");
        }
        arming.enterInTurn();
        try {
            int errno = DataPath.requestNotification(notifyFunction, queue, solicitedOnly ? 1 : 0);
            if (errno != 0) {
                throw new VerbsException(
                        "ibv_req_notify_cq", toString(), errno, context.advice().general(errno));
            }
        } finally {
            arming.exit();
        }
    }

    @Override
    protected void release() {
        polling.close();
        arming.close();
        context.completionQueues().remove(slot);
        NativeCall.zero("ibv_destroy_cq", toString(), context.advice()::release, () -> ResourceVerbs.destroyCq(queue));
        context.completionQueues().free(slot);
    }

    /** The view on the completion of the batch that was handed out last. */
    private final class Completion implements WorkCompletion {
        private MemorySegment memory = batch;
        private long at;
        private long id;

        /**
         * Moves to a completion of the batch and frees the slots of its queue.
         *
         * @return false for one of a queue pair that was closed or reset in the meantime: it is not delivered
         */
        boolean accept(long offset) {
            long requestId = IbvWc.wrId(fetched, offset);
            RequestOwner owner = owners.get(RequestId.slot(requestId));
            if (owner == null) {
                return false;
            }
            RequestAccount account = owner.account(RequestId.isReceive(requestId));
            if (!account.claim(requestId)) {
                return false;
            }
            memory = fetched;
            at = offset;
            id = account.complete(requestId);
            if (rawStatus() != IbvConstants.IBV_WC_SUCCESS) {
                owner.noteFailed(this);
            }
            return true;
        }

        @Override
        public long id() {
            return id;
        }

        @Override
        public CompletionStatus status() {
            return CompletionStatus.ofCode(rawStatus());
        }

        @Override
        public int rawStatus() {
            return IbvWc.status(memory, at);
        }

        @Override
        public Opcode opcode() {
            return Opcode.ofCode(IbvWc.opcode(memory, at));
        }

        @Override
        public long byteLength() {
            return Integer.toUnsignedLong(IbvWc.byteLen(memory, at));
        }

        @Override
        public boolean hasImmediate() {
            return (IbvWc.wcFlags(memory, at) & IbvConstants.IBV_WC_WITH_IMM) != 0;
        }

        @Override
        public int immediate() {
            return IbvWc.immData(memory, at);
        }

        @Override
        public boolean hasInvalidatedKey() {
            return (IbvWc.wcFlags(memory, at) & IbvConstants.IBV_WC_WITH_INV) != 0;
        }

        @Override
        public int invalidatedKey() {
            return hasInvalidatedKey() ? IbvWc.invalidatedRkey(memory, at) : 0;
        }

        @Override
        public int qpn() {
            return IbvWc.qpNum(memory, at);
        }

        @Override
        public int sourceQpn() {
            return IbvWc.srcQp(memory, at);
        }

        @Override
        public int sourceLid() {
            return IbvWc.slid(memory, at);
        }

        @Override
        public int serviceLevel() {
            return IbvWc.sl(memory, at);
        }

        @Override
        public boolean hasGlobalRouteHeader() {
            return (IbvWc.wcFlags(memory, at) & IbvConstants.IBV_WC_GRH) != 0;
        }

        @Override
        public int vendorError() {
            // A success leaves there what an earlier failure wrote.
            return isSuccess() ? 0 : IbvWc.vendorErr(memory, at);
        }

        @Override
        public boolean hasTimestamp() {
            return extended != null && extended.hasTimestamps() && isSuccess();
        }

        @Override
        public long timestamp() {
            return hasTimestamp() ? FetchedCompletions.timestamp(memory, at) : 0;
        }

        @Override
        public String toString() {
            return copy().toString();
        }
    }
}
