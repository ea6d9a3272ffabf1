// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.paraverbs.pvrdma.abi.PageDirectory;

/**
 * Pages of the driver's own that the device reads and writes: slots, directories. They come from slabs that stay mapped
 * until the driver is removed, since freeing shared memory page by page would stop every thread of the JVM each time.
 */
final class KernelPages implements AutoCloseable {

    /**
     * A page.
     *
     * @param memory its memory
     * @param dma its DMA address
     */
    record Page(MemorySegment memory, long dma) {}

    private static final int SLAB_PAGES = 64;

    private final DmaSpace space;
    private final Arena arena = Arena.ofShared();
    private final List<Long> slabs = new ArrayList<>();
    private final Deque<Page> free = new ArrayDeque<>();
    private boolean closed;

    KernelPages(DmaSpace space) {
        this.space = space;
    }

    /** A page of zeros. */
    synchronized Page allocate() {
        if (free.isEmpty()) {
            addSlab();
        }
        Page page = free.pop();
        page.memory().fill((byte) 0);
        return page;
    }

    private void addSlab() {
        MemorySegment slab = NativeMemory.allocate(arena, SLAB_PAGES * PageDirectory.PAGE_SIZE);
        long dma = space.map(slab);
        slabs.add(dma);
        for (int i = SLAB_PAGES - 1; i >= 0; i--) {
            long offset = (long) i * PageDirectory.PAGE_SIZE;
            free.push(new Page(slab.asSlice(offset, PageDirectory.PAGE_SIZE), dma + offset));
        }
    }

    synchronized void release(Page page) {
        if (!closed) {
            free.push(page);
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            free.clear();
            slabs.forEach(space::unmap);
            arena.close();
        }
    }
}
