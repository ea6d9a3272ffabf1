// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.Cqe;
import org.paraverbs.pvrdma.abi.DestroyCq;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.ResizeCq;
import org.paraverbs.pvrdma.abi.RingState;

/** A completion queue as a {@link MockDriver} sees it. */
final class MockCompletionQueue {
    final int handle;
    private final MockDriver driver;
    private int entries;
    private final MockMemory.Pages ring;
    private int head;

    /** A completion, copied out. */
    record Completion(
            long wrId, int qp, int opcode, int status, int byteLength, int immediate, int sourceQpn, int flags) {}

    /** How the datagram of the last completion polled came. */
    int networkType;

    int serviceLevel;

    MockCompletionQueue(MockDriver driver, int handle, int entries, MockMemory.Pages ring) {
        this.driver = driver;
        this.handle = handle;
        this.entries = entries;
        this.ring = ring;
    }

    /** Changes the number of entries; gives ERR. */
    int resize(int wanted) {
        int error = driver.command(CommandCode.RESIZE_CQ, s -> {
            ResizeCq.cqHandle(s, 0, handle);
            ResizeCq.cqe(s, 0, wanted);
        });
        if (error == 0) {
            entries = ResizeCq.Response.cqe(driver.response(), 0);
            head = RingState.consHead(header(), RingState.RX_OFFSET); // the ring starts over
        }
        return error;
    }

    int destroy() {
        return driver.command(CommandCode.DESTROY_CQ, s -> DestroyCq.cqHandle(s, 0, handle));
    }

    MemorySegment header() {
        return ring.segments()[0];
    }

    /** Completions that wait. */
    int waiting() {
        return RingState.used(RingState.prodTail(header(), RingState.RX_OFFSET), head, entries);
    }

    @Nullable
    Completion poll() {
        if (waiting() == 0) {
            return null;
        }
        long offset = MockMemory.PAGE + (long) RingState.slot(head, entries) * Cqe.SIZE;
        MemorySegment s = ring.at(offset);
        long at = offset % MockMemory.PAGE;
        Completion completion = new Completion(
                Cqe.wrId(s, at),
                (int) Cqe.qp(s, at),
                Cqe.opcode(s, at),
                Cqe.status(s, at),
                Cqe.byteLen(s, at),
                Cqe.immData(s, at),
                Cqe.srcQp(s, at),
                Cqe.wcFlags(s, at));
        networkType = Cqe.networkHdrType(s, at);
        serviceLevel = Cqe.sl(s, at);
        skip();
        return completion;
    }

    /** Consumes a completion without looking at it: allocates nothing. */
    void skip() {
        head = RingState.next(head, entries);
        RingState.publishConsHead(header(), RingState.RX_OFFSET, head);
    }

    void arm() {
        driver.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_ARM | handle);
    }

    void armSolicited() {
        driver.device.writeUar(0, Doorbell.CQ_OFFSET, Doorbell.CQ_ARM_SOL | handle);
    }
}
