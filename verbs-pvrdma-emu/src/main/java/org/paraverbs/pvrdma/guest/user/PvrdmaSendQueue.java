// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.abi.RingState;
import org.paraverbs.pvrdma.abi.Sge;
import org.paraverbs.pvrdma.abi.SqWqe;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.QueuePairCapacity;
import org.paraverbs.verbs.QueuePairSpec;
import org.paraverbs.verbs.spi.AddressHandleBase;
import org.paraverbs.verbs.spi.SendOperation;
import org.paraverbs.verbs.spi.SendQueueBase;

/** The send ring. Opcodes and flags have the same numbers in the verbs interface and in the ring. */
final class PvrdmaSendQueue extends SendQueueBase {
    private static final long RING_OFFSET = PageDirectory.PAGE_SIZE;

    /** By code. */
    private static final SendOperation[] OPERATIONS = SendOperation.values();

    private final PvrdmaProtectionDomain domain;
    private final PvrdmaQueuePair pair;
    private final MemorySegment rings;
    private final int entries;
    private final int stride;
    private final Uar uar;
    private final int doorbell;

    /** The index of the first request of the batch: our own, so that what is read back need not be trusted. */
    private int tail;

    PvrdmaSendQueue(
            PvrdmaContext context,
            PvrdmaProtectionDomain domain,
            PvrdmaQueuePair pair,
            MemorySegment rings,
            QueuePairCapacity capacity,
            QueuePairSpec spec) {
        super(context, "send queue of " + pair, pair.type(), spec.capacity(), capacity, spec.signalAll());
        this.domain = domain;
        this.pair = pair;
        this.rings = rings;
        this.entries = capacity.maxSends();
        this.stride = SqWqe.stride(capacity.maxSendElements());
        this.uar = pair.uar();
        this.doorbell = Doorbell.QP_SEND | pair.handle();
    }

    @Override
    protected int freeSlots() {
        int head = RingState.consHead(rings, RingState.TX_OFFSET);
        return RingState.isCorrupt(tail, head, entries)
                ? 0
                : Math.max(0, entries - RingState.used(tail, head, entries));
    }

    private long offset(int request) {
        return RING_OFFSET + (long) RingState.slot(tail + request, entries) * stride;
    }

    @Override
    protected void writeElement(int request, int element, long address, long length, int lkey) {
        long at = offset(request) + SqWqe.SIZE + (long) element * Sge.SIZE;
        Sge.addr(rings, at, address);
        Sge.lengthAndLkey(rings, at, (int) length, lkey);
    }

    @Override
    protected void writeInline(int request, MemorySegment data, long offset, long length) {
        throw new IllegalStateException("a PVRDMA queue pair has no inline data");
    }

    @Override
    protected void writeRequest(
            int request, SendOperation requestedOperation, long requestId, int elementCount, int sendFlags) {
        long at = offset(request);
        SqWqe.wrId(rings, at, requestId);
        SqWqe.numSge(rings, at, elementCount);
        SqWqe.opcodeAndFlags(rings, at, requestedOperation.code(), sendFlags);
        SqWqe.immData(rings, at, Integer.reverseBytes(immediate())); // big-endian in memory
        if (requestedOperation.isAtomic()) {
            SqWqe.atomicRemoteAddr(rings, at, remoteAddress());
            SqWqe.atomicCompareAdd(rings, at, compareOrAdd());
            SqWqe.atomicSwap(rings, at, swap());
            SqWqe.atomicRkey(rings, at, rkey());
        } else if (destination() instanceof PvrdmaAddressHandle handle) {
            SqWqe.udRemoteQpn(rings, at, destinationQpn());
            SqWqe.udRemoteQkey(rings, at, destinationQkey());
            handle.write(rings, at + SqWqe.UD_AV_OFFSET);
        } else {
            SqWqe.rdmaRemoteAddr(rings, at, remoteAddress());
            SqWqe.rdmaRkey(rings, at, rkey());
        }
    }

    @Override
    protected boolean accepts(AddressHandleBase handle) {
        return handle instanceof PvrdmaAddressHandle ours && ours.isOf(domain);
    }

    @Override
    protected int publish(int count) {
        if (!pair.takesSends()) {
            refuse(Errno.EINVAL.number());
            return 0;
        }
        tail = tail + count & 2 * entries - 1;
        // pairs with the device's acquire of the tail: the requests are visible before the index that covers them
        RingState.publishProdTail(rings, RingState.TX_OFFSET, tail);
        uar.ringQueuePair(doorbell);
        return count;
    }

    @Override
    protected String advice(int errno) {
        return pair.postAdvice(errno, "requests may be posted from RTS on, go to ReadyToSend first, or connect");
    }

    /** The ring and the requests in it that the device has not taken. */
    @Override
    public String toString() {
        return RingText.of("send queue of " + pair, rings, RingState.TX_OFFSET, entries, this::describe);
    }

    private String describe(int index) {
        long at = RING_OFFSET + (long) RingState.slot(index, entries) * stride;
        int opcode = SqWqe.opcode(rings, at);
        return (opcode >= 0 && opcode < OPERATIONS.length ? OPERATIONS[opcode] : "opcode " + opcode) + " "
                + SqWqe.wrId(rings, at)
                + RingText.elements(rings, at + SqWqe.SIZE, SqWqe.numSge(rings, at), stride - SqWqe.SIZE);
    }

    /** Begins anew after a reset of the queue pair, with which the device forgot the ring. */
    void restart() {
        restart(() -> {
            tail = 0;
            RingState.publishConsHead(rings, RingState.TX_OFFSET, 0);
            RingState.publishProdTail(rings, RingState.TX_OFFSET, 0);
        });
    }
}
