// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.WcStatus;

/**
 * The sending half of a reliable connection: a window of requests from the first unfinished to the last claimed,
 * in order.
 *
 * <pre>
 *   head ............ acknowledged ........... next ............ tail
 *        finished                    under way       not sent yet
 * </pre>
 *
 * <p>One thread at a time. Requests finish in order: what fails before it was sent waits for its turn.
 *
 * @param <R> the device's requests
 */
public final class Requester<R extends Request> {
    /** The code of {@code rnr_retry} that means without end (IBTA volume 1, section 11.2.5.2). */
    private static final int INFINITE_RETRIES = 7;

    private enum State {
        /** Sends what the window holds. */
        READY,
        /** The responder asked for time. */
        AWAITING_RECEIVE,
        /** Nobody answered. */
        AWAITING_TIMEOUT,
        /** A request failed: nothing is sent any more. */
        FAILED
    }

    private final R[] window;
    private final int mask;

    private long head;
    private long acknowledged;
    private long next;
    private long tail;

    private State state = State.FAILED;
    private long deadlineNs = Long.MAX_VALUE;
    private boolean repeating;
    private int reads;
    private int nextPsn;

    private int mtu = 256;
    private int maxReads;
    private long timeoutNs;
    private int retryCount;
    private int rnrRetryCount;
    private int retriesLeft;
    private int rnrRetriesLeft;

    /**
     * A requester that sends nothing before {@link #start}.
     *
     * @param window the requests, a power of two
     */
    public Requester(R[] window) {
        this.window = window;
        this.mask = window.length - 1;
    }

    /**
     * Begins a connection; the window must be empty.
     *
     * @param psn first packet sequence number
     * @param mtuBytes the path's MTU
     */
    public void start(int psn, int mtuBytes) {
        head = 0;
        acknowledged = 0;
        next = 0;
        tail = 0;
        reads = 0;
        repeating = false;
        nextPsn = Psn.of(psn);
        mtu = mtuBytes;
        ready();
    }

    /**
     * Sets what may change while the connection lives.
     *
     * @param ackTimeoutNs how long to wait for an answer, 0 for ever
     * @param retries repetitions when nobody answers, 0 to 7
     * @param rnrRetries repetitions when there is no receive, 0 to 6, or 7 for any number
     * @param maxOutstandingReads READs and atomic operations under way at once
     */
    public void limits(long ackTimeoutNs, int retries, int rnrRetries, int maxOutstandingReads) {
        timeoutNs = ackTimeoutNs;
        retryCount = retries;
        rnrRetryCount = rnrRetries;
        maxReads = maxOutstandingReads;
        refillRetries();
    }

    /** The packet sequence number of the next request. */
    public int nextPsn() {
        return nextPsn;
    }

    /** Whether no request is in the window. */
    public boolean isEmpty() {
        return head == tail;
    }

    /** Whether the window holds requests that were not sent, or are to be sent again. */
    public boolean hasUnsent() {
        return next != tail;
    }

    /** Whether a request failed, after which nothing is sent. */
    public boolean isFailed() {
        return state == State.FAILED;
    }

    /** The next free request, to be filled in and {@link #append appended}, or null when the window is full. */
    public @Nullable R claim() {
        return tail - head > mask ? null : window[(int) tail & mask];
    }

    /** Puts the claimed request at the end of the window. */
    public void append(R request) {
        int packets = request.isLocal() ? 0 : Psn.packets(request.length(), mtu);
        request.number(nextPsn, packets);
        if (request.isPending()) {
            nextPsn = Psn.plus(nextPsn, packets);
        }
        tail++;
    }

    /** Position in the window of the request that {@link #next} gave. */
    public int nextSlot() {
        return (int) next & mask;
    }

    /** The request that may be sent now, or null. */
    public @Nullable R next() {
        if (state != State.READY || next == tail) {
            return null;
        }
        R request = window[(int) next & mask];
        if (!request.isPending()) {
            return null; // refused on our own side: finishes when it is the oldest
        }
        if (reads != 0 && (request.isFenced() || !request.awaitsData())) {
            // IBTA volume 1, table 76, asks for this after a fence only. Without it a WRITE that follows a READ
            // could overtake the fetching of its data, which no hardware lets programs see.
            return null;
        }
        if (request.isLocal() && acknowledged != next) {
            return null;
        }
        if (request.awaitsData() && reads >= maxReads) {
            return null;
        }
        return request;
    }

    /** Finishes what {@link #next} gave, a request that is not sent. */
    public void carriedOut(int wcStatus) {
        sent();
        if (wcStatus == WcStatus.SUCCESS) {
            onAcknowledge();
        } else {
            onFailure(wcStatus);
        }
    }

    /** Records that {@link #next} was sent. */
    public void sent() {
        R request = window[(int) next & mask];
        if (request.awaitsData()) {
            request.depth(++reads);
        }
        next++;
    }

    /**
     * Whether the requests under way are to be sent again. They must have left the wire first, or the responder
     * would see them twice at once; {@link #repeat} says that they have.
     */
    public boolean isRepeating() {
        return repeating;
    }

    /** Allows the requests under way to be sent again. */
    public void repeat() {
        repeating = false;
    }

    /** Whether a request is the oldest one under way, the only one that an answer can be about. */
    @SuppressWarnings("ReferenceEquality") // requests are made once and used again
    public boolean isOldest(R request) {
        return acknowledged != next && window[(int) acknowledged & mask] == request;
    }

    /** The oldest request under way was executed. */
    public void onAcknowledge() {
        R request = window[(int) acknowledged & mask];
        if (request.awaitsData()) {
            reads--;
        }
        request.finish(WcStatus.SUCCESS);
        acknowledged++;
        refillRetries();
    }

    /** The oldest request under way failed for good. */
    public void onFailure(int wcStatus) {
        window[(int) acknowledged & mask].finish(wcStatus);
        acknowledged++;
        fail();
    }

    /**
     * The oldest request under way found no receive.
     *
     * @param waitNs how long the responder wants to be left alone
     */
    public void onReceiverNotReady(long waitNs, long nowNs) {
        if (rnrRetryCount != INFINITE_RETRIES) {
            if (rnrRetriesLeft == 0) {
                onFailure(WcStatus.RNR_RETRY_EXC_ERR);
                return;
            }
            rnrRetriesLeft--;
        }
        await(State.AWAITING_RECEIVE, later(nowNs, waitNs));
    }

    /** The oldest request under way was ahead of what the responder expects. */
    public void onSequenceError() {
        if (retriesLeft == 0) {
            onFailure(WcStatus.RETRY_EXC_ERR);
            return;
        }
        retriesLeft--;
        await(State.READY, Long.MAX_VALUE);
    }

    /** Nobody answers to the oldest request, sent or about to be sent. */
    public void onLost(long nowNs) {
        await(State.AWAITING_TIMEOUT, timeoutNs == 0 ? Long.MAX_VALUE : later(nowNs, timeoutNs));
    }

    /** When {@link #onDeadline} wants to be called; {@link Long#MAX_VALUE} for never. */
    public long deadlineNs() {
        return deadlineNs;
    }

    /** Time has passed. */
    public void onDeadline(long nowNs) {
        if (nowNs < deadlineNs) {
            return;
        }
        switch (state) {
            case AWAITING_RECEIVE -> ready();
            case AWAITING_TIMEOUT -> {
                if (retriesLeft == 0) {
                    // claimed but never sent counts as sent: it was offered to a link that found nobody
                    onFailure(WcStatus.RETRY_EXC_ERR);
                    next = Math.max(next, acknowledged);
                } else {
                    retriesLeft--;
                    ready();
                }
            }
            case READY, FAILED -> deadlineNs = Long.MAX_VALUE;
        }
    }

    /** The oldest request, if it is finished; otherwise null. */
    public @Nullable R finished() {
        if (head == tail) {
            return null;
        }
        R request = window[(int) head & mask];
        if (request.isPending()) {
            return null;
        }
        if (request.status() != WcStatus.SUCCESS) {
            fail();
        }
        return request;
    }

    /** The oldest request, finished or not, for flushing; null when there is none. */
    public @Nullable R oldest() {
        return head == tail ? null : window[(int) head & mask];
    }

    /** Gives the oldest request's place back. */
    public void retire() {
        head++;
        acknowledged = Math.max(acknowledged, head);
        next = Math.max(next, head);
    }

    /** Stops sending for good. */
    public void fail() {
        state = State.FAILED;
        deadlineNs = Long.MAX_VALUE;
    }

    /** Forgets everything and stops sending. */
    public void discard() {
        head = tail;
        acknowledged = tail;
        next = tail;
        reads = 0;
        fail();
    }

    private void ready() {
        state = State.READY;
        deadlineNs = Long.MAX_VALUE;
    }

    /** Goes back to the oldest request under way: it and all after it are sent again. */
    private void await(State waiting, long untilNs) {
        state = waiting;
        deadlineNs = untilNs;
        repeating = true;
        next = acknowledged;
        reads = 0;
    }

    private void refillRetries() {
        retriesLeft = retryCount;
        rnrRetriesLeft = rnrRetryCount;
    }

    private static long later(long nowNs, long waitNs) {
        long then = nowNs + waitNs;
        return then < nowNs ? Long.MAX_VALUE - 1 : then;
    }
}
