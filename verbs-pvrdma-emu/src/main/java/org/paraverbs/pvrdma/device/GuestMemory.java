// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The guest's memory as a device sees it: DMA addresses. Any thread that runs the device, or a device that
 * talks to it, calls these methods.
 */
public interface GuestMemory {
    /**
     * The memory behind a range of DMA addresses.
     *
     * <p>The segment is native, writable, starts at {@code address} and is {@code length} bytes long. It may be
     * a slice whose scope is closed later: accesses then throw {@link IllegalStateException}, which the device
     * answers as a protection error. Page-aligned addresses resolve to memory that is aligned to 8 bytes at
     * least, so that ring indices can be read atomically. The device asks for the bytes that it needs, not for
     * whole pages.
     *
     * @param address first DMA address, any value that a guest may write
     * @param length bytes, at least 1
     * @return the segment, or null when not every byte of the range is mapped, or not as one stretch
     */
    @Nullable
    MemorySegment resolve(long address, long length);

    /**
     * The memory behind a range of DMA addresses for which {@link #resolve} has no segment because it is another process's.
     *
     * @param address first DMA address, any value that a guest may write
     * @param length bytes, at least 1
     * @return the memory, which begins at {@code address}, or null when there is none
     */
    default @Nullable ForeignMemory resolveForeign(long address, long length) {
        return null;
    }

    /**
     * A number that changes, at the latest, when the removal of a mapping is reported as done. The device keeps
     * what {@link #resolve} gave it as long as this number stays the same.
     *
     * @return the number, the same from every thread's view or a newer one
     */
    long epoch();
}
