// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.INDEX;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The two indices of a ring ({@code struct pvrdma_ring}) and what they mean. The first page of a ring's memory
 * holds a pair for sending at {@link #TX_OFFSET} and one for receiving at {@link #RX_OFFSET} ({@code struct
 * pvrdma_ring_state}); completion queues and notification rings use the second.
 *
 * <p>Indices count modulo 2n for a ring of n elements, n a power of two: the bit worth n tells a full ring from
 * an empty one (pvrdma_ring.h). The other side may write anything there. So: read an index once into a local,
 * ask {@link #isCorrupt}, and go on with the local. Three questions, three methods: a three-valued answer is
 * what once sent an emulator round an endless loop.
 *
 * <p>Each index has one writer: it may read its own index plainly, publishes it with release, and reads the
 * other's with acquire, so that what an element holds is visible before the index that covers it.
 */
public final class RingState {
    /** Bytes of {@code struct pvrdma_ring}. */
    public static final int SIZE = 8;

    public static final int PROD_TAIL_OFFSET = 0;
    public static final int CONS_HEAD_OFFSET = 4;

    /** Bytes of {@code struct pvrdma_ring_state}. */
    public static final int PAIR_SIZE = 16;

    public static final int TX_OFFSET = 0;
    public static final int RX_OFFSET = 8;

    private static final VarHandle INDEX_HANDLE = INDEX.varHandle();

    /**
     * Elements of the smallest ring that holds so many: the next power of two.
     *
     * @param wanted at most 2^30; less than 1 counts as 1
     */
    public static int elements(int wanted) {
        return Layouts.powerOfTwoAtLeast(wanted);
    }

    /** Reads the producer's index; pairs with {@link #publishProdTail}. */
    public static int prodTail(MemorySegment s, long base) {
        return (int) INDEX_HANDLE.getAcquire(s, base + PROD_TAIL_OFFSET);
    }

    /** Publishes the elements below {@code tail}; pairs with {@link #prodTail}. */
    public static void publishProdTail(MemorySegment s, long base, int tail) {
        INDEX_HANDLE.setRelease(s, base + PROD_TAIL_OFFSET, tail);
    }

    /** Reads the consumer's index; pairs with {@link #publishConsHead}. */
    public static int consHead(MemorySegment s, long base) {
        return (int) INDEX_HANDLE.getAcquire(s, base + CONS_HEAD_OFFSET);
    }

    /** Gives the elements below {@code head} back to the producer; pairs with {@link #consHead}. */
    public static void publishConsHead(MemorySegment s, long base, int head) {
        INDEX_HANDLE.setRelease(s, base + CONS_HEAD_OFFSET, head);
    }

    /** Whether either index is none of a ring of {@code elements}. */
    public static boolean isCorrupt(int tail, int head, int elements) {
        // elements is a power of two, so indices below 2n have no bit above the one worth n
        return ((tail | head) & -(elements << 1)) != 0;
    }

    /** Whether the consumer has everything. Ask {@link #isCorrupt} first. */
    public static boolean isEmpty(int tail, int head) {
        return tail == head;
    }

    /** Whether the producer must wait. Ask {@link #isCorrupt} first. */
    public static boolean isFull(int tail, int head, int elements) {
        return tail == (head ^ elements);
    }

    /** Elements between the two. Ask {@link #isCorrupt} first: more than n is possible with hostile indices. */
    public static int used(int tail, int head, int elements) {
        return tail - head & (elements << 1) - 1;
    }

    /** Where in the ring an index points: 0 to n - 1. */
    public static int slot(int index, int elements) {
        return index & elements - 1;
    }

    /** The index after {@code index}. */
    public static int next(int index, int elements) {
        return index + 1 & (elements << 1) - 1;
    }

    private RingState() {}
}
