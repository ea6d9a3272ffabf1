// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DestroySrq;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.ModifySrq;
import org.paraverbs.pvrdma.abi.QuerySrq;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.RqWqe;
import org.paraverbs.pvrdma.abi.SrqAttr;

/** A shared receive queue as a {@link MockDriver} sees it. */
final class MockSharedReceiveQueue {
    final MockDriver driver;
    final int handle;
    private final int uarPage;
    private final int depth;
    private final int maxSge;
    private final MockMemory.Pages ring;
    private int tail;

    MockSharedReceiveQueue(MockDriver driver, int handle, int uarPage, int depth, int maxSge, MockMemory.Pages ring) {
        this.uarPage = uarPage;
        this.driver = driver;
        this.handle = handle;
        this.depth = depth;
        this.maxSge = maxSge;
        this.ring = ring;
    }

    MemorySegment header() {
        return ring.segments()[0];
    }

    /** Receives that the device has not taken, as the driver would count them. */
    int waiting() {
        return RingState.used(tail, RingState.consHead(header(), RingState.RX_OFFSET), depth);
    }

    /** Posts a receive. Elements are address, length, key. */
    void receive(long wrId, long... elements) {
        put(wrId, elements.length / 3, elements);
    }

    void receive(long wrId, MockRegion into, long offset, int length) {
        receive(wrId, into.start() + offset, length, into.lkey());
    }

    /** Posts a receive that says to have another number of elements than it has. */
    void put(long wrId, int count, long... elements) {
        long offset = MockMemory.PAGE + (long) RingState.slot(tail, depth) * RqWqe.stride(maxSge);
        MemorySegment s = ring.at(offset);
        long at = offset % MockMemory.PAGE;
        RqWqe.wrId(s, at, wrId);
        RqWqe.numSge(s, at, count);
        MockQueuePair.putElements(s, at + RqWqe.SIZE, elements);
        tail = RingState.next(tail, depth);
        RingState.publishProdTail(header(), RingState.RX_OFFSET, tail);
        driver.device.writeUar(uarPage, Doorbell.SRQ_OFFSET, Doorbell.SRQ_RECV | handle);
    }

    int modify(int mask, int limit) {
        return driver.command(CommandCode.MODIFY_SRQ, s -> {
            ModifySrq.srqHandle(s, 0, handle);
            ModifySrq.attrMask(s, 0, mask);
            SrqAttr.srqLimit(s, ModifySrq.ATTRS_OFFSET, limit);
        });
    }

    void arm(int limit) {
        assertThat(modify(ModifySrq.LIMIT, limit)).isZero();
    }

    int limit() {
        return SrqAttr.srqLimit(query(), QuerySrq.Response.ATTRS_OFFSET);
    }

    MemorySegment query() {
        return driver.succeed(CommandCode.QUERY_SRQ, s -> QuerySrq.srqHandle(s, 0, handle));
    }

    int destroy() {
        return driver.command(CommandCode.DESTROY_SRQ, s -> DestroySrq.srqHandle(s, 0, handle));
    }
}
