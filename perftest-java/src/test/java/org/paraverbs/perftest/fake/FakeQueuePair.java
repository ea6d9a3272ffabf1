// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.fake;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.CompletionRecord;
import org.paraverbs.verbs.CompletionStatus;
import org.paraverbs.verbs.Endpoint;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.Opcode;
import org.paraverbs.verbs.PostException;
import org.paraverbs.verbs.QueuePair;
import org.paraverbs.verbs.QueuePairAttributes;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.QueuePairState;
import org.paraverbs.verbs.QueuePairType;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.ReceiveWorkRequest;
import org.paraverbs.verbs.RemoteBuffer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.SendQueue;
import org.paraverbs.verbs.SendWorkRequest;
import org.paraverbs.verbs.SharedReceiveQueue;
import org.paraverbs.verbs.Transition;

/** Posting carries a request out at once, in the thread that posts. */
final class FakeQueuePair implements QueuePair {
    private final FakeDevice device;
    private final QueuePairSpec spec;
    private final int qpn = FakeDevice.NUMBERS.incrementAndGet();
    private final Sends sends = new Sends();
    private final Receives receives = new Receives();
    private volatile QueuePairState state = QueuePairState.RESET;
    private volatile int remoteQpn;
    private volatile @Nullable CompletionRecord firstError;

    // Guarded by this.
    private final ArrayDeque<Request> postedReceives = new ArrayDeque<>();
    private final ArrayDeque<Request> arrived = new ArrayDeque<>();
    private int outstandingSends;
    private long sendNumber;

    FakeQueuePair(FakeDevice device, QueuePairSpec spec) {
        this.device = device;
        this.spec = spec;
        FakeDevice.QUEUE_PAIRS.put(qpn, this);
    }

    /** One request of either queue, as it was described. */
    private static final class Request {
        private final long id;
        private final boolean write;
        private final long remoteAddress;
        private final int rkey;
        private @Nullable MemorySegment data;
        private boolean signaled;

        /** How many requests are done with this one's completion. */
        private int covered;

        Request(long id, boolean write, long remoteAddress, int rkey) {
            this.id = id;
            this.write = write;
            this.remoteAddress = remoteAddress;
            this.rkey = rkey;
        }

        MemorySegment bytes() {
            return data == null ? MemorySegment.NULL : data;
        }
    }

    private final class Sends implements SendQueue, SendWorkRequest {
        private final List<Request> batch = new ArrayList<>();
        private int unsignaled;

        private SendWorkRequest begin(Request request) {
            batch.add(request);
            return this;
        }

        @Override
        public SendWorkRequest send(long id) {
            return begin(new Request(id, false, 0, 0));
        }

        @Override
        public SendWorkRequest write(long id, RemoteBuffer remote, long offset) {
            return begin(new Request(id, true, remote.address() + offset, remote.rkey()));
        }

        @Override
        public SendWorkRequest local(MemoryRegion region, long offset, long length) {
            batch.getLast().data = region.memory().asSlice(offset, length);
            return this;
        }

        @Override
        public SendWorkRequest inline(MemorySegment data, long offset, long length) {
            if (length > capacity().maxInlineSize()) {
                throw new IllegalArgumentException("too long to be inline: " + length);
            }
            batch.getLast().data = data.asSlice(offset, length);
            return this;
        }

        @Override
        public SendWorkRequest signaled() {
            batch.getLast().signaled = true;
            return this;
        }

        @Override
        public void post() {
            for (Request request : batch) {
                synchronized (FakeQueuePair.this) {
                    if (state != QueuePairState.READY_TO_SEND && state != QueuePairState.ERROR) {
                        throw new PostException("ibv_post_send", "QP in " + state, 22, 0, "");
                    }
                    if (outstandingSends == spec.capacity().maxSends()) {
                        throw new PostException("ibv_post_send", "QP", 12, 0, "the queue is full");
                    }
                    outstandingSends++;
                    unsignaled++;
                    if (request.signaled) {
                        request.covered = unsignaled;
                        unsignaled = 0;
                    }
                }
                carryOut(request);
            }
            batch.clear();
        }

        @Override
        public SendWorkRequest sendWithImmediate(long id, int immediate) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SendWorkRequest writeWithImmediate(long id, RemoteBuffer remote, long offset, int immediate) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SendWorkRequest read(long id, RemoteBuffer remote, long offset) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SendWorkRequest compareAndSwap(
                long id, RemoteBuffer remote, long offset, long expected, long replacement) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SendWorkRequest fetchAndAdd(long id, RemoteBuffer remote, long offset, long addend) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SendWorkRequest to(AddressHandle handle, int remoteQpn, int qkey) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int tryPost() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void abandon() {
            batch.clear();
        }

        @Override
        public int available() {
            return spec.capacity().maxSends() - outstandingSends;
        }

        @Override
        public SendWorkRequest solicited() {
            return this;
        }

        @Override
        public SendWorkRequest fenced() {
            return this;
        }
    }

    private final class Receives implements ReceiveQueue, ReceiveWorkRequest {
        private final List<Request> batch = new ArrayList<>();

        @Override
        public ReceiveWorkRequest receive(long id) {
            batch.add(new Request(id, false, 0, 0));
            return this;
        }

        @Override
        public ReceiveWorkRequest local(MemoryRegion region, long offset, long length) {
            batch.getLast().data = region.memory().asSlice(offset, length);
            return this;
        }

        @Override
        public void post() {
            synchronized (FakeQueuePair.this) {
                for (Request request : batch) {
                    if (postedReceives.size() == spec.capacity().maxReceives()) {
                        throw new PostException("ibv_post_recv", "QP", 12, 0, "the queue is full");
                    }
                    postedReceives.add(request);
                }
                batch.clear();
                deliver();
            }
        }

        @Override
        public int tryPost() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void abandon() {
            batch.clear();
        }

        @Override
        public int available() {
            return spec.capacity().maxReceives() - postedReceives.size();
        }
    }

    private void carryOut(Request request) {
        long number = ++sendNumber;
        if (number >= device.silentFromSend) {
            return;
        }
        CompletionStatus status = number >= device.failFromSend ? device.failure : transfer(request);
        if (status != CompletionStatus.SUCCESS) {
            state = QueuePairState.ERROR;
        }
        if (request.signaled || status != CompletionStatus.SUCCESS) {
            complete(spec.sendCompletions(), request, status, Opcode.SEND);
        }
    }

    private CompletionStatus transfer(Request request) {
        FakeQueuePair peer = FakeDevice.QUEUE_PAIRS.get(remoteQpn);
        if (state == QueuePairState.ERROR) {
            return CompletionStatus.WORK_REQUEST_FLUSHED;
        }
        if (peer == null) {
            return CompletionStatus.RETRY_EXCEEDED;
        }
        if (!request.write) {
            synchronized (peer) {
                peer.arrived.add(request);
                peer.deliver();
            }
            return CompletionStatus.SUCCESS;
        }
        FakeMemoryRegion region = FakeDevice.REGIONS.get(request.rkey);
        long offset = region == null ? -1 : request.remoteAddress - region.address();
        long length = request.bytes().byteSize();
        if (region == null || offset < 0 || offset > region.length() - length) {
            return CompletionStatus.REMOTE_ACCESS_ERROR;
        }
        region.memory().asSlice(offset, length).copyFrom(request.bytes());
        return CompletionStatus.SUCCESS;
    }

    /** Called with the lock of this queue pair: messages wait for receives, as with RNR retries without end. */
    private void deliver() {
        while (!arrived.isEmpty() && !postedReceives.isEmpty()) {
            MemorySegment message = arrived.remove().bytes();
            Request receive = postedReceives.remove();
            boolean fits = message.byteSize() <= receive.bytes().byteSize();
            if (fits) {
                receive.bytes().asSlice(0, message.byteSize()).copyFrom(message);
            }
            CompletionStatus status = fits ? CompletionStatus.SUCCESS : CompletionStatus.LOCAL_LENGTH_ERROR;
            complete(spec.receiveCompletions(), receive, status, Opcode.RECEIVE);
        }
    }

    private void complete(
            org.paraverbs.verbs.CompletionQueue queue, Request request, CompletionStatus status, Opcode opcode) {
        var completion = new CompletionRecord(
                request.id,
                status,
                code(status),
                opcode,
                request.bytes().byteSize(),
                false,
                request.covered,
                qpn,
                0,
                0,
                0,
                false,
                0);
        ((FakeContext.FakeCompletionQueue) queue).add(completion);
    }

    private static int code(CompletionStatus status) {
        int code = 0;
        while (CompletionStatus.ofCode(code) != status) {
            code++;
        }
        return code;
    }

    /** A slot is free again once its completion has been polled. */
    static void polled(CompletionRecord completion) {
        FakeQueuePair queuePair = FakeDevice.QUEUE_PAIRS.get(completion.qpn());
        if (queuePair != null) {
            synchronized (queuePair) {
                queuePair.outstandingSends -= completion.immediate();
                if (!completion.isSuccess() && queuePair.firstError == null) {
                    queuePair.firstError = completion;
                }
            }
        }
    }

    @Override
    public void modify(Transition transition) {
        device.transitions.add(transition);
        state = transition.target();
        if (transition instanceof Transition.ReadyToReceive ready) {
            remoteQpn = ready.remoteQpn();
        }
    }

    @Override
    public int qpn() {
        return qpn;
    }

    @Override
    public QueuePairType type() {
        return spec.type();
    }

    @Override
    public QueuePairCapacity capacity() {
        QueuePairCapacity asked = spec.capacity();
        return new QueuePairCapacity(
                asked.maxSends(), asked.maxReceives(), 1, 1, Math.min(asked.maxInlineSize(), device.maxInlineSize));
    }

    @Override
    public QueuePairState state() {
        return state;
    }

    @Override
    public @Nullable CompletionRecord firstError() {
        return firstError;
    }

    @Override
    public SendQueue sendQueue() {
        return sends;
    }

    @Override
    public ReceiveQueue receiveQueue() {
        return receives;
    }

    @Override
    public QueuePairAttributes query() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Endpoint endpoint() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Endpoint endpoint(int port, int gidIndex) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String endpointChoice() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void connect(Endpoint remote) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void activate() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Route routeTo(Endpoint remote) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable SharedReceiveQueue sharedReceiveQueue() {
        return null;
    }

    @Override
    public boolean isOpen() {
        return FakeDevice.QUEUE_PAIRS.containsKey(qpn);
    }

    @Override
    public void close() {
        FakeDevice.QUEUE_PAIRS.remove(qpn);
    }
}
