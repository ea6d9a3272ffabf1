// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.nio.ByteBuffer;

/**
 * Memory of a guest that cannot be had as a segment, but can be read and written: that of another process. Regions may lie in
 * it, rings may not. Any thread that runs a device calls these methods, several at once.
 *
 * <p>A write puts the bytes there in ascending order, and aligned 8 bytes in one piece, since programs poll for them.
 */
public interface ForeignMemory {
    /** Bytes of the memory, which offsets count from its begin. */
    long byteSize();

    /**
     * Reads from the memory.
     *
     * @param offset where to begin; the range was checked against {@link #byteSize}
     * @param into a direct buffer, which is filled from its position to its limit
     * @return false if not all of it could be read, because it is not there any more
     */
    boolean read(long offset, ByteBuffer into);

    /**
     * Writes to the memory.
     *
     * @param offset where to begin; the range was checked against {@link #byteSize}
     * @param from a direct buffer, which is written from its position to its limit
     * @return false if not all of it could be written, because it is not there any more
     */
    boolean write(long offset, ByteBuffer from);

    /**
     * Whether whose memory it was has ended, rather than taken it away: that looks to others as if nobody answered.
     *
     * @return false as long as that was not found out by {@link #read} or {@link #write}
     */
    boolean isGone();

    /**
     * A part of it.
     *
     * @param offset where the part begins
     * @param length its bytes, within this memory
     * @return the part
     */
    ForeignMemory slice(long offset, long length);
}
