// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.roce;

/** Arithmetic of 24-bit packet sequence numbers (IBTA volume 1, section 9.7.2). */
public final class Psn {
    private static final int BITS = 24;
    private static final int MASK = (1 << BITS) - 1;

    /** The low 24 bits of what a guest or a peer named. */
    public static int of(int value) {
        return value & MASK;
    }

    /** The number {@code packets} after {@code psn}. */
    public static int plus(int psn, int packets) {
        return (psn + packets) & MASK;
    }

    /** How far {@code psn} is ahead of {@code base}: -2^23 to 2^23 - 1. */
    public static int distance(int psn, int base) {
        return (psn - base) << (Integer.SIZE - BITS) >> (Integer.SIZE - BITS);
    }

    /**
     * Packets that a message of {@code length} bytes takes; an empty one takes one.
     *
     * @param length 0 to 2^31 bytes
     * @param mtu bytes, at least 256, so that the largest message stays within half of the numbers
     */
    public static int packets(long length, int mtu) {
        return length <= mtu ? 1 : (int) ((length + mtu - 1) / mtu);
    }

    private Psn() {}
}
