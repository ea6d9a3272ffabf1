// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Our own account of the slots of a send or receive queue: the user's id of each outstanding request, how many were
 * posted, and how many are known to be done. The library has such an account too, but answers only after the fact.
 *
 * <p>One thread posts and one thread polls at a time, not the same one. Positions count requests modulo 2^24; a queue has
 * far fewer slots, so the difference of two positions is unambiguous.
 */
final class RequestRing implements RequestAccount {
    private static final VarHandle POSTED;
    private static final VarHandle COMPLETED;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(RequestRing.class, "posted", int.class);
            COMPLETED = MethodHandles.lookup().findVarHandle(RequestRing.class, "completed", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** So that positions of a full queue, and of one more batch, are still unambiguous. */
    static final int CAPACITY_MAX = 1 << (RequestId.POSITION_BITS - 2);

    private final long queue;
    private final int capacity;
    private final long[] ids;

    /** The position of the next request; only the posting thread writes it. */
    private int posted;

    /** The position of the oldest request that is not known to be done; only the polling thread writes it. */
    private int completed;

    /**
     * An empty queue.
     *
     * @param queue what its ids have in common, of {@link RequestId#queue}
     * @param capacity how many requests may be outstanding, at most {@link #CAPACITY_MAX}
     */
    RequestRing(long queue, int capacity) {
        assert capacity >= 0 && capacity <= CAPACITY_MAX;
        this.queue = queue;
        this.capacity = capacity;
        this.ids = new long[capacity <= 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1];
    }

    /** How many requests the queue can take. For the posting thread. */
    int free() {
        // pairs with setRelease in complete(): the ids of free slots have been read
        int done = (int) COMPLETED.getAcquire(this);
        return capacity - (posted - done & RequestId.POSITION_MASK);
    }

    /**
     * Notes the user's id of a request that is being written.
     *
     * @param request its number in the batch, less than {@link #free()}
     * @param userId comes back in its completion
     * @return the id for the device
     */
    long describe(int request, long userId) {
        int position = posted + request & RequestId.POSITION_MASK;
        ids[position & ids.length - 1] = userId;
        return queue | position;
    }

    @Override
    public void post(int count) {
        // pairs with getAcquire in complete(): the ids are visible to whoever polls the completion
        POSTED.setRelease(this, posted + count & RequestId.POSITION_MASK);
    }

    @Override
    public void retract(int count) {
        POSTED.setRelease(this, posted - count & RequestId.POSITION_MASK);
    }

    /** Whether an id of the device was given by {@link #describe}, of this account and not of one before a reset. */
    boolean owns(long id) {
        return RequestId.queueOf(id) == queue;
    }

    /** Whether an id of the device belongs to an outstanding request of this queue. For the polling thread. */
    boolean isOutstanding(long id) {
        int age = RequestId.position(id) - completed & RequestId.POSITION_MASK;
        return owns(id) && age < ((int) POSTED.getAcquire(this) - completed & RequestId.POSITION_MASK);
    }

    /** As {@link #isOutstanding}: only {@link #complete} changes the account. */
    @Override
    public boolean claim(long id) {
        return isOutstanding(id);
    }

    /**
     * Frees the slot of a completed request and of all before it, which had no completion of their own: a queue completes
     * in order.
     *
     * @param id of the device, {@linkplain #isOutstanding outstanding}
     * @return the user's id
     */
    @Override
    public long complete(long id) {
        int position = RequestId.position(id);
        long userId = ids[position & ids.length - 1];
        COMPLETED.setRelease(this, position + 1 & RequestId.POSITION_MASK);
        return userId;
    }
}
