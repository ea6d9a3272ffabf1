// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

/**
 * The {@code wr_id} that the device carries for us: which queue a request belongs to and its position there. The id of
 * the user stays in {@link RequestRing}. So a completion leads to its queue without a search, says how many slots became
 * free, and is recognised when its queue pair is gone.
 *
 * <pre>
 *   63      44 43         25 24        23       0
 *   | slot 20 | generation 19 | receive 1 | position 24 |
 * </pre>
 *
 * The generation tells the queue pairs apart that have the same slot one after the other, and the lives of one queue pair
 * between resets.
 */
final class RequestId {
    static final int SLOT_BITS = 20;
    static final int GENERATION_BITS = 19;
    static final int POSITION_BITS = 24;

    static final int SLOT_COUNT = 1 << SLOT_BITS;
    static final int GENERATION_MASK = (1 << GENERATION_BITS) - 1;
    static final int POSITION_MASK = (1 << POSITION_BITS) - 1;

    /** Why there is no slot left. */
    static final String TABLE_FULL =
            "a context holds at most " + SLOT_COUNT + " queue pairs and shared receive queues together";

    private static final long RECEIVE = 1L << POSITION_BITS;
    private static final int GENERATION_SHIFT = POSITION_BITS + 1;
    private static final int SLOT_SHIFT = GENERATION_SHIFT + GENERATION_BITS;

    private RequestId() {}

    /** What all requests of a queue have in common: an id with position 0. */
    static long queue(int slot, int generation, boolean receive) {
        return (long) slot << SLOT_SHIFT
                | (long) (generation & GENERATION_MASK) << GENERATION_SHIFT
                | (receive ? RECEIVE : 0);
    }

    static int slot(long id) {
        return (int) (id >>> SLOT_SHIFT);
    }

    static boolean isReceive(long id) {
        return (id & RECEIVE) != 0;
    }

    static int position(long id) {
        return (int) id & POSITION_MASK;
    }

    /** The id without its position, to be compared with {@link #queue}. */
    static long queueOf(long id) {
        return id & ~(long) POSITION_MASK;
    }
}
