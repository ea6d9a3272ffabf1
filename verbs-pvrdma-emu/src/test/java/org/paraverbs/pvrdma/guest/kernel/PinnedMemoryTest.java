// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.paraverbs.pvrdma.abi.PageDirectory;

/** The two levels of a page directory, as a device walks them. */
class PinnedMemoryTest {

    private final DmaSpace space = new DmaSpace();
    private final KernelPages pages = new KernelPages(space);

    @Test
    void theDirectoryListsEveryPageInOrder() {
        try (Arena arena = Arena.ofShared()) {
            // 1200 pages and a bit: three tables, the last one partly filled
            MemorySegment memory = arena.allocate(1_202L * 4096, 4096).asSlice(5, 1_200L * 4096);
            PinnedMemory pinned = new PinnedMemory(space, pages, memory);
            assertThat(pinned.pageCount()).isEqualTo(1_201);

            for (int page = 0; page < 1_201; page++) {
                long dma = walk(pinned.directoryDma(), page);
                long first = page == 0 ? 5 : 0;
                MemorySegment found = resolved(dma + first, 1);
                assertThat(dma % 4096).isZero();
                assertThat(found.address()).isEqualTo(memory.address() - 5 + page * 4096L + first);
            }
            assertThat(walk(pinned.directoryDma(), 1_201))
                    .as("behind the last page")
                    .isZero();

            long directory = pinned.directoryDma();
            long firstPage = walk(directory, 0);
            pinned.close();
            assertThat(space.resolve(firstPage + 5, 1)).isNull();
        }
    }

    @Test
    void pagesComeBackCleanAndAreUsedAgain() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4096, 4096);
            new PinnedMemory(space, pages, memory).close();
            long mapped = space.mappedBytes();
            for (int i = 0; i < 1_000; i++) {
                new PinnedMemory(space, pages, memory).close();
            }
            assertThat(space.mappedBytes()).as("no page gets lost").isEqualTo(mapped);
            assertThat(pages.allocate().memory().mismatch(MemorySegment.ofArray(new byte[4096])))
                    .isEqualTo(-1);
        }
        pages.close();
        pages.close();
        assertThat(space.mappedBytes()).isZero();
    }

    private long walk(long directoryDma, int page) {
        long table = PageDirectory.entry(resolved(directoryDma, 4096), PageDirectory.table(page));
        return table == 0 ? 0 : PageDirectory.entry(resolved(table, 4096), page);
    }

    private MemorySegment resolved(long address, long length) {
        MemorySegment found = space.resolve(address, length);
        assertThat(found).isNotNull();
        return found;
    }
}
