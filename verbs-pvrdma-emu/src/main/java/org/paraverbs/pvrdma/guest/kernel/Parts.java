// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.device.ForeignMemory;

/**
 * What the parts of a driver share.
 *
 * @param name the device's name, for messages
 * @param commands the way to the device
 * @param space what the device may touch
 * @param pages the driver's own pages
 * @param caps a copy of {@link org.paraverbs.pvrdma.abi.DeviceCaps}
 */
record Parts(String name, CommandSlot commands, DmaSpace space, KernelPages pages, MemorySegment caps) {

    PinnedMemory pin(MemorySegment memory) {
        return new PinnedMemory(space, pages, memory);
    }

    PinnedMemory pin(ForeignMemory memory, long address) {
        return new PinnedMemory(space, pages, memory, address);
    }
}
