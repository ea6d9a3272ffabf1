// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.VerbsException;

/** Page-aligned native memory, for rings and for regions. */
public final class NativeMemory {

    /**
     * Allocates zeroed memory that begins at a page.
     *
     * @param arena whose memory it is
     * @param byteSize the number of bytes, from 1
     * @return the memory
     * @throws VerbsException ENOMEM if the JVM has no more
     */
    public static MemorySegment allocate(Arena arena, long byteSize) {
        return allocate(arena, byteSize, PageDirectory.PAGE_SIZE);
    }

    /**
     * Allocates zeroed memory.
     *
     * @param arena whose memory it is
     * @param byteSize the number of bytes, from 1
     * @param alignment a power of two
     * @return the memory
     * @throws VerbsException ENOMEM if the JVM has no more
     */
    public static MemorySegment allocate(Arena arena, long byteSize, long alignment) {
        try {
            return arena.allocate(byteSize, alignment);
        } catch (OutOfMemoryError e) {
            VerbsException failure = new VerbsException(
                    "mmap",
                    byteSize + " bytes",
                    Errno.ENOMEM,
                    "the system gives no more memory: free some, or raise the limit of the process or container");
            failure.initCause(e);
            throw failure;
        }
    }

    /** Bytes of the pages that so many bytes take. */
    public static long wholePages(long byteSize) {
        return byteSize + PageDirectory.PAGE_SIZE - 1 & -PageDirectory.PAGE_SIZE;
    }

    private NativeMemory() {}
}
