// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The account of a shared receive queue. Its receives complete in any order, on any completion queue, so that many threads
 * may give slots back while one posts.
 *
 * <p>Slots that were given back form a stack linked through {@link #below}. Whoever polls pushes one; the posting thread takes
 * the whole stack at once, so that no slot can come back under a push that is under way and be mistaken (no ABA), and puts
 * it in a ring of its own. Nothing is allocated and nobody waits.
 *
 * <p>A position (24 bits) is the number of a slot and, in the bits above, a turn that changes whenever the slot is used: an id
 * that is not the one outstanding is not believed.
 */
final class SharedReceiveAccount implements RequestAccount {
    private static final VarHandle RELEASED;
    private static final VarHandle OUTSTANDING = MethodHandles.arrayElementVarHandle(int[].class);

    static {
        try {
            RELEASED = MethodHandles.lookup().findVarHandle(SharedReceiveAccount.class, "released", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int NONE = -1;

    private final long queue;
    private final int capacity;
    private final int slotMask;
    private final long[] ids;

    /** By slot: the position of its outstanding receive, or {@link #NONE}. */
    private final int[] outstanding;

    /** By slot: the one below it in the stack. */
    private final int[] below;

    /** The top of the stack of slots that were given back, or {@link #NONE}. */
    private int released = NONE;

    /** By slot: the position that its next receive will have. Only the posting thread looks, as at the three below. */
    private final int[] positions;

    /** Free slots, a ring: request k of the batch takes the k-th from {@link #firstFree} on. */
    private final int[] free;

    private int firstFree;
    private int freeCount;

    /**
     * An empty queue.
     *
     * @param queue what its ids have in common, of {@link RequestId#queue}
     * @param capacity how many receives may be outstanding, at most {@link RequestRing#CAPACITY_MAX}
     */
    SharedReceiveAccount(long queue, int capacity) {
        assert capacity >= 0 && capacity <= RequestRing.CAPACITY_MAX;
        int length = capacity <= 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1;
        this.queue = queue;
        this.capacity = capacity;
        this.slotMask = length - 1;
        this.ids = new long[capacity];
        this.outstanding = new int[capacity];
        this.below = new int[capacity];
        this.positions = new int[capacity];
        this.free = new int[length];
        this.freeCount = capacity;
        Arrays.fill(outstanding, NONE);
        for (int slot = 0; slot < capacity; slot++) {
            positions[slot] = slot;
            free[slot] = slot;
        }
    }

    /** How many receives the queue can take. For the posting thread. */
    int free() {
        if ((int) RELEASED.getOpaque(this) != NONE) {
            // pairs with the push in complete(): the ids of these slots have been read
            int slot = (int) RELEASED.getAndSetAcquire(this, NONE);
            for (int taken = 0; slot != NONE && taken < capacity; taken++) {
                free[firstFree + freeCount & slotMask] = slot;
                freeCount++;
                slot = below[slot];
            }
        }
        return freeCount;
    }

    /**
     * Notes the user's id of a receive that is being written.
     *
     * @param request its number in the batch, less than {@link #free()}
     * @param userId comes back in its completion
     * @return the id for the device
     */
    long describe(int request, long userId) {
        int slot = slotOf(request);
        ids[slot] = userId;
        return queue | positions[slot];
    }

    private int slotOf(int request) {
        return free[firstFree + request & slotMask];
    }

    @Override
    public void post(int count) {
        for (int request = 0; request < count; request++) {
            int slot = slotOf(request);
            int position = positions[slot];
            positions[slot] = position + slotMask + 1 & RequestId.POSITION_MASK;
            // pairs with the acquire in claim(): the id is visible to whoever polls the completion
            OUTSTANDING.setRelease(outstanding, slot, position);
        }
        firstFree += count;
        freeCount -= count;
    }

    @Override
    public void retract(int count) {
        firstFree -= count;
        freeCount += count;
        for (int request = 0; request < count; request++) {
            OUTSTANDING.setRelease(outstanding, slotOf(request), NONE);
        }
    }

    @Override
    public boolean claim(long id) {
        int position = RequestId.position(id);
        int slot = position & slotMask;
        return RequestId.queueOf(id) == queue
                && slot < capacity
                && OUTSTANDING.compareAndSet(outstanding, slot, position, NONE);
    }

    @Override
    public long complete(long id) {
        int slot = RequestId.position(id) & slotMask;
        long userId = ids[slot];
        int top;
        do {
            top = (int) RELEASED.getOpaque(this);
            below[slot] = top;
        } while (!RELEASED.weakCompareAndSet(this, top, slot));
        return userId;
    }
}
