// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.paraverbs.ffm.struct.LinuxConstants;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/**
 * Memory in pages of its own, zero. Unlike an automatic arena's it does not count against {@code -XX:MaxDirectMemorySize}, is not
 * touched before its pages are chosen, and shares no page with anything else, which matters for memory that a device pins.
 */
public final class PageMemory {
    /** The pages that memory has at least, on x86-64. */
    public static final long BASE_PAGE = 4096;

    private static final int NO_FILE = -1;

    /** What all of this memory is for, so that a failure names the verb that the caller asked for. */
    private static final String VERB = "ibv_reg_mr";

    private PageMemory() {}

    /**
     * Allocates.
     *
     * @param byteSize the number of bytes, positive
     * @param alignment a power of two, at least 4096; for 2 MiB and more the kernel is asked for huge pages
     * @param arena frees the memory when closed
     * @throws VerbsException if the system has not enough memory
     */
    public static MemorySegment allocate(long byteSize, long alignment, Arena arena) {
        long usedSize = roundUp(byteSize, alignment);
        // The kernel aligns to base pages, so a larger alignment needs room to move.
        long mappedSize = alignment > BASE_PAGE ? usedSize + alignment : usedSize;
        if (usedSize < byteSize || mappedSize < usedSize) {
            throw new VerbsException(VERB, byteSize + " bytes", Errno.ENOMEM, "no address space is as large");
        }
        long[] mapped = new long[1];
        NativeCall.nonNegative(
                VERB,
                byteSize + " bytes",
                errno -> "mmap refuses: the system or a limit ('ulimit -v') does not have so much memory",
                errno -> {
                    mapped[0] = LibC.mmap(
                            errno,
                            0,
                            mappedSize,
                            LinuxConstants.PROT_READ | LinuxConstants.PROT_WRITE,
                            LinuxConstants.MAP_PRIVATE | LinuxConstants.MAP_ANONYMOUS,
                            NO_FILE,
                            0);
                    return mapped[0] == -1 ? -1 : 0;
                });
        long address = roundUp(mapped[0], alignment);
        MemorySegment memory = Native.owned(address, byteSize, arena, () -> unmap(mapped[0], mappedSize));
        if (alignment > BASE_PAGE) {
            adviseHugePages(address, usedSize);
        }
        return memory;
    }

    /** Only advice: a kernel without huge pages refuses, and base pages do as well. */
    private static void adviseHugePages(long address, long byteSize) {
        try (Arena arena = Arena.ofConfined()) {
            LibC.madvise(CapturedErrno.allocate(arena), address, byteSize, LinuxConstants.MADV_HUGEPAGE);
        }
    }

    private static void unmap(long address, long byteSize) {
        NativeCall.nonNegative("munmap", "", errno -> "", errno -> LibC.munmap(errno, address, byteSize));
    }

    private static long roundUp(long value, long alignment) {
        return value + alignment - 1 & -alignment;
    }
}
