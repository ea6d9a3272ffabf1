// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.guest.kernel.NativeMemory;

/**
 * Zeroed memory of the provider's own, for rings and for regions. When it is closed, the JDK refuses every access with an
 * exception.
 */
final class OwnedMemory implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;

    private OwnedMemory(long byteSize, long alignment) {
        try {
            segment = NativeMemory.allocate(arena, byteSize, alignment);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Memory for a ring: whole pages. */
    static OwnedMemory pages(long byteSize) {
        return new OwnedMemory(NativeMemory.wholePages(byteSize), PageDirectory.PAGE_SIZE);
    }

    /** Memory for a program. */
    static OwnedMemory aligned(long byteSize, long alignment) {
        return new OwnedMemory(byteSize, alignment);
    }

    MemorySegment segment() {
        return segment;
    }

    /**
     * Frees the memory, also while another thread accesses it: some JDKs refuse that at such a moment, the newer ones make
     * the access fail.
     */
    @Override
    @SuppressWarnings("ThreadPriorityCheck") // the thread that is accessing may need this core
    public void close() {
        while (true) {
            try {
                arena.close();
                return;
            } catch (IllegalStateException e) {
                if (!arena.scope().isAlive()) {
                    throw e;
                }
                Thread.yield();
            }
        }
    }
}
