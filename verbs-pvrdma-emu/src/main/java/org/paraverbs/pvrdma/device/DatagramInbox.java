// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.paraverbs.pvrdma.abi.Grh;

/**
 * Datagrams on their way to the queue pairs of a device, as a port's receive buffer would hold them: header, payload, and
 * what else the packet carries. Bounded: a sender that finds it full tries again later.
 *
 * <p>Any number of devices put datagrams in, each on the thread that runs it; the owner of this device takes them out.
 * A place is free for the sender number {@code n} when its sequence is {@code n}, and filled when it is {@code n + 1}.
 */
final class DatagramInbox {
    static final int PLACES = 256;

    private static final int MASK = PLACES - 1;
    private static final int ALIGNMENT = 64;

    private final AtomicLongArray sequences = new AtomicLongArray(PLACES);
    private final AtomicLong tail = new AtomicLong();
    private long head;

    private final int stride;
    private final MemorySegment memory;
    private final MemoryRegion region;

    // What a datagram is apart from its bytes. Written between claim and publish, read between arrived and release.
    final int[] destinationQpn = new int[PLACES];
    final int[] qkey = new int[PLACES];
    final int[] sourceQpn = new int[PLACES];
    final int[] payloadBytes = new int[PLACES];
    final int[] immediate = new int[PLACES];
    final int[] completionFlags = new int[PLACES];
    final boolean[] solicited = new boolean[PLACES];

    /**
     * An empty inbox.
     *
     * @param maxPayload bytes of the largest datagram
     * @param guest memory of the device's guest, which this is no part of
     */
    DatagramInbox(int maxPayload, GuestMemory guest) {
        stride = (Grh.SIZE + maxPayload + ALIGNMENT - 1) & -ALIGNMENT;
        memory = Arena.ofAuto().allocate((long) PLACES * stride, ALIGNMENT);
        region = MemoryRegion.ofDevice(memory, guest);
        for (int i = 0; i < PLACES; i++) {
            sequences.set(i, i);
        }
    }

    /** The header and payload of all places. */
    MemorySegment memory() {
        return memory;
    }

    MemoryRegion region() {
        return region;
    }

    /** Index in the arrays of a place. */
    static int index(long number) {
        return (int) number & MASK;
    }

    /** Where in {@link #memory} the header of a place begins; the payload follows it. */
    long at(long number) {
        return (long) index(number) * stride;
    }

    /** Sender: a place to fill and {@link #publish}, or -1 when all are taken. Any thread. */
    long claim() {
        while (true) { // ends: whoever fails has let another one through
            long number = tail.get();
            long sequence = sequences.getAcquire(index(number)); // pairs with release()
            if (sequence == number) {
                if (tail.compareAndSet(number, number + 1)) {
                    return number;
                }
            } else if (sequence < number) {
                return -1;
            }
        }
    }

    /** Sender: the place is filled. */
    void publish(long number) {
        sequences.setRelease(index(number), number + 1); // pairs with arrived()
    }

    /** Receiver: the number of the next datagram, or -1. */
    long arrived() {
        return sequences.getAcquire(index(head)) == head + 1 ? head : -1;
    }

    /** Receiver: done with what {@link #arrived} gave. */
    void release() {
        sequences.setRelease(index(head), head + PLACES);
        head++;
    }
}
