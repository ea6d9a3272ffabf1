// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import org.paraverbs.pvrdma.abi.Doorbell;
import org.paraverbs.pvrdma.guest.kernel.Bars;

/** A context's page of doorbells. The thread that rings runs the device, unless another does. */
final class Uar {
    private final Bars bars;
    private final int page;

    Uar(Bars bars, int page) {
        this.bars = bars;
        this.page = page;
    }

    /** Rings for a queue pair. What was published in its rings before is visible to the device. */
    void ringQueuePair(int handleAndBits) {
        bars.writeUar(page, Doorbell.QP_OFFSET, handleAndBits);
    }

    /** Rings for a shared receive queue, likewise. */
    void ringSharedReceiveQueue(int handleAndBits) {
        bars.writeUar(page, Doorbell.SRQ_OFFSET, handleAndBits);
    }

    void ringCompletionQueue(int handleAndBits) {
        bars.writeUar(page, Doorbell.CQ_OFFSET, handleAndBits);
    }
}
