// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.lang.foreign.MemorySegment;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SendWorkRequest;

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

    private final int maxInlineSize;
    private final int initialFlags;

    private SendOperation operation = SendOperation.SEND;
    private long id;
    private long remoteAddress;
    private int rkey;
    private int immediate;
    private int flags;

    /** The bytes that the message may still grow by. */
    private long room;

    /**
     * The send queue of a new queue pair.
     *
     * @param description what it is, for messages, as {@code send queue of QP 0x11 of emu0}
     * @param capacity the sizes that the device gave
     * @param signalAll whether every request is signaled
     */
    protected SendQueueBase(String description, QueuePairCapacity capacity, boolean signalAll) {
        super("ibv_post_send", description, capacity.maxSendElements());
        this.maxInlineSize = capacity.maxInlineSize();
        this.initialFlags = signalAll ? SIGNALED : 0;
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
     * Writes the rest of a request, whose elements or inline data have been written before.
     *
     * @param request the number of the request within the batch, from 0
     * @param requestedOperation what to do
     * @param requestId comes back in the completion
     * @param elementCount the number of scatter/gather elements; 0 with inline data
     * @param sendFlags of {@code enum ibv_send_flags}
     * @param address the peer's address, if the operation names the peer's memory
     * @param remoteKey the remote key, likewise
     * @param immediateData in host order, if the operation has it
     */
    protected abstract void writeRequest(
            int request,
            SendOperation requestedOperation,
            long requestId,
            int elementCount,
            int sendFlags,
            long address,
            int remoteKey,
            int immediateData);

    @Override
    final void finish(int request, int elementCount) {
        writeRequest(request, operation, id, elementCount, flags, remoteAddress, rkey, immediate);
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

    private SendQueueBase begin(SendOperation requested, long requestId, int immediateData) {
        begin();
        operation = requested;
        id = requestId;
        immediate = immediateData;
        flags = initialFlags;
        remoteAddress = 0;
        rkey = 0;
        room = Long.MAX_VALUE;
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
        checkDescription((flags & INLINE) == 0, "a request has either inline data or elements, not both");
        addElement(region, offset, length);
        take(length);
        return this;
    }

    @Override
    public final SendWorkRequest inline(MemorySegment data, long offset, long length) {
        boolean write = writing();
        checkDescription(operation != SendOperation.READ, "a READ has no inline data");
        checkDescription(
                elementCount() == 0 && (flags & INLINE) == 0, "a request has inline data once, and then no elements");
        if (offset < 0 || length < 0 || offset > data.byteSize() - length) {
            throw withdraw(new IndexOutOfBoundsException("bytes " + offset + " to " + offset + " + " + length
                    + " are not within the " + data.byteSize() + " bytes of the memory"));
        }
        if (length > maxInlineSize) {
            throw withdraw(new IllegalArgumentException("the queue pair has room for " + maxInlineSize
                    + " bytes of inline data, not " + length
                    + (maxInlineSize == 0
                            ? ": the device has no inline data, or none was asked for with QueuePairSpec.withInline"
                            : "; ask for more with QueuePairSpec.withInline")));
        }
        flags |= INLINE;
        if (write) {
            writeInline(current(), data, offset, length);
        }
        take(length);
        return this;
    }

    private void take(long length) {
        if (length > room) {
            throw withdraw(new IllegalArgumentException(
                    "the message is longer than what is left of the peer's buffer, by " + (length - room) + " bytes"));
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

    private SendWorkRequest flag(int flag) {
        writing();
        flags |= flag;
        return this;
    }
}
