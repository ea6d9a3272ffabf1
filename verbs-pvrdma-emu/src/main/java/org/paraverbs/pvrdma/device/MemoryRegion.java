// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a guest registered. Its key, local and remote, is {@code handle << 8 | use}: the handle leads to the
 * region without a search, the use tells it from earlier regions of that handle.
 */
final class MemoryRegion {
    private static final int KEY_SHIFT = 8;

    /** Handle 0 is never given out, so nobody finds a region by this key. */
    private static final int NO_KEY = 0;

    final int handle;
    final ProtectionDomain pd;
    final int key;
    final long start;
    final long length;
    final int access;

    /** The guest's pages; null for a region whose addresses are DMA addresses. */
    final @Nullable GuestPages pages;

    final GuestMemory memory;

    /** Bytes that it counts as of the memory that may be registered in all. */
    long charged;

    /** Cleared before the memory may go; see {@link org.paraverbs.pvrdma.link.Fabric#awaitRounds}. */
    volatile boolean live = true;

    /** Pages that a work request may give it; 0 for a region that has its memory for good. */
    final int maxFastPages;

    /** What stands in the table while it has no memory; null for a region that has it for good, and for that region itself. */
    private final @Nullable MemoryRegion vacant;

    MemoryRegion(
            int handle,
            int use,
            ProtectionDomain pd,
            long start,
            long length,
            int access,
            @Nullable GuestPages pages,
            GuestMemory memory) {
        this(handle, key(handle, use), pd, start, length, access, pages, memory, 0, null);
    }

    private MemoryRegion(
            int handle,
            int key,
            ProtectionDomain pd,
            long start,
            long length,
            int access,
            @Nullable GuestPages pages,
            GuestMemory memory,
            int maxFastPages,
            @Nullable MemoryRegion vacant) {
        this.handle = handle;
        this.pd = pd;
        this.key = key;
        this.start = start;
        this.length = length;
        this.access = access;
        this.pages = pages;
        this.memory = memory;
        this.maxFastPages = maxFastPages;
        this.vacant = vacant;
    }

    /** A region without memory, for a {@link FastRegistration}: no key leads to it. */
    static MemoryRegion empty(int handle, ProtectionDomain pd, GuestMemory memory, int maxFastPages) {
        MemoryRegion region = new MemoryRegion(handle, NO_KEY, pd, 0, 0, 0, null, memory, maxFastPages, null);
        region.live = false;
        return region;
    }

    /** What takes the place of a region that is {@link #empty}. */
    MemoryRegion registered(int newKey, long newStart, long bytes, int newAccess, GuestPages newPages) {
        return new MemoryRegion(handle, newKey, pd, newStart, bytes, newAccess, newPages, memory, maxFastPages, this);
    }

    /** What takes the place of a region that was {@link #registered}: the empty one that it took the place of. */
    MemoryRegion unregistered() {
        return Objects.requireNonNull(vacant, "a region that has its memory for good");
    }

    /** The key of a use of a handle. */
    static int key(int handle, int use) {
        return handle << KEY_SHIFT | use;
    }

    /** Memory of the device itself, at address 0. It is in no table, so no key leads to it. */
    static MemoryRegion ofDevice(MemorySegment segment, GuestMemory memory) {
        return new MemoryRegion(
                0,
                0,
                new ProtectionDomain(0, null),
                0,
                segment.byteSize(),
                0,
                GuestPages.ofDevice(segment, memory),
                memory);
    }

    /** The handle in a key. */
    static int handleOf(int key) {
        return key >>> KEY_SHIFT;
    }

    /** The region of a key, if it is one of this protection domain; otherwise null. */
    static @Nullable MemoryRegion find(HandleTable<MemoryRegion> regions, int key, ProtectionDomain pd) {
        MemoryRegion region = regions.get(handleOf(key));
        return region != null && region.key == key && region.pd == pd ? region : null;
    }

    /**
     * Whether the region holds {@code bytes} bytes from {@code address}.
     *
     * @param bytes 0 to 2^32
     */
    boolean covers(long address, long bytes) {
        long offset = address - start;
        // unsigned numbers, since a region of all addresses is 2^64 - 1 long; the subtraction cannot wrap, since offset
        // is not above length
        return Long.compareUnsigned(offset, length) <= 0 && Long.compareUnsigned(bytes, length - offset) <= 0;
    }

    /** Whether every one of these access flags was granted. */
    boolean allows(int flags) {
        return (access & flags) == flags;
    }
}
