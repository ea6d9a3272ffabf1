// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.MemoryWindow;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.UnsupportedVerbException;

/**
 * The send queue of all providers: checks descriptions and keeps the rules of a batch; a provider writes the requests in
 * its own form. It is its own flyweight.
 */
public abstract class SendQueueBase extends WorkQueueBase implements SendQueue, SendWorkRequest {

    /** Of {@code enum ibv_send_flags}: wait for READs and atomics posted before. */
    public static final int FENCE = 1;

    /** Of {@code enum ibv_send_flags}: complete with a completion. */
    public static final int SIGNALED = 1 << 1;

    /** Of {@code enum ibv_send_flags}: wake the peer. */
    public static final int SOLICITED = 1 << 2;

    /** Of {@code enum ibv_send_flags}: the data are in the request. */
    public static final int INLINE = 1 << 3;

    private static final int ATOMIC_BYTES = 8;
    private static final int QPN_BITS = 24;
    private static final int NO_QUEUE = -1;

    private final String description;
    private final QueuePairType type;
    private final Set<SendOperation> supported;
    private final int askedInlineSize;
    private final int maxInlineSize;
    private final int initialFlags;
    private final boolean datagrams;
    private final boolean extended;

    private SendOperation operation = SendOperation.SEND;
    private long id;
    private long remoteAddress;
    private int rkey;
    private int immediate;
    private int flags;
    private long compareOrAdd;
    private long swap;
    private @Nullable AddressHandleBase destination;
    private int destinationQpn;
    private int destinationQkey;
    private int sharedReceiveQueue;
    private @Nullable MemoryWindowBase window;
    private @Nullable MemoryRegionBase windowRegion;
    private Set<Access> windowAccess = Set.of();
    private int windowKey;
    private long windowLength;

    /** The bytes that the message may still grow by. */
    private long room;

    /**
     * The send queue of a new queue pair.
     *
     * @param context its context, which knows what the device can do
     * @param description what it is, for messages, as {@code send queue of QP 0x11 of emu0}
     * @param type the transport service
     * @param asked the sizes that were asked for
     * @param capacity the sizes that the device gave
     * @param signalAll whether every request is signaled
     */
    protected SendQueueBase(
            ContextBase context,
            String description,
            QueuePairType type,
            QueuePairCapacity asked,
            QueuePairCapacity capacity,
            boolean signalAll) {
        super("ibv_post_send", description, capacity.maxSendElements(), "QueuePairSpec.withElements");
        this.description = description;
        this.type = type;
        this.supported = EnumSet.noneOf(SendOperation.class);
        for (SendOperation candidate : SendOperation.values()) {
            Feature feature = candidate.feature();
            if (candidate.isOf(type) && (feature == null || context.supports(feature))) {
                supported.add(candidate);
            }
        }
        this.askedInlineSize = asked.maxInlineSize();
        this.maxInlineSize = capacity.maxInlineSize();
        this.initialFlags = signalAll ? SIGNALED : 0;
        this.datagrams = type == QueuePairType.UNRELIABLE_DATAGRAM;
        this.extended = type == QueuePairType.XRC_SEND;
    }

    /**
     * Copies inline data into a request of the batch.
     *
     * @param request the number of the request within the batch, from 0
     * @param data the data
     * @param offset the first byte
     * @param length the number of bytes, at most the queue pair's inline size
     */
    protected abstract void writeInline(int request, MemorySegment data, long offset, long length);

    /**
     * Writes the rest of a request, whose elements or inline data have been written before. What belongs to some
     * operations only is told by the methods below.
     *
     * @param request the number of the request within the batch, from 0
     * @param requestedOperation what to do
     * @param requestId comes back in the completion
     * @param elementCount the number of scatter/gather elements; 0 with inline data
     * @param sendFlags of {@code enum ibv_send_flags}
     */
    protected abstract void writeRequest(
            int request, SendOperation requestedOperation, long requestId, int elementCount, int sendFlags);

    /** The immediate data of the request being written, in host order; 0 if it has none. */
    protected final int immediate() {
        return immediate;
    }

    /** The peer's address, if the operation {@linkplain SendOperation#isRemote names the peer's memory}; else 0. */
    protected final long remoteAddress() {
        return remoteAddress;
    }

    /** The remote key, likewise; or the key that is to be invalidated. */
    protected final int rkey() {
        return rkey;
    }

    /** What a compare-and-swap expects or a fetch-and-add adds, in host order. */
    protected final long compareOrAdd() {
        return compareOrAdd;
    }

    /** What a compare-and-swap writes, in host order. */
    protected final long swap() {
        return swap;
    }

    /** Where a datagram goes; null on other queue pairs. */
    protected final @Nullable AddressHandleBase destination() {
        return destination;
    }

    /** The number of the queue pair that a datagram goes to. */
    protected final int destinationQpn() {
        return destinationQpn;
    }

    /** The Q_Key that a datagram carries. */
    protected final int destinationQkey() {
        return destinationQkey;
    }

    /** The number of the peer's shared receive queue (XRC), 0 if the request takes no receive. */
    protected final int destinationSharedReceiveQueue() {
        return Math.max(0, sharedReceiveQueue);
    }

    /** The window that is to be bound; null for other operations. */
    protected final @Nullable MemoryWindowBase window() {
        return window;
    }

    /** The region that the window is to be bound to; {@link #remoteAddress()} is where in it. */
    protected final @Nullable MemoryRegionBase windowRegion() {
        return windowRegion;
    }

    /** The number of bytes of the window. */
    protected final long windowLength() {
        return windowLength;
    }

    /** The remote rights of the window. */
    protected final Set<Access> windowAccess() {
        return windowAccess;
    }

    /** The key that the window is to have. */
    protected final int windowKey() {
        return windowKey;
    }

    /**
     * Whether a window can be bound to a region through this queue.
     *
     * @param bound an open window of some provider
     * @param region an open region of some provider
     * @return false if one of them is another provider's, or of another protection domain
     */
    protected boolean accepts(MemoryWindowBase bound, MemoryRegionBase region) {
        return true;
    }

    /**
     * Whether a datagram of this queue can go that way.
     *
     * @param handle an open address handle of some provider
     * @return false if it is another provider's, or of another protection domain
     */
    protected boolean accepts(AddressHandleBase handle) {
        return true;
    }

    @Override
    final void requireDescribed() {
        if (datagrams && destination == null) {
            throw withdraw(new IllegalStateException(
                    "a request of " + description + " has no destination: say where it goes with to(...)"));
        }
        if (extended && sharedReceiveQueue == NO_QUEUE && operation.takesReceive()) {
            throw withdraw(new IllegalStateException("a message of " + description
                    + " is for no shared receive queue of the peer: say which with toSharedReceiveQueue(number)"));
        }
    }

    @Override
    final void finish(int request, int elementCount) {
        writeRequest(request, operation, id, elementCount, flags);
    }

    @Override
    public final SendWorkRequest send(long requestId) {
        return begin(SendOperation.SEND, requestId, 0);
    }

    @Override
    public final SendWorkRequest sendWithImmediate(long requestId, int immediateData) {
        return begin(SendOperation.SEND_WITH_IMMEDIATE, requestId, immediateData);
    }

    @Override
    public final SendWorkRequest write(long requestId, RemoteBuffer remote, long offset) {
        return begin(SendOperation.WRITE, requestId, 0).remote(remote, offset);
    }

    @Override
    public final SendWorkRequest writeWithImmediate(
            long requestId, RemoteBuffer remote, long offset, int immediateData) {
        return begin(SendOperation.WRITE_WITH_IMMEDIATE, requestId, immediateData)
                .remote(remote, offset);
    }

    @Override
    public final SendWorkRequest read(long requestId, RemoteBuffer remote, long offset) {
        return begin(SendOperation.READ, requestId, 0).remote(remote, offset);
    }

    @Override
    public final SendWorkRequest compareAndSwap(
            long requestId, RemoteBuffer remote, long offset, long expected, long replacement) {
        return begin(SendOperation.COMPARE_AND_SWAP, requestId, 0).atomic(remote, offset, expected, replacement);
    }

    @Override
    public final SendWorkRequest fetchAndAdd(long requestId, RemoteBuffer remote, long offset, long addend) {
        return begin(SendOperation.FETCH_AND_ADD, requestId, 0).atomic(remote, offset, addend, 0);
    }

    @Override
    public final SendWorkRequest sendWithInvalidate(long requestId, int remoteKey) {
        begin(SendOperation.SEND_WITH_INVALIDATE, requestId, 0);
        rkey = remoteKey;
        return this;
    }

    @Override
    public final SendWorkRequest invalidate(long requestId, int localKey) {
        begin(SendOperation.LOCAL_INVALIDATE, requestId, 0);
        rkey = localKey;
        return this;
    }

    @Override
    public final SendWorkRequest bind(
            long requestId, MemoryWindow bound, MemoryRegion region, long offset, long length, Set<Access> access) {
        begin(SendOperation.BIND_MEMORY_WINDOW, requestId, 0);
        if (!(bound instanceof MemoryWindowBase newWindow) || !(region instanceof MemoryRegionBase newRegion)) {
            throw withdraw(new IllegalArgumentException("the window or the region is not one of a verbs provider"));
        }
        if (!newWindow.isOpen() || !newRegion.isOpen()) {
            throw withdraw(new IllegalStateException((newWindow.isOpen() ? newRegion : newWindow) + " is closed"));
        }
        checkDescription(
                accepts(newWindow, newRegion),
                "the window and the region are not of the queue pair's protection domain");
        checkWindow(newRegion.access(), access);
        if (offset < 0 || length < 1 || offset > newRegion.length() - length) {
            throw withdraw(new IndexOutOfBoundsException("bytes " + offset + " to " + offset + " + " + length
                    + " are not within the " + newRegion.length() + " bytes of " + newRegion));
        }
        window = newWindow;
        windowRegion = newRegion;
        windowAccess = access;
        windowLength = length;
        remoteAddress = newRegion.address() + offset;
        if (writing()) {
            windowKey = newWindow.advance();
        }
        return this;
    }

    private void checkWindow(Set<Access> ofRegion, Set<Access> ofWindow) {
        checkDescription(
                ofRegion.contains(Access.MEMORY_WINDOW_BIND),
                "a region that windows are bound to is registered with MEMORY_WINDOW_BIND");
        checkDescription(
                !ofWindow.contains(Access.LOCAL_WRITE) && !ofWindow.contains(Access.MEMORY_WINDOW_BIND),
                "the rights of a window are remote ones");
        checkDescription(
                ofRegion.contains(Access.LOCAL_WRITE)
                        || !(ofWindow.contains(Access.REMOTE_WRITE) || ofWindow.contains(Access.REMOTE_ATOMIC)),
                "a window that peers write through needs a region with LOCAL_WRITE");
    }

    private SendQueueBase begin(SendOperation requested, long requestId, int immediateData) {
        if (!supported.contains(requested)) {
            throw refused(requested);
        }
        begin();
        operation = requested;
        id = requestId;
        immediate = immediateData;
        flags = initialFlags;
        remoteAddress = 0;
        rkey = 0;
        destination = null;
        sharedReceiveQueue = NO_QUEUE;
        window = null;
        windowRegion = null;
        room = Long.MAX_VALUE;
        return this;
    }

    private RuntimeException refused(SendOperation requested) {
        Feature feature = requested.feature();
        return requested.isOf(type) && feature != null
                ? UnsupportedVerbException.of("ibv_post_send", description, feature)
                : new IllegalArgumentException(
                        type.abbreviation() + " queue pairs have no " + requested + " (" + description + ")");
    }

    private SendQueueBase atomic(RemoteBuffer remote, long offset, long operand, long replacement) {
        if (offset < 0 || offset > remote.length() - ATOMIC_BYTES) {
            throw withdraw(new IndexOutOfBoundsException("the " + ATOMIC_BYTES + " bytes at offset " + offset
                    + " are not within the " + remote.length() + " bytes of the peer's buffer"));
        }
        remote(remote, offset);
        checkDescription(
                (remoteAddress & ATOMIC_BYTES - 1) == 0, "an atomic needs a remote address that is a multiple of 8");
        compareOrAdd = operand;
        swap = replacement;
        room = ATOMIC_BYTES;
        return this;
    }

    private SendQueueBase remote(RemoteBuffer remote, long offset) {
        if (offset < 0 || offset > remote.length()) {
            throw withdraw(new IndexOutOfBoundsException(
                    "offset " + offset + " is not within the " + remote.length() + " bytes of the peer's buffer"));
        }
        remoteAddress = remote.address() + offset;
        rkey = remote.rkey();
        room = remote.length() - offset;
        return this;
    }

    @Override
    public final SendWorkRequest local(MemoryRegion region, long offset, long length) {
        writing();
        checkDescription(operation.hasData(), "this request has no data");
        checkDescription((flags & INLINE) == 0, "a request has either inline data or elements, not both");
        addElement(region, offset, length);
        take(length);
        return this;
    }

    @Override
    public final SendWorkRequest inline(MemorySegment data, long offset, long length) {
        boolean write = writing();
        checkDescription(operation.hasData(), "this request has no data");
        checkDescription(!operation.isAnswered(), "a READ has no inline data, nor has an atomic");
        checkDescription(
                elementCount() == 0 && (flags & INLINE) == 0, "a request has inline data once, and then no elements");
        if (offset < 0 || length < 0 || offset > data.byteSize() - length) {
            throw withdraw(new IndexOutOfBoundsException("bytes " + offset + " to " + offset + " + " + length
                    + " are not within the " + data.byteSize() + " bytes of the memory"));
        }
        if (length > maxInlineSize) {
            throw withdraw(new IllegalArgumentException("the queue pair has room for " + maxInlineSize
                    + " bytes of inline data, not " + length + inlineAdvice()));
        }
        flags |= INLINE;
        if (write) {
            writeInline(current(), data, offset, length);
        }
        take(length);
        return this;
    }

    private String inlineAdvice() {
        if (askedInlineSize == 0) {
            return ": none was asked for with QueuePairSpec.withInline";
        }
        if (maxInlineSize < askedInlineSize) {
            return ": " + askedInlineSize + " were asked for with QueuePairSpec.withInline, and the device gave "
                    + (maxInlineSize == 0 ? "none; ask Context.supports(Feature.INLINE) before" : "less");
        }
        return "; ask for more with QueuePairSpec.withInline";
    }

    private void take(long length) {
        if (length > room) {
            throw withdraw(new IllegalArgumentException(
                    operation.isAtomic()
                            ? "an atomic has one local element of 8 bytes"
                            : "the message is longer than what is left of the peer's buffer, by " + (length - room)
                                    + " bytes"));
        }
        room -= length;
    }

    @Override
    public final SendWorkRequest signaled() {
        return flag(SIGNALED);
    }

    @Override
    public final SendWorkRequest solicited() {
        return flag(SOLICITED);
    }

    @Override
    public final SendWorkRequest fenced() {
        return flag(FENCE);
    }

    @Override
    public final SendWorkRequest to(AddressHandle handle, int remoteQpn, int qkey) {
        writing();
        checkDescription(datagrams, "only datagrams have a destination of their own, and this is not a UD queue pair");
        checkDescription(remoteQpn >>> QPN_BITS == 0, "a queue pair number has 24 bits");
        if (!(handle instanceof AddressHandleBase base)) {
            throw withdraw(new IllegalArgumentException("the address handle is not one of a verbs provider"));
        }
        if (!base.isOpen()) {
            throw withdraw(new IllegalStateException(base + " is closed"));
        }
        checkDescription(accepts(base), "the address handle is not of the queue pair's protection domain");
        destination = base;
        destinationQpn = remoteQpn;
        destinationQkey = qkey;
        return this;
    }

    @Override
    public final SendWorkRequest toSharedReceiveQueue(int number) {
        writing();
        checkDescription(extended, "only XRC_SEND queue pairs name a shared receive queue of the peer");
        checkDescription(number >>> QPN_BITS == 0, "the number of a shared receive queue has 24 bits");
        sharedReceiveQueue = number;
        return this;
    }

    private SendWorkRequest flag(int flag) {
        writing();
        flags |= flag;
        return this;
    }
}
