// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.WrOpcode;

/**
 * Copies between registered regions. Bounds and liveness are checked by the JDK: memory that was freed or unmapped
 * under a registration is a fault, not a crash.
 *
 * <p>The last byte of a copy is written last: programs that wait for a WRITE poll for it.
 */
final class Dma {
    /** Outcome of a copy. */
    enum Fault {
        /** Copied. */
        NONE,
        /** The memory to be read was gone. */
        SOURCE,
        /** The memory to be written was gone. */
        TARGET,
        /** The memory was that of a process that has ended, and whose queue pairs will be gone in a moment. */
        PROCESS
    }

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int WORD_BYTES = 8;
    private static final VarHandle ATOMIC = ValueLayout.JAVA_LONG.varHandle();

    /**
     * Copies within bounds that {@link MemoryRegion#covers} has checked.
     *
     * @param bytes at least 1
     */
    static Fault copy(MemoryRegion from, long fromAddress, MemoryRegion to, long toAddress, long bytes) {
        if (!from.live) {
            return Fault.SOURCE;
        }
        if (!to.live) {
            return Fault.TARGET;
        }
        GuestPages fromPages = from.pages;
        GuestPages toPages = to.pages;
        if (fromPages == null || toPages == null) {
            return copyDma(from, fromAddress, to, toAddress, bytes);
        }
        return copyPages(
                fromPages.resolved(), fromAddress - from.start, toPages.resolved(), toAddress - to.start, bytes);
    }

    private static Fault copyPages(
            GuestPages.Resolved from, long fromOffset, GuestPages.Resolved to, long toOffset, long bytes) {
        long done = 0;
        // Each turn finishes a stretch of one side: bounded by their number.
        while (done < bytes) {
            int fromStretch = from.stretch(fromOffset + done);
            int toStretch = to.stretch(toOffset + done);
            MemorySegment source = from.segment(fromStretch);
            MemorySegment target = to.segment(toStretch);
            if (source == null || target == null) {
                return ForeignCopy.copy(from, fromOffset + done, to, toOffset + done, bytes - done);
            }
            long fromWithin = from.within(fromStretch, fromOffset + done);
            long toWithin = to.within(toStretch, toOffset + done);
            long step = Math.min(bytes - done, Math.min(source.byteSize() - fromWithin, target.byteSize() - toWithin));
            Fault fault = copySegments(source, fromWithin, target, toWithin, step);
            if (fault != Fault.NONE) {
                return fault;
            }
            done += step;
        }
        return Fault.NONE;
    }

    /** The seldom case that a side has no pages of its own: a region of all DMA addresses, as drivers use it. */
    private static Fault copyDma(MemoryRegion from, long fromAddress, MemoryRegion to, long toAddress, long bytes) {
        long done = 0;
        while (done < bytes) {
            // page by page, as only that is sure to be one stretch of memory
            long step = Math.min(bytes - done, Math.min(toPageEnd(fromAddress + done), toPageEnd(toAddress + done)));
            MemorySegment source = segment(from, fromAddress + done, step);
            if (source == null) {
                return Fault.SOURCE;
            }
            MemorySegment target = segment(to, toAddress + done, step);
            if (target == null) {
                return Fault.TARGET;
            }
            Fault fault = copySegments(source, 0, target, 0, step);
            if (fault != Fault.NONE) {
                return fault;
            }
            done += step;
        }
        return Fault.NONE;
    }

    /**
     * Executes an atomic operation within bounds that {@link MemoryRegion#covers} has checked, on an address aligned to 8
     * bytes. It is atomic with regard to those of other devices, and to a program's own {@code VarHandle}.
     *
     * @return how it went; after {@link Fault#NONE} {@link WorkRequest#original} is set
     */
    static Fault atomic(MemoryRegion region, WorkRequest request) {
        GuestPages pages = region.pages;
        if (!region.live || pages == null) {
            return Fault.TARGET;
        }
        GuestPages.Resolved resolved = pages.resolved();
        long offset = request.remoteAddress - region.start;
        int stretch = resolved.stretch(offset);
        MemorySegment segment = resolved.segment(stretch);
        long at = resolved.within(stretch, offset);
        if (segment == null) {
            ForeignMemory foreign = resolved.foreign(stretch);
            return foreign == null ? Fault.TARGET : ForeignCopy.atomic(foreign, at, request);
        }
        try {
            request.original = request.opcode == WrOpcode.ATOMIC_CMP_AND_SWP
                    ? (long) ATOMIC.compareAndExchange(segment, at, request.compareAdd, request.swap)
                    : (long) ATOMIC.getAndAdd(segment, at, request.compareAdd);
            return Fault.NONE;
        } catch (RuntimeException | InternalError e) {
            return Fault.TARGET; // as in copySegments
        }
    }

    private static @Nullable MemorySegment segment(MemoryRegion region, long address, long bytes) {
        if (region.pages == null) {
            return region.memory.resolve(address, bytes);
        }
        GuestPages.Resolved resolved = region.pages.resolved();
        long offset = address - region.start;
        int stretch = resolved.stretch(offset);
        MemorySegment segment = resolved.segment(stretch);
        return segment == null ? null : segment.asSlice(resolved.within(stretch, offset), bytes);
    }

    private static long toPageEnd(long address) {
        return 4096 - (address & 4095);
    }

    static Fault copySegments(MemorySegment source, long from, MemorySegment target, long to, long bytes) {
        try {
            if (bytes == WORD_BYTES && ((source.address() + from) | (target.address() + to)) % WORD_BYTES == 0) {
                target.set(WORD, to, source.get(WORD, from));
                return Fault.NONE;
            }
            long last = bytes - 1;
            if (last != 0) {
                MemorySegment.copy(source, from, target, to, last);
            }
            byte lastByte = source.get(ValueLayout.JAVA_BYTE, from + last);
            VarHandle.releaseFence(); // pairs with the acquire of whoever polls for the last byte
            target.set(ValueLayout.JAVA_BYTE, to + last, lastByte);
            return Fault.NONE;
        } catch (RuntimeException | InternalError e) {
            // A closed scope, a read-only or foreign segment; InternalError: a mapped file was cut short under us.
            return isUsable(source, from, bytes) ? Fault.TARGET : Fault.SOURCE;
        }
    }

    private static boolean isUsable(MemorySegment segment, long offset, long bytes) {
        try {
            byte[] probe = new byte[1];
            MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, probe, 0, 1);
            MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset + bytes - 1, probe, 0, 1);
            return true;
        } catch (RuntimeException | InternalError e) {
            return false;
        }
    }

    private Dma() {}
}
