// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.PageDirectory;
import org.paraverbs.pvrdma.device.ForeignMemory;
import org.paraverbs.pvrdma.device.GuestMemory;

/**
 * The memory that a device may touch, as an IOMMU has it: each mapped segment has DMA addresses of its own, which are
 * never given out again, so that a stale address leads nowhere. The offset within the page stays, and the pages of a
 * segment follow one another.
 *
 * <p>An address is the number of a window of 2 GiB and an offset in it; each segment gets a window. So {@link #resolve}
 * is two array reads, without a lock and without a search. Mapping and unmapping take a lock.
 */
public final class DmaSpace implements GuestMemory {
    private static final int WINDOW_SHIFT = 31;
    private static final long WINDOW_SIZE = 1L << WINDOW_SHIFT;

    private static final int CHUNK_SHIFT = 10;
    private static final int CHUNK_SIZE = 1 << CHUNK_SHIFT;

    /** Windows that 63 bits of address space have; nobody lives to see the last. */
    private static final long LAST_WINDOW = Long.MAX_VALUE >>> WINDOW_SHIFT;

    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Mapping[].class);

    /** Mapped memory, a segment or another process's. All final: found by a reader, it is complete. */
    private static final class Mapping {
        final @Nullable MemorySegment memory;
        final @Nullable ForeignMemory foreign;
        final long byteSize;
        final long pageOffset;

        Mapping(@Nullable MemorySegment memory, @Nullable ForeignMemory foreign, long byteSize, long pageOffset) {
            this.memory = memory;
            this.foreign = foreign;
            this.byteSize = byteSize;
            this.pageOffset = pageOffset;
        }

        /** Where in the memory a range begins; -1 if not all of it lies there. */
        long offset(long address, long length) {
            long offset = (address & (WINDOW_SIZE - 1)) - pageOffset;
            // overflow-safe: the offset is below 2^31, and a length of 2^63 and more is negative
            return offset < 0 || length <= 0 || length > byteSize - offset ? -1 : offset;
        }
    }

    /** By window. A chunk whose windows have all been used and given up is dropped. */
    private volatile @Nullable Mapping[] @Nullable [] chunks = new Mapping[8][];

    private volatile long epoch;

    // Guarded by this.
    private int[] liveInChunk = new int[8];
    private long nextWindow = 1; // address 0 is nobody's
    private long mappedBytes;

    /** A space without mappings. */
    public DmaSpace() {}

    /**
     * Maps a segment.
     *
     * @param memory native memory, at most 1 GiB and a page; it may be freed while it is mapped, upon which the device
     *     gets an exception from the JDK for each access
     * @return the DMA address of its first byte, with the same offset in the page as the memory has
     * @throws IllegalArgumentException if the memory is on the heap, empty, or too large
     */
    public synchronized long map(MemorySegment memory) {
        long pageOffset = memory.address() & (PageDirectory.PAGE_SIZE - 1);
        if (!memory.isNative() || memory.byteSize() == 0 || memory.byteSize() > WINDOW_SIZE - pageOffset) {
            throw new IllegalArgumentException("cannot be mapped for DMA: " + memory);
        }
        return map(new Mapping(memory, null, memory.byteSize(), pageOffset));
    }

    /**
     * Maps memory of another process.
     *
     * @param memory the memory, at most 1 GiB and a page
     * @param address where its process has it
     * @return the DMA address of its first byte, with the same offset in the page
     * @throws IllegalArgumentException if the memory is empty or too large
     */
    public synchronized long map(ForeignMemory memory, long address) {
        long pageOffset = address & (PageDirectory.PAGE_SIZE - 1);
        if (memory.byteSize() <= 0 || memory.byteSize() > WINDOW_SIZE - pageOffset) {
            throw new IllegalArgumentException("cannot be mapped for DMA: " + memory);
        }
        return map(new Mapping(null, memory, memory.byteSize(), pageOffset));
    }

    private long map(Mapping mapping) {
        if (nextWindow > LAST_WINDOW) {
            throw new IllegalStateException("all DMA addresses have been used");
        }
        long window = nextWindow++;
        int chunk = (int) (window >>> CHUNK_SHIFT);
        ELEMENT.setRelease(writableChunk(chunk), (int) window & CHUNK_SIZE - 1, mapping);
        liveInChunk[chunk]++;
        mappedBytes += mapping.byteSize;
        return (window << WINDOW_SHIFT) + mapping.pageOffset;
    }

    private @Nullable Mapping[] writableChunk(int chunk) {
        @Nullable Mapping[] @Nullable [] table = chunks;
        if (chunk >= table.length) {
            table = Arrays.copyOf(table, table.length * 2);
            liveInChunk = Arrays.copyOf(liveInChunk, table.length);
        }
        @Nullable Mapping[] existing = table[chunk];
        if (existing == null) {
            existing = new Mapping[CHUNK_SIZE];
            table[chunk] = existing;
            chunks = table; // publishes the new chunk, and the new table
        }
        return existing;
    }

    /**
     * Removes a mapping. The device must have been told before not to use it any more.
     *
     * @param address what {@link #map} gave
     * @throws IllegalArgumentException if there is no such mapping
     */
    public synchronized void unmap(long address) {
        Mapping mapping = find(address);
        if (mapping == null || mapping.pageOffset != (address & (WINDOW_SIZE - 1))) {
            throw new IllegalArgumentException("not the start of a mapping: 0x" + Long.toHexString(address));
        }
        long window = address >>> WINDOW_SHIFT;
        int chunk = (int) (window >>> CHUNK_SHIFT);
        @Nullable Mapping[] @Nullable [] table = chunks;
        ELEMENT.setRelease(table[chunk], (int) window & CHUNK_SIZE - 1, null);
        mappedBytes -= mapping.byteSize;
        if (--liveInChunk[chunk] == 0 && nextWindow >>> CHUNK_SHIFT != chunk) {
            table[chunk] = null;
            chunks = table;
        }
        epoch++; // last: who sees the new number does not find the mapping
    }

    /** The bytes that are mapped at this moment. */
    public synchronized long mappedBytes() {
        return mappedBytes;
    }

    @Override
    public @Nullable MemorySegment resolve(long address, long length) {
        Mapping mapping = find(address);
        if (mapping == null || mapping.memory == null) {
            return null;
        }
        long offset = mapping.offset(address, length);
        return offset < 0 ? null : mapping.memory.asSlice(offset, length);
    }

    @Override
    public @Nullable ForeignMemory resolveForeign(long address, long length) {
        Mapping mapping = find(address);
        if (mapping == null || mapping.foreign == null) {
            return null;
        }
        long offset = mapping.offset(address, length);
        return offset < 0 ? null : mapping.foreign.slice(offset, length);
    }

    private @Nullable Mapping find(long address) {
        long window = address >>> WINDOW_SHIFT;
        @Nullable Mapping[] @Nullable [] table = chunks;
        long index = window >>> CHUNK_SHIFT;
        if (index >= table.length) {
            return null;
        }
        @Nullable Mapping[] chunk = table[(int) index];
        return chunk == null ? null : (Mapping) ELEMENT.getAcquire(chunk, (int) window & CHUNK_SIZE - 1);
    }

    @Override
    public long epoch() {
        return epoch;
    }
}
