// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.Sge;
import org.paraverbs.pvrdma.abi.WcStatus;

/**
 * Scatter/gather elements, copied out of guest memory once and checked. Empty elements are left out. Objects are made
 * once and filled again and again.
 */
final class SgeList {
    private final @Nullable MemoryRegion[] regions;
    private final long[] addresses;
    private final long[] lengths;
    private int count;
    private long total;

    SgeList(int limit) {
        regions = new MemoryRegion[limit];
        addresses = new long[limit];
        lengths = new long[limit];
    }

    /** Bytes of all elements. */
    long total() {
        return total;
    }

    void clear() {
        count = 0;
        total = 0;
    }

    /** Adds memory that was checked. */
    void add(MemoryRegion region, long address, long length) {
        if (length == 0) {
            return;
        }
        if (regions[count] != region) {
            regions[count] = region; // seldom: storing a reference costs more than comparing it
        }
        addresses[count] = address;
        lengths[count] = length;
        count++;
        total += length;
    }

    /**
     * Reads elements from a work request, each once. What a fault leaves in the list is not to be used, but for the
     * total, which counts all elements that were read.
     *
     * @param elements number of elements, within this list's limit
     * @param needed bytes that will be used: elements beyond are not looked at
     * @param access what the regions must allow
     * @return {@link WcStatus#SUCCESS} or the status of the first fault
     */
    int read(
            MemorySegment segment,
            long at,
            int elements,
            long needed,
            HandleTable<MemoryRegion> table,
            ProtectionDomain pd,
            int access) {
        clear();
        int status = WcStatus.SUCCESS;
        long place = at;
        for (int i = 0; i < elements && total < needed; i++, place += Sge.SIZE) {
            long lengthAndKey = Sge.lengthAndLkey(segment, place);
            long length = lengthAndKey & 0xffff_ffffL;
            if (length == 0) {
                continue; // IBTA volume 1, section 10.6.3.1: an empty element needs no valid key
            }
            long address = Sge.addr(segment, place);
            MemoryRegion region = MemoryRegion.find(table, (int) (lengthAndKey >>> Integer.SIZE), pd);
            if (region != null && region.covers(address, length) && region.allows(access)) {
                add(region, address, length);
            } else {
                status = WcStatus.LOC_PROT_ERR;
                total += length;
            }
        }
        return status;
    }

    /**
     * Copies from one list to the other, in order.
     *
     * @param bytes at most the total of either
     */
    static Dma.Fault copy(SgeList from, SgeList to, long bytes) {
        if (bytes == 0) {
            return Dma.Fault.NONE;
        }
        if (from.count == 1 && to.count == 1) {
            return Dma.copy(from.regions[0], from.addresses[0], to.regions[0], to.addresses[0], bytes);
        }
        int source = 0;
        int target = 0;
        long sourceDone = 0;
        long targetDone = 0;
        long left = bytes;
        // Each turn finishes an element of one side: bounded by their number.
        while (left > 0) {
            long step = Math.min(left, Math.min(from.lengths[source] - sourceDone, to.lengths[target] - targetDone));
            Dma.Fault fault = Dma.copy(
                    from.regions[source],
                    from.addresses[source] + sourceDone,
                    to.regions[target],
                    to.addresses[target] + targetDone,
                    step);
            if (fault != Dma.Fault.NONE) {
                return fault;
            }
            left -= step;
            sourceDone += step;
            targetDone += step;
            if (sourceDone == from.lengths[source]) {
                source++;
                sourceDone = 0;
            }
            if (targetDone == to.lengths[target]) {
                target++;
                targetDone = 0;
            }
        }
        return Dma.Fault.NONE;
    }
}
