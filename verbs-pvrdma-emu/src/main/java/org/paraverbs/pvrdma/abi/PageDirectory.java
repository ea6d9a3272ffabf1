// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * How a guest lists the pages of a ring or a region: one directory page holds the DMA addresses of up to 512
 * table pages, and each of these the DMA addresses of 512 pages of 4 KiB (pvrdma_dev_api.h).
 */
public final class PageDirectory {
    public static final int PAGE_SHIFT = 12;
    public static final int PAGE_SIZE = 1 << PAGE_SHIFT;

    /** Entries of the directory and of each table. */
    public static final int ENTRIES = 512;

    /** Pages of the largest region: 1 GiB. */
    public static final int MAX_PAGES = ENTRIES * ENTRIES;

    private static final int ENTRY_SIZE = 8;
    private static final int TABLE_SHIFT = 9;

    /** Table that lists page {@code page}. */
    public static int table(int page) {
        return page >>> TABLE_SHIFT & ENTRIES - 1;
    }

    /** Tables that {@code pages} pages need, for pages from 1 to {@link #MAX_PAGES}. */
    public static int tables(int pages) {
        return (pages + ENTRIES - 1) >>> TABLE_SHIFT;
    }

    /** Pages that {@code length} bytes from {@code start} touch, for a length above 0 that does not wrap. */
    public static long pagesSpanned(long start, long length) {
        return ((start + length - 1) >>> PAGE_SHIFT) - (start >>> PAGE_SHIFT) + 1;
    }

    /** DMA address in entry {@code index} of a directory or a table. */
    public static long entry(MemorySegment directoryOrTable, int index) {
        return directoryOrTable.get(LONG, (long) (index & ENTRIES - 1) * ENTRY_SIZE);
    }

    /** Writes entry {@code index} of a directory or a table. */
    public static void entry(MemorySegment directoryOrTable, int index, long address) {
        directoryOrTable.set(LONG, (long) (index & ENTRIES - 1) * ENTRY_SIZE, address);
    }

    private PageDirectory() {}
}
