// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Offsets in a page of the user access region (BAR2), and the bits of what is written there; the low bits are
 * the handle. Page 0 belongs to the kernel, each user context has a page of its own.
 */
public final class Doorbell {
    /** Where queue pairs are rung. */
    public static final int QP_OFFSET = 0x0;

    public static final int QP_SEND = 0x40000000;
    public static final int QP_RECV = 0x80000000;
    /** Where completion queues are rung. */
    public static final int CQ_OFFSET = 0x4;
    /** Tell of the next solicited or failed completion. */
    public static final int CQ_ARM_SOL = 0x20000000;
    /** Tell of the next completion. */
    public static final int CQ_ARM = 0x40000000;
    /** The queue was polled and found empty. */
    public static final int CQ_POLL = 0x80000000;
    /** Where shared receive queues are rung. */
    public static final int SRQ_OFFSET = 0x8;

    public static final int SRQ_RECV = 0x40000000;
    public static final int HANDLE_MASK = 0xffffff;

    private Doorbell() {}
}
