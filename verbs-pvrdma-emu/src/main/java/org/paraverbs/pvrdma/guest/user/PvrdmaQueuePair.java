// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.QpAttr;
import org.paraverbs.pvrdma.abi.QpState;
import org.paraverbs.pvrdma.abi.QpType;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.pvrdma.guest.kernel.CreatedQueuePair;
import org.paraverbs.pvrdma.guest.kernel.NativeMemory;
import org.paraverbs.pvrdma.guest.kernel.QueuePairRequest;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.Transition;
import org.paraverbs.verbs.WorkCompletion;
import org.paraverbs.verbs.spi.QueuePairBase;
import org.paraverbs.verbs.spi.QueuePairStateTable;

/** A queue pair: the program produces in its two rings, the device consumes (provider qp.c). */
final class PvrdmaQueuePair extends QueuePairBase {
    private static final int ALL_ATTRIBUTES = (1 << 21) - 1;
    private static final int MAX_RING = 1 << 30;

    private final PvrdmaContext context;
    private final int handle;
    private final PvrdmaCompletionQueue sendCompletions;
    private final PvrdmaCompletionQueue receiveCompletions;
    private final OwnedMemory memory;
    private final PvrdmaSendQueue sendQueue;

    /** One of the two. */
    private final @Nullable PvrdmaReceiveQueue receiveQueue;

    private final @Nullable PvrdmaSharedReceiveQueue sharedReceives;

    /**
     * The state that the last modification or query told of, as libibverbs keeps it. A queue pair goes to ERR by itself,
     * where posting is as legal as before, so this is enough to know whether one may post.
     */
    private volatile int lastState = QpState.RESET;

    /** Set when its completions are not delivered any more. */
    private volatile boolean closing;

    private PvrdmaQueuePair(
            PvrdmaContext context,
            PvrdmaProtectionDomain domain,
            CreatedQueuePair created,
            QueuePairSpec spec,
            Layout layout,
            OwnedMemory memory,
            PvrdmaCompletionQueue sendCompletions,
            PvrdmaCompletionQueue receiveCompletions,
            @Nullable PvrdmaSharedReceiveQueue sharedReceives) {
        super(context, created.qpn(), spec.type(), layout.capacity());
        this.context = context;
        this.handle = created.handle();
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
        this.memory = memory;
        this.sharedReceives = sharedReceives;
        this.sendQueue = new PvrdmaSendQueue(context, domain, this, memory.segment(), layout.capacity(), spec);
        this.receiveQueue = sharedReceives != null
                ? null
                : new PvrdmaReceiveQueue(this, memory.segment(), layout.receiveOffset(), layout.capacity());
    }

    static PvrdmaQueuePair create(
            PvrdmaContext context,
            PvrdmaProtectionDomain domain,
            QueuePairSpec spec,
            PvrdmaCompletionQueue sendCompletions,
            PvrdmaCompletionQueue receiveCompletions,
            @Nullable PvrdmaSharedReceiveQueue sharedReceives) {
        Layout layout = Layout.of(
                spec.capacity(), sharedReceives != null, context.driver().deviceCaps());
        QueuePairCapacity capacity = layout.capacity();
        OwnedMemory memory = OwnedMemory.pages(layout.byteSize());
        try {
            CreatedQueuePair created = context.driver()
                    .createQueuePair(
                            new QueuePairRequest(
                                    type(spec.type()),
                                    domain.handle(),
                                    sendCompletions.handle(),
                                    receiveCompletions.handle(),
                                    sharedReceives == null ? QueuePairRequest.OWN_RECEIVES : sharedReceives.handle(),
                                    capacity.maxSends(),
                                    capacity.maxReceives(),
                                    capacity.maxSendElements(),
                                    capacity.maxReceiveElements(),
                                    spec.signalAll()),
                            memory.segment(),
                            layout.sendPages());
            PvrdmaQueuePair pair = new PvrdmaQueuePair(
                    context,
                    domain,
                    created,
                    spec,
                    layout,
                    memory,
                    sendCompletions,
                    receiveCompletions,
                    sharedReceives);
            context.queuePairs().put(created.handle(), pair);
            return pair;
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    private static int type(QueuePairType type) {
        return switch (type) {
            case RELIABLE_CONNECTION -> QpType.RC;
            case UNRELIABLE_CONNECTION -> QpType.UC;
            case UNRELIABLE_DATAGRAM -> QpType.UD;
            case XRC_SEND, XRC_RECEIVE -> throw new IllegalArgumentException(type + " has been refused before");
        };
    }

    /**
     * The sizes of a queue pair, rounded as the provider rounds them, and how its memory is divided: a page with the states
     * of both rings, the send ring, and from the next page on the receive ring, unless the receives are shared.
     */
    private record Layout(QueuePairCapacity capacity, int sendPages, long receiveOffset, long byteSize) {

        static Layout of(QueuePairCapacity wanted, boolean sharedReceives, MemorySegment caps) {
            // No inline data, whatever was asked for: the driver answers 0 (pvrdma_qp.c).
            QueuePairCapacity given = new QueuePairCapacity(
                    RingState.elements(Math.min(wanted.maxSends(), MAX_RING)),
                    sharedReceives ? 0 : RingState.elements(Math.min(wanted.maxReceives(), MAX_RING)),
                    Math.max(1, wanted.maxSendElements()),
                    sharedReceives ? 0 : Math.max(1, wanted.maxReceiveElements()),
                    0);
            int maxRequests = DeviceCaps.maxQpWr(caps, 0);
            int maxElements = DeviceCaps.maxSge(caps, 0);
            if (given.maxSends() > maxRequests
                    || given.maxReceives() > maxRequests
                    || given.maxSendElements() > maxElements
                    || given.maxReceiveElements() > maxElements) {
                // The device will refuse, which is not worth allocating memory for.
                return new Layout(given, 1, 2 * PageDirectory.PAGE_SIZE, 3 * PageDirectory.PAGE_SIZE);
            }
            long sends = NativeMemory.wholePages((long) given.maxSends() * SqWqe.stride(given.maxSendElements()));
            long receives =
                    NativeMemory.wholePages((long) given.maxReceives() * RqWqe.stride(given.maxReceiveElements()));
            long receiveOffset = PageDirectory.PAGE_SIZE + sends;
            return new Layout(
                    given, (int) (sends >>> PageDirectory.PAGE_SHIFT), receiveOffset, receiveOffset + receives);
        }
    }

    int handle() {
        return handle;
    }

    Uar uar() {
        return context.uar();
    }

    /** For the completion queue, as {@link QueuePairBase#noteError}. */
    void noteFailed(WorkCompletion completion) {
        noteError(completion);
    }

    boolean isClosing() {
        return closing;
    }

    /** So many completions of its receives have been taken out of a completion queue, polled or swept. */
    void onReceivesTaken(int count) {
        if (receiveQueue != null) {
            receiveQueue.giveBack(count);
        } else if (sharedReceives != null) {
            sharedReceives.giveBack(count);
        }
    }

    /** Requests below RTS are refused by the provider, the rest is up to the device. */
    boolean takesSends() {
        return lastState >= QpState.RTS;
    }

    boolean takesReceives() {
        return lastState != QpState.RESET;
    }

    /** Why posting was refused. */
    String postAdvice(int errno, String when) {
        return errno == Errno.EINVAL.number()
                ? "the queue pair is in " + QueuePairState.ofCode(lastState).abbreviation() + "; " + when
                : "";
    }

    @Override
    protected synchronized void apply(Transition transition) {
        context.driver().modifyQueuePair(handle, QueuePairStateTable.mask(transition), QueuePairForm.of(transition));
        lastState = transition.target().code();
        if (transition instanceof Transition.ToReset) {
            forgetRequests();
        }
    }

    /** The device has forgotten its requests; what it has completed already is taken out, and the rings begin anew. */
    private void forgetRequests() {
        sweep();
        sendQueue.restart();
        if (receiveQueue != null) {
            receiveQueue.restart();
        }
    }

    private void sweep() {
        onReceivesTaken(receiveCompletions.sweep(handle));
        if (!sendCompletions.equals(receiveCompletions)) {
            sendCompletions.sweep(handle);
        }
    }

    @Override
    protected synchronized QueuePairAttributes queryDevice() {
        MemorySegment attributes = MemorySegment.ofArray(new byte[QpAttr.SIZE]);
        context.driver().queryQueuePair(handle, ALL_ATTRIBUTES, attributes);
        lastState = QpAttr.qpState(attributes, 0);
        return QueuePairForm.read(attributes, capacity());
    }

    @Override
    public SendQueue sendQueue() {
        return sendQueue;
    }

    @Override
    public ReceiveQueue receiveQueue() {
        if (receiveQueue == null) {
            throw new IllegalStateException(this + " takes its receives from " + sharedReceives
                    + ": post them there, with" + " SharedReceiveQueue.receiveQueue()");
        }
        return receiveQueue;
    }

    @Override
    public @Nullable SharedReceiveQueue sharedReceiveQueue() {
        return sharedReceives;
    }

    @Override
    protected void release() {
        sendQueue.closeGate();
        if (receiveQueue != null) {
            receiveQueue.closeGate();
        }
        closing = true; // from now on its completions are not delivered, though who polls gives its receives back
        try {
            context.driver().destroyQueuePair(handle);
        } finally {
            sweep();
            context.queuePairs().remove(handle);
            memory.close();
        }
    }
}
