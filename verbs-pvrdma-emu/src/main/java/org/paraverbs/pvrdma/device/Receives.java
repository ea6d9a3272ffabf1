// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.EventType;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.WcStatus;

/** The next receive work request of a queue pair: where a message goes. One at a time, for the ticket's holder. */
final class Receives {
    /** What {@link #next} found. */
    enum Found {
        /** A receive. */
        RECEIVE,
        /** Nothing was posted. */
        NONE,
        /** A ring that makes no sense or is gone. */
        BROKEN
    }

    private final DeviceCore core;

    /** The memory of the message that comes in. */
    private final SgeList target;

    private long wrId;
    private int elements;

    Receives(DeviceCore core) {
        this.core = core;
        this.target = new SgeList(Math.max(
                core.configuration.limits().maxSge(),
                core.configuration.limits().maxSrqSge()));
    }

    /**
     * Looks at the next receive. It stays where it is until {@link #take}.
     *
     * @param resolved the ring's memory, the same for the calls that follow
     */
    Found next(QueuePair pair, GuestPages.Resolved resolved) {
        WorkRing ring = pair.receives;
        if (!ring.look(resolved)) {
            return Found.BROKEN;
        }
        if (ring.isEmpty()) {
            return Found.NONE;
        }
        MemorySegment segment = ring.segment(resolved);
        if (segment == null) {
            ring.breakDown();
            return Found.BROKEN;
        }
        long at = ring.within(resolved);
        wrId = RqWqe.wrId(segment, at);
        elements = RqWqe.numSge(segment, at);
        return Found.RECEIVE;
    }

    /**
     * Reads the elements of the receive that {@link #next} found.
     *
     * @param length bytes that are to go there
     * @return the status that the receive fails with if they cannot
     */
    int open(QueuePair pair, long length, GuestPages.Resolved resolved) {
        WorkRing ring = pair.receives;
        MemorySegment segment = ring.segment(resolved);
        if (segment == null || Integer.compareUnsigned(elements, pair.maxReceiveSge) > 0) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        int status = target.read(
                segment,
                ring.within(resolved) + RqWqe.SIZE,
                elements,
                length,
                core.regions,
                pair.receivePd,
                AccessFlags.ACCESS_LOCAL_WRITE);
        if (status == WcStatus.SUCCESS && target.total() < length) {
            return WcStatus.LOC_LEN_ERR;
        }
        return status;
    }

    /** Where the message goes, after {@link #open} has succeeded. */
    SgeList target() {
        return target;
    }

    /**
     * Takes the receive out of its ring.
     *
     * @return its {@code wr_id}
     */
    long take(QueuePair pair, GuestPages.Resolved resolved) {
        WorkRing ring = pair.receives;
        ring.fetch();
        ring.release(resolved);
        SharedReceiveQueue srq = pair.srq;
        if (srq != null && srq.reachesLimit()) {
            core.event(EventType.SRQ_LIMIT_REACHED, srq.handle);
        }
        return wrId;
    }
}
