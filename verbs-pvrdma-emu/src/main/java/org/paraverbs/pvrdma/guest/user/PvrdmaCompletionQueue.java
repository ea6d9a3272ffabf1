// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.Cqe;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.WcFlags;
import org.paraverbs.pvrdma.abi.WcOpcode;
import org.paraverbs.pvrdma.guest.kernel.CreatedCompletionQueue;
import org.paraverbs.verbs.CompletionChannel;
import org.paraverbs.verbs.CompletionQueue;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.spi.Gate;
import org.paraverbs.verbs.spi.ResourceBase;

/** A completion queue: the device produces in its ring, the program consumes (provider cq.c). */
final class PvrdmaCompletionQueue extends ResourceBase implements CompletionQueue {
    private static final int QP_HANDLE_MASK = 0xffff;

    /** What every queue can grow to, and larger ones to twice their size: RESIZE_CQ carries no memory. */
    private static final int LEAST_ROOM = 1024;

    private final PvrdmaContext context;
    private final @Nullable PvrdmaCompletionChannel channel;
    private final PvrdmaCompletionChannel.@Nullable Subscription subscription;
    private final HandleTable<PvrdmaQueuePair> queuePairs;
    private final Uar uar;
    private final OwnedMemory memory;
    private final MemorySegment ring;
    private final int handle;

    private final Gate polling;

    /** Apart from polling, since any thread may ask for notification while another polls. */
    private final Gate arming;

    private final Completion completion = new Completion();

    /** Inside the gate: our own index, so that what is read back from the ring need not be trusted. */
    private int head;

    /** Inside the gate. */
    private int entries;

    /** The same for everybody. */
    private volatile int size;

    /** Set when the device says that it puts no more completions here. */
    private volatile boolean failed;

    private PvrdmaCompletionQueue(
            PvrdmaContext context,
            OwnedMemory memory,
            CreatedCompletionQueue created,
            @Nullable PvrdmaCompletionChannel channel,
            PvrdmaCompletionChannel.@Nullable Subscription subscription) {
        super(context, "CQ " + created.handle() + " of " + context.device().name());
        this.context = context;
        this.channel = channel;
        this.subscription = subscription;
        this.queuePairs = context.queuePairs();
        this.uar = context.uar();
        this.memory = memory;
        this.ring = memory.segment();
        this.handle = created.handle();
        this.entries = created.entries();
        this.size = entries;
        this.polling = new Gate(toString());
        this.arming = new Gate(toString());
    }

    static PvrdmaCompletionQueue create(
            PvrdmaContext context, int wanted, @Nullable PvrdmaCompletionChannel channel, int vector) {
        int entries = context.driver().completionQueueEntries(wanted);
        OwnedMemory memory = OwnedMemory.pages(PageDirectory.PAGE_SIZE + room(context, entries) * Cqe.SIZE);
        PvrdmaCompletionChannel.Subscription subscription = channel == null ? null : channel.subscribe();
        try {
            CreatedCompletionQueue created = context.driver()
                    .createCompletionQueue(context.handle(), entries, memory.segment(), vector, subscription);
            PvrdmaCompletionQueue queue = new PvrdmaCompletionQueue(context, memory, created, channel, subscription);
            if (subscription != null) {
                subscription.bind(queue);
            }
            context.completionQueues().put(created.handle(), queue);
            return queue;
        } catch (RuntimeException e) {
            if (subscription != null) {
                channel.cancel(subscription);
            }
            memory.close();
            throw e;
        }
    }

    private static long room(PvrdmaContext context, int entries) {
        int most = Integer.highestOneBit(DeviceCaps.maxCqe(context.driver().deviceCaps(), 0));
        return Math.min(Math.max(LEAST_ROOM, 2L * entries), most);
    }

    PvrdmaContext context() {
        return context;
    }

    int handle() {
        return handle;
    }

    @Override
    public int entries() {
        return size;
    }

    /** A thread that polls meanwhile waits for its turn, as it does for {@link #sweep}. */
    @Override
    public void resize(int wanted) {
        whileOpen(() -> {
            polling.enterInTurn();
            try {
                requireRoomFor(wanted);
                entries = context.driver().resizeCompletionQueue(handle, wanted);
                size = entries;
                head = 0; // where the device has begun the ring anew
            } finally {
                polling.exit();
            }
            return Boolean.TRUE;
        });
    }

    /** More may arrive before the device is asked, which then refuses. */
    private void requireRoomFor(int wanted) {
        int tail = RingState.prodTail(ring, RingState.RX_OFFSET);
        int waiting = isValid(tail) ? RingState.used(tail, head, entries) : 0;
        if (waiting > wanted && wanted > 0) {
            throw new VerbsException(
                    "ibv_resize_cq",
                    toString(),
                    Errno.EINVAL,
                    waiting + " completions are in it, which " + wanted + " entries cannot hold: poll first");
        }
    }

    @Override
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    @Override
    public @Nullable WorkCompletion poll() {
        polling.enter();
        try {
            int tail = RingState.prodTail(ring, RingState.RX_OFFSET);
            if (tail == head) {
                // A device without a thread of its own gets its chance to run.
                uar.ringCompletionQueue(Doorbell.CQ_POLL | handle);
                tail = RingState.prodTail(ring, RingState.RX_OFFSET);
                if (tail == head) {
                    return nothing();
                }
            }
            return next(tail);
        } finally {
            polling.exit();
        }
    }

    private @Nullable WorkCompletion nothing() {
        if (failed) {
            throw lost("the device stopped it, most likely because it overflowed");
        }
        return null;
    }

    private @Nullable WorkCompletion next(int tail) {
        // Bounded by the entries, since tail is checked.
        requireValid(tail);
        do {
            long at = entryOffset(head);
            PvrdmaQueuePair pair = queuePairs.get((int) Cqe.qp(ring, at) & QP_HANDLE_MASK);
            boolean delivered = pair != null && !pair.isClosing();
            if (pair != null) {
                completion.read(ring, at, pair.qpn());
                if (isReceive(ring, at)) {
                    pair.onReceivesTaken(1);
                }
            }
            head = RingState.next(head, entries);
            // pairs with the device's acquire of the head: the entry has been read before it is written again
            RingState.publishConsHead(ring, RingState.RX_OFFSET, head);
            if (delivered) {
                if (completion.status != 0) {
                    pair.noteFailed(completion);
                }
                return completion;
            }
            // of a queue pair that is being closed: not delivered
        } while (head != tail);
        return null;
    }

    private boolean isValid(int tail) {
        return !RingState.isCorrupt(tail, head, entries) && RingState.used(tail, head, entries) <= entries;
    }

    private void requireValid(int tail) {
        if (!isValid(tail)) {
            throw lost("the indices of its ring are corrupt: " + Integer.toUnsignedString(tail) + " and " + head
                    + " of " + entries);
        }
    }

    private VerbsException lost(String why) {
        return new VerbsException(
                "ibv_poll_cq",
                toString(),
                Errno.EIO,
                "the queue is lost, " + why
                        + ": close it, and create it with as many entries as requests can be outstanding");
    }

    private long entryOffset(int index) {
        return PageDirectory.PAGE_SIZE + (long) RingState.slot(index, entries) * Cqe.SIZE;
    }

    /** The device says what completed in failed completions, too. */
    private static boolean isReceive(MemorySegment ring, long at) {
        return (Cqe.opcode(ring, at) & WcOpcode.RECV) != 0;
    }

    /**
     * Takes out the completions of a queue pair that has been destroyed or reset, so that a later one with its handle does
     * not get them (provider cq.c {@code pvrdma_cq_clean}). The device produces no more of them.
     *
     * @return how many of them were receives
     */
    int sweep(int queuePair) {
        int receives = 0;
        polling.enterInTurn();
        try {
            int tail = RingState.prodTail(ring, RingState.RX_OFFSET);
            if (!isValid(tail)) {
                return 0; // poll says so
            }
            int last = 2 * entries - 1;
            int kept = tail;
            // From the newest to the oldest, the others close up behind the tail, where the device goes on.
            for (int from = tail; from != head; ) {
                from = from - 1 & last;
                if (((int) Cqe.qp(ring, entryOffset(from)) & QP_HANDLE_MASK) == queuePair) {
                    receives += isReceive(ring, entryOffset(from)) ? 1 : 0;
                } else {
                    kept = kept - 1 & last;
                    if (kept != from) {
                        MemorySegment.copy(ring, entryOffset(from), ring, entryOffset(kept), Cqe.SIZE);
                    }
                }
            }
            head = kept;
            RingState.publishConsHead(ring, RingState.RX_OFFSET, head);
            return receives;
        } finally {
            polling.exit();
        }
    }

    /** The device has told that it stopped the queue; runs on the thread that runs the device. */
    void onError() {
        failed = true;
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
            uar.ringCompletionQueue((solicitedOnly ? Doorbell.CQ_ARM_SOL : Doorbell.CQ_ARM) | handle);
        } finally {
            arming.exit();
        }
    }

    @Override
    protected void release() {
        polling.close();
        arming.close();
        context.completionQueues().remove(handle);
        try {
            context.driver().destroyCompletionQueue(handle);
        } finally {
            if (channel != null && subscription != null) {
                channel.cancel(subscription);
            }
            memory.close();
        }
    }

    /** What was polled last. Copied out of the ring, whose entry the device may write again at once. */
    private static final class Completion implements WorkCompletion {
        private long id;
        private int opcode;
        private int status;
        private int byteLength;
        private int immediate;
        private int flags;
        private int qpn;
        private int sourceQpn;
        private int serviceLevel;

        void read(MemorySegment ring, long at, int number) {
            id = Cqe.wrId(ring, at);
            opcode = Cqe.opcode(ring, at);
            status = Cqe.status(ring, at);
            byteLength = Cqe.byteLen(ring, at);
            immediate = Cqe.immData(ring, at);
            flags = Cqe.wcFlags(ring, at);
            qpn = number;
            sourceQpn = Cqe.srcQp(ring, at);
            serviceLevel = Cqe.sl(ring, at);
        }

        @Override
        public long id() {
            return id;
        }

        @Override
        public CompletionStatus status() {
            return CompletionStatus.ofCode(status);
        }

        @Override
        public int rawStatus() {
            return status;
        }

        @Override
        public Opcode opcode() {
            return Opcode.ofCode(opcode);
        }

        @Override
        public long byteLength() {
            return Integer.toUnsignedLong(byteLength);
        }

        @Override
        public boolean hasImmediate() {
            return (flags & WcFlags.WITH_IMM) != 0;
        }

        @Override
        public int immediate() {
            return Integer.reverseBytes(immediate); // big-endian in memory
        }

        @Override
        public int qpn() {
            return qpn;
        }

        @Override
        public int sourceQpn() {
            return sourceQpn;
        }

        /** PVRDMA is on Ethernet. */
        @Override
        public int sourceLid() {
            return 0;
        }

        @Override
        public int serviceLevel() {
            return serviceLevel;
        }

        @Override
        public boolean hasGlobalRouteHeader() {
            return (flags & WcFlags.GRH) != 0;
        }

        /** Always 0, as from the provider of rdma-core, which does not pass it on. */
        @Override
        public int vendorError() {
            return 0;
        }

        @Override
        public String toString() {
            return copy().toString();
        }
    }
}
