// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

/**
 * Where messages lie in the one memory region of a side. The layout is part of the protocol, since it fixes which of the
 * peer's bytes a WRITE may reach: the first half is for sending, the second for receiving, a slot per queue pair in each.
 *
 * @param slot bytes that a peer may address from the address it was given: the message size, or a page if that is more
 * @param stride distance of two send slots: a slot rounded up to cache lines
 * @param queuePairs number of slots in each half
 * @param pageSize the agreed page size: small messages walk through one page
 * @param cacheLine the agreed cache line size
 */
record Buffers(long slot, long stride, int queuePairs, int pageSize, int cacheLine) {

    static Buffers of(long size, int queuePairs, int pageSize, int cacheLine) {
        long slot = Math.max(size, pageSize);
        return new Buffers(slot, roundUp(slot, cacheLine), queuePairs, pageSize, cacheLine);
    }

    private static long roundUp(long size, int cacheLine) {
        return Math.max(1, Math.ceilDiv(size, cacheLine)) * cacheLine;
    }

    /** Bytes of the region. */
    long total() {
        return Math.multiplyExact(stride, 2L * queuePairs);
    }

    long sendOffset(int queuePair) {
        return queuePair * stride;
    }

    /** What the peer is told. Its distances are slots, not strides: so the C programs have it. */
    long receiveOffset(int queuePair) {
        return (queuePairs + (long) queuePair) * slot;
    }

    /** How far apart consecutive messages of a size lie; 0 if all lie at the same place, since two fill the page. */
    long step(long size) {
        return size <= pageSize / 2 ? roundUp(size, cacheLine) : 0;
    }

    /** How many messages of a size lie side by side before the walk starts anew. */
    int steps(long size) {
        long step = step(size);
        return step == 0 ? 1 : (int) Math.max(1, pageSize / step);
    }
}
