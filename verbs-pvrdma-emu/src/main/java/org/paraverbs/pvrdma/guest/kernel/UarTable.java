// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.util.BitSet;
import org.paraverbs.verbs.Errno;

/** Which pages of BAR2 are in use: page 0 by the driver, one by each context (pvrdma_doorbell.c). */
final class UarTable {
    private final int pages;
    private final BitSet used = new BitSet();

    /**
     * A table of pages.
     *
     * @param pages a power of two
     */
    UarTable(int pages) {
        this.pages = pages;
        used.set(0);
    }

    synchronized int allocate(Call call) {
        int page = used.nextClearBit(0);
        if (page >= pages) {
            throw call.failure(
                    Errno.ENOMEM,
                    "the device can be opened " + (pages - 1) + " times at once (max_uar is " + pages
                            + "): close a context, or raise DeviceConfiguration.maxUar");
        }
        used.set(page);
        return page;
    }

    synchronized void release(int page) {
        used.clear(page);
    }
}
