// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma;

import java.lang.foreign.MemorySegment;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.ReceiveQueue;
import org.paraverbs.verbs.SharedReceiveQueue;

/**
 * A shared receive queue all of whose receives complete in one completion queue, whose lock guards it. The receives are numbered. They are
 * taken in order, so they complete in order; numbers are left out when a queue pair goes with its completions.
 */
final class SharedReceives {
    /** So many numbers later a slot is used again. */
    private static final int SLOTS_PER_RECEIVE = 4;

    final SharedReceiveQueue queue;
    private final ReceiveQueue receives;
    private final MemoryRegion memory;
    private final int slots;
    private long next;

    /** Numbers below have completed, or their queue pairs are gone. */
    private long done;

    SharedReceives(ProtectionDomain domain, int depth) {
        queue = domain.createSharedReceiveQueue(depth, 1);
        receives = queue.receiveQueue();
        slots = queue.receives() * SLOTS_PER_RECEIVE;
        memory = domain.allocate((long) slots * ChangingConnection.LARGEST, Access.LOCAL_WRITE);
        fill();
    }

    /** What has come in a receive; it may be overwritten after {@link #fill}. */
    MemorySegment completed(long number, long byteLength) {
        if (number < done || number >= next) {
            throw new AssertionError("receive " + number + " completed a second time or out of order, " + done + " to "
                    + next + " are open");
        }
        done = number + 1;
        return memory.memory().asSlice(offset(number), byteLength);
    }

    /** Posts as many as there is room for. */
    void fill() {
        int room = receives.available();
        if (room == queue.receives()) {
            done = next;
        }
        int posted = 0;
        for (; posted < room && next < done + slots; posted++) {
            receives.receive(next).local(memory, offset(next), ChangingConnection.LARGEST);
            next++;
        }
        if (posted > 0) {
            receives.post();
        }
    }

    private long offset(long number) {
        return number % slots * ChangingConnection.LARGEST;
    }
}
