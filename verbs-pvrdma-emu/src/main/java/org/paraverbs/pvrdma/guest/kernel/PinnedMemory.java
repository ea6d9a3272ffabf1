// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.device.ForeignMemory;
import org.paraverbs.pvrdma.guest.kernel.KernelPages.Page;

/** Memory mapped for the device, with the two-level directory that tells it the pages. */
final class PinnedMemory implements AutoCloseable {
    private final DmaSpace space;
    private final KernelPages kernelPages;
    private final long dma;
    private final int pageCount;
    private final List<Page> directory = new ArrayList<>();

    /**
     * Pins memory.
     *
     * @param memory at most {@link PageDirectory#MAX_PAGES} pages; see {@link #pages}
     */
    PinnedMemory(DmaSpace space, KernelPages kernelPages, MemorySegment memory) {
        this(space, kernelPages, (int) pages(memory), space.map(memory));
    }

    /**
     * Pins memory of another process.
     *
     * @param memory at most {@link PageDirectory#MAX_PAGES} pages
     * @param address where its process has it
     */
    PinnedMemory(DmaSpace space, KernelPages kernelPages, ForeignMemory memory, long address) {
        this(
                space,
                kernelPages,
                (int) PageDirectory.pagesSpanned(address, memory.byteSize()),
                space.map(memory, address));
    }

    private PinnedMemory(DmaSpace space, KernelPages kernelPages, int pageCount, long dma) {
        this.space = space;
        this.kernelPages = kernelPages;
        this.pageCount = pageCount;
        this.dma = dma;
        try {
            list();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** How many pages memory touches. */
    static long pages(MemorySegment memory) {
        return PageDirectory.pagesSpanned(memory.address(), memory.byteSize());
    }

    private void list() {
        Page top = kernelPages.allocate();
        directory.add(top);
        Page table = top;
        long pageDma = dma & -PageDirectory.PAGE_SIZE;
        for (int page = 0; page < pageCount; page++) {
            int inTable = page & (PageDirectory.ENTRIES - 1);
            if (inTable == 0) {
                table = kernelPages.allocate();
                directory.add(table);
                PageDirectory.entry(top.memory(), PageDirectory.table(page), table.dma());
            }
            PageDirectory.entry(table.memory(), inTable, pageDma);
            pageDma += PageDirectory.PAGE_SIZE;
        }
    }

    int pageCount() {
        return pageCount;
    }

    /** The DMA address of the directory. */
    long directoryDma() {
        return directory.get(0).dma();
    }

    /** Unpins; the device must not use the memory any more. */
    @Override
    public void close() {
        space.unmap(dma);
        directory.forEach(kernelPages::release);
        directory.clear();
    }
}
