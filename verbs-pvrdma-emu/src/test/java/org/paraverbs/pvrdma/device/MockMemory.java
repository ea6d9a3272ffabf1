// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.PageDirectory;

/**
 * Memory of a guest: stretches at DMA addresses. Pages are given out one after the other, or scattered so that no two
 * that are asked for together lie next to each other.
 */
final class MockMemory implements GuestMemory {
    static final int PAGE = PageDirectory.PAGE_SIZE;

    /** Where new pages come from. */
    Arena arena;

    private final NavigableMap<Long, MemorySegment> mappings = new ConcurrentSkipListMap<>();
    private final AtomicLong epoch = new AtomicLong();
    private final List<MemorySegment> directories = new ArrayList<>();
    private long nextAddress = 0x1_0000_0000L;
    boolean scattered;

    /** Whether what is mapped next is another process's: read and written, but no segment. */
    boolean nextIsForeign;

    /** Whether the other processes are still there. */
    boolean foreignIsAlive = true;

    /** Whether their memory is not there because they have ended. */
    boolean foreignHasEnded;

    private final Set<Long> foreign = new HashSet<>();

    /** Runs whenever the device asks whether mappings have changed: in the middle of what it does. */
    Runnable onEpoch = () -> {};

    MockMemory(Arena arena) {
        this.arena = arena;
    }

    @Override
    public @Nullable MemorySegment resolve(long address, long length) {
        var mapping = mappings.floorEntry(address);
        return mapping == null || foreign.contains(mapping.getKey()) ? null : slice(mapping, address, length);
    }

    @Override
    public @Nullable ForeignMemory resolveForeign(long address, long length) {
        var mapping = mappings.floorEntry(address);
        MemorySegment slice =
                mapping == null || !foreign.contains(mapping.getKey()) ? null : slice(mapping, address, length);
        return slice == null ? null : new Foreign(slice);
    }

    private static @Nullable MemorySegment slice(Map.Entry<Long, MemorySegment> mapping, long address, long length) {
        MemorySegment segment = mapping.getValue();
        long offset = address - mapping.getKey();
        return length < 1 || offset > segment.byteSize() - length ? null : segment.asSlice(offset, length);
    }

    private final class Foreign implements ForeignMemory {
        private final MemorySegment segment;

        Foreign(MemorySegment segment) {
            this.segment = segment;
        }

        @Override
        public long byteSize() {
            return segment.byteSize();
        }

        @Override
        public boolean read(long offset, ByteBuffer into) {
            if (foreignIsAlive) {
                into.put(segment.asSlice(offset, into.remaining()).asByteBuffer());
            }
            return foreignIsAlive;
        }

        @Override
        public boolean write(long offset, ByteBuffer from) {
            if (foreignIsAlive) {
                segment.asSlice(offset, from.remaining()).asByteBuffer().put(from);
            }
            return foreignIsAlive;
        }

        @Override
        public boolean isGone() {
            return foreignHasEnded;
        }

        @Override
        public ForeignMemory slice(long offset, long length) {
            return new Foreign(segment.asSlice(offset, length));
        }
    }

    @Override
    public long epoch() {
        onEpoch.run();
        return epoch.get();
    }

    /** Maps a segment at a new address whose offset in its page is {@code offsetInPage}. */
    long map(MemorySegment segment, int offsetInPage) {
        long address = nextAddress + offsetInPage;
        nextAddress = (address + segment.byteSize() + 2 * PAGE) & -PAGE;
        mappings.put(address, segment);
        if (nextIsForeign) {
            nextIsForeign = false;
            foreign.add(address);
        }
        return address;
    }

    void unmap(long address) {
        mappings.remove(address);
        epoch.incrementAndGet();
    }

    /** Takes all mappings away. */
    void unmapAll() {
        mappings.clear();
        epoch.incrementAndGet();
    }

    /** Fresh zeroed pages as one stretch. */
    Pages pages(int count) {
        long[] addresses = new long[count];
        MemorySegment[] segments = new MemorySegment[count];
        if (scattered) {
            for (int i = count - 1; i >= 0; i--) {
                segments[i] = arena.allocate(PAGE, PAGE);
                addresses[i] = map(segments[i], 0);
            }
        } else {
            MemorySegment all = arena.allocate((long) count * PAGE, PAGE);
            long first = map(all, 0);
            for (int i = 0; i < count; i++) {
                segments[i] = all.asSlice((long) i * PAGE, PAGE);
                addresses[i] = first + (long) i * PAGE;
            }
        }
        return new Pages(addresses, segments);
    }

    /** One of the page directories that were made last; null if there is none. */
    @Nullable
    MemorySegment anyDirectory(int number) {
        return directories.isEmpty() ? null : directories.get(directories.size() - 1 - number % directories.size());
    }

    /** A page directory that lists pages; gives its DMA address. */
    long directory(long... pageAddresses) {
        MemorySegment directory = arena.allocate(PAGE, PAGE);
        directories.add(directory);
        MemorySegment table = null;
        for (int i = 0; i < pageAddresses.length; i++) {
            if (i % PageDirectory.ENTRIES == 0) {
                table = arena.allocate(PAGE, PAGE);
                PageDirectory.entry(directory, PageDirectory.table(i), map(table, 0));
            }
            PageDirectory.entry(table, i % PageDirectory.ENTRIES, pageAddresses[i]);
        }
        return map(directory, 0);
    }

    /** Pages of a guest. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Pages(long[] addresses, MemorySegment[] segments) {
        long first() {
            return addresses[0];
        }

        /** The page that holds an offset; offsets within it are {@code offset % PAGE}. */
        MemorySegment at(long offset) {
            return segments[(int) (offset / PAGE)];
        }
    }
}
