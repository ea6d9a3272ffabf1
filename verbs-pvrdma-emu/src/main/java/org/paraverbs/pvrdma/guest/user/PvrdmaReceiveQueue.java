// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairCapacity;

/** The receive ring of a queue pair. */
final class PvrdmaReceiveQueue extends ReceiveRing {
    private final PvrdmaQueuePair pair;
    private final Uar uar;
    private final int doorbell;

    PvrdmaReceiveQueue(PvrdmaQueuePair pair, MemorySegment rings, long ringOffset, QueuePairCapacity capacity) {
        super("receive queue of " + pair, rings, ringOffset, capacity);
        this.pair = pair;
        this.uar = pair.uar();
        this.doorbell = Doorbell.QP_RECV | pair.handle();
    }

    @Override
    int refusal() {
        return pair.takesReceives() ? 0 : Errno.EINVAL.number();
    }

    /** They all complete in one completion queue, which one thread at a time polls. */
    @Override
    void giveBack(int count) {
        BACK.setRelease(this, (int) BACK.get(this) + count);
    }

    @Override
    void ringDoorbell() {
        uar.ringQueuePair(doorbell);
    }

    @Override
    protected String advice(int errno) {
        return pair.postAdvice(errno, "receives may be posted from INIT on, go to Init first");
    }
}
