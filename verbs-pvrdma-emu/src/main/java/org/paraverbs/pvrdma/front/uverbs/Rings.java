// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The rings of one object in a client's shared file, as this process has them mapped. */
final class Rings implements AutoCloseable {
    private final Arena arena = Arena.ofShared();

    /** Where they are in the shared file, and how long. */
    final long offset;

    final long bytes;

    /** All of them. */
    final MemorySegment memory;

    Rings(SharedFile file, long offset, long bytes) throws IOException {
        this.offset = offset;
        this.bytes = bytes;
        try {
            memory = file.map(arena, offset, bytes);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Unmaps them, when the device has forgotten them. */
    @Override
    public void close() {
        arena.close();
    }
}
