// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.PageDirectory;

/**
 * Guest memory that a page directory lists: the pages are joined to stretches as long as they can be, each stretch is
 * resolved once, and looked up again only when the guest's mappings have changed. Offsets count from the first
 * byte asked for.
 *
 * <p>Any thread may ask; two that find the mappings changed may both look up, to the same effect.
 */
final class GuestPages {
    /** The addresses of memory that is no guest's. */
    private static final long[] NOWHERE = {};

    private final GuestMemory memory;

    // The stretches as the guest listed them: offset within this memory, and DMA address.
    private final long[] starts;
    private final long[] addresses;
    private final long length;

    private volatile Resolved resolved;

    /** The stretches as segments, or as memory that no segment stands for. */
    static final class Resolved {
        private final long epoch;
        private final long[] starts;
        private final @Nullable MemorySegment[] segments;

        /** What stands in for segments that are null; null where all are segments. */
        private final @Nullable ForeignMemory @Nullable [] foreign;

        Resolved(
                long epoch,
                long[] starts,
                @Nullable MemorySegment[] segments,
                @Nullable ForeignMemory @Nullable [] foreign) {
            this.epoch = epoch;
            this.starts = starts;
            this.segments = segments;
            this.foreign = foreign;
        }

        /** Index of the stretch that holds {@code offset}. */
        int stretch(long offset) {
            if (starts.length == 1) {
                return 0;
            }
            int found = Arrays.binarySearch(starts, offset);
            return found >= 0 ? found : -found - 2;
        }

        /** The segment of a stretch; null when the guest has unmapped it, or it is {@link #foreign}. */
        @Nullable
        MemorySegment segment(int stretch) {
            return segments[stretch];
        }

        /** The memory of a stretch that is another process's; null when it is not. */
        @Nullable
        ForeignMemory foreign(int stretch) {
            return foreign == null ? null : foreign[stretch];
        }

        /** Bytes of a stretch; 0 when the guest has unmapped it. */
        long bytes(int stretch) {
            MemorySegment segment = segments[stretch];
            ForeignMemory other = foreign(stretch);
            return segment != null ? segment.byteSize() : other != null ? other.byteSize() : 0;
        }

        /** Whether there is memory behind the first stretch, as far as one can know without touching it. */
        boolean isAlive() {
            MemorySegment first = segments[0];
            return first != null ? first.scope().isAlive() : foreign(0) != null;
        }

        private boolean isComplete() {
            for (int i = 0; i < segments.length; i++) {
                if (segments[i] == null && foreign(i) == null) {
                    return false;
                }
            }
            return true;
        }

        /** Where in its segment an offset of a stretch lies. */
        long within(int stretch, long offset) {
            return offset - starts[stretch];
        }
    }

    private GuestPages(GuestMemory memory, long[] starts, long[] addresses, long length, Resolved resolved) {
        this.memory = memory;
        this.starts = starts;
        this.addresses = addresses;
        this.length = length;
        this.resolved = resolved;
    }

    /**
     * Reads a page directory.
     *
     * @param directoryDma address of the directory, as the guest gave it
     * @param pages number of pages, 1 to {@link PageDirectory#MAX_PAGES}
     * @param skip bytes of the first page that do not belong to the memory
     * @param length bytes of the memory, within the pages
     * @return the memory, or null when directory, tables or pages are not all mapped or aligned, or are freed meanwhile
     */
    static @Nullable GuestPages read(GuestMemory memory, long directoryDma, int pages, int skip, long length) {
        try {
            return readDirectory(memory, directoryDma, pages, skip, length);
        } catch (RuntimeException | InternalError e) {
            if (!MemoryFault.isGuests(e)) {
                throw e;
            }
            return null; // freed meanwhile, or a directory at an odd address
        }
    }

    private static @Nullable GuestPages readDirectory(
            GuestMemory memory, long directoryDma, int pages, int skip, long length) {
        long epoch = memory.epoch(); // before the lookups: what changes meanwhile is found by the next look
        MemorySegment directory = memory.resolve(directoryDma, (long) PageDirectory.tables(pages) << 3);
        if (directory == null) {
            return null;
        }
        long[] starts = new long[pages];
        long[] addresses = new long[pages];
        int stretches = 0;
        long expected = 0;
        MemorySegment table = null;
        for (int page = 0; page < pages; page++) {
            int inTable = page & (PageDirectory.ENTRIES - 1);
            if (inTable == 0) {
                int entries = Math.min(PageDirectory.ENTRIES, pages - page);
                table = memory.resolve(PageDirectory.entry(directory, PageDirectory.table(page)), (long) entries << 3);
            }
            if (table == null) {
                return null;
            }
            long address = PageDirectory.entry(table, inTable);
            if ((address & (PageDirectory.PAGE_SIZE - 1)) != 0) {
                return null;
            }
            if (page == 0) {
                addresses[stretches++] = address + skip;
            } else if (address != expected) {
                starts[stretches] = ((long) page << PageDirectory.PAGE_SHIFT) - skip;
                addresses[stretches++] = address;
            }
            expected = address + PageDirectory.PAGE_SIZE;
        }
        return resolve(memory, epoch, Arrays.copyOf(starts, stretches), Arrays.copyOf(addresses, stretches), length);
    }

    /** Memory of the device itself, as one stretch that no guest can unmap. */
    static GuestPages ofDevice(MemorySegment segment, GuestMemory memory) {
        long[] start = {0};
        Resolved resolved = new Resolved(memory.epoch(), start, new MemorySegment[] {segment}, null);
        return new GuestPages(memory, start, NOWHERE, segment.byteSize(), resolved);
    }

    private static @Nullable GuestPages resolve(
            GuestMemory memory, long epoch, long[] starts, long[] addresses, long length) {
        Resolved whole = lookUp(memory, epoch, starts, addresses, length);
        if (whole.isComplete()) {
            return new GuestPages(memory, starts, addresses, length, whole);
        }
        // A stretch may cross from one mapping to the next: then every page is a stretch.
        long[][] split = split(starts, addresses, length);
        Resolved pagewise = lookUp(memory, epoch, split[0], split[1], length);
        return pagewise.isComplete() ? new GuestPages(memory, split[0], split[1], length, pagewise) : null;
    }

    private static long[][] split(long[] starts, long[] addresses, long length) {
        int most = (int) (length >>> PageDirectory.PAGE_SHIFT) + starts.length + 2;
        long[] pageStarts = new long[most];
        long[] pageAddresses = new long[most];
        int pages = 0;
        for (int i = 0; i < starts.length; i++) {
            long end = i + 1 < starts.length ? starts[i + 1] : length;
            long offset = starts[i];
            long address = addresses[i];
            while (offset < end) {
                pageStarts[pages] = offset;
                pageAddresses[pages++] = address;
                long step = PageDirectory.PAGE_SIZE - (address & (PageDirectory.PAGE_SIZE - 1));
                offset += step;
                address += step;
            }
        }
        return new long[][] {Arrays.copyOf(pageStarts, pages), Arrays.copyOf(pageAddresses, pages)};
    }

    private static Resolved lookUp(GuestMemory memory, long epoch, long[] starts, long[] addresses, long length) {
        @Nullable MemorySegment[] segments = new MemorySegment[starts.length];
        @Nullable ForeignMemory @Nullable [] foreign = null;
        for (int i = 0; i < starts.length; i++) {
            long end = i + 1 < starts.length ? starts[i + 1] : length;
            segments[i] = memory.resolve(addresses[i], end - starts[i]);
            ForeignMemory other = segments[i] == null ? memory.resolveForeign(addresses[i], end - starts[i]) : null;
            if (other != null) {
                foreign = foreign == null ? new ForeignMemory[starts.length] : foreign;
                foreign[i] = other;
            }
        }
        return new Resolved(epoch, starts, segments, foreign);
    }

    /** Bytes of the memory. */
    long length() {
        return length;
    }

    /** The stretches, looked up again if the guest's mappings have changed. */
    Resolved resolved() {
        Resolved now = resolved;
        return now.epoch == memory.epoch() ? now : lookUpAgain();
    }

    private Resolved lookUpAgain() {
        long epoch = memory.epoch();
        Resolved fresh = addresses.length == 0
                ? new Resolved(epoch, starts, resolved.segments, null)
                : lookUp(memory, epoch, starts, addresses, length);
        resolved = fresh;
        return fresh;
    }
}
