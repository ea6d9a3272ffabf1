// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.WrOpcode;

/**
 * Copies of which one side or both are {@link ForeignMemory}: through a buffer of the thread that copies, since neither side's
 * owner may wait for the other's. It is looked up by thread, which is nothing beside the system calls that follow.
 */
final class ForeignCopy {
    /** Where reading and writing another process is about as fast as with larger pieces. */
    private static final int BUFFER_BYTES = 1 << 16;

    private static final ThreadLocal<ForeignCopy> OF_THREAD = ThreadLocal.withInitial(ForeignCopy::new);

    private final MemorySegment bytes = Arena.ofAuto().allocate(BUFFER_BYTES, Long.BYTES);
    private final ByteBuffer buffer = bytes.asByteBuffer();

    private ForeignCopy() {}

    /**
     * Copies within bounds that {@link MemoryRegion#covers} has checked.
     *
     * @param length at least 1
     */
    static Dma.Fault copy(
            GuestPages.Resolved from, long fromOffset, GuestPages.Resolved to, long toOffset, long length) {
        return OF_THREAD.get().run(from, fromOffset, to, toOffset, length);
    }

    private Dma.Fault run(
            GuestPages.Resolved from, long fromOffset, GuestPages.Resolved to, long toOffset, long length) {
        long done = 0;
        // Each turn fills the buffer or finishes a stretch of one side.
        while (done < length) {
            int source = from.stretch(fromOffset + done);
            int target = to.stretch(toOffset + done);
            long sourceAt = from.within(source, fromOffset + done);
            long targetAt = to.within(target, toOffset + done);
            long sourceLeft = from.bytes(source) - sourceAt;
            long targetLeft = to.bytes(target) - targetAt;
            if (sourceLeft <= 0) {
                return Dma.Fault.SOURCE;
            }
            if (targetLeft <= 0) {
                return Dma.Fault.TARGET;
            }
            int step = (int) Math.min(Math.min(length - done, BUFFER_BYTES), Math.min(sourceLeft, targetLeft));
            if (!fill(from.segment(source), from.foreign(source), sourceAt, step)) {
                return fault(from.foreign(source), Dma.Fault.SOURCE);
            }
            if (!empty(to.segment(target), to.foreign(target), targetAt, step)) {
                return fault(to.foreign(target), Dma.Fault.TARGET);
            }
            done += step;
        }
        return Dma.Fault.NONE;
    }

    private static Dma.Fault fault(@Nullable ForeignMemory foreign, Dma.Fault otherwise) {
        return foreign != null && foreign.isGone() ? Dma.Fault.PROCESS : otherwise;
    }

    private boolean fill(@Nullable MemorySegment segment, @Nullable ForeignMemory foreign, long at, int step) {
        if (foreign != null) {
            return foreign.read(at, buffer.limit(step).position(0));
        }
        return segment != null && Dma.copySegments(segment, at, bytes, 0, step) == Dma.Fault.NONE;
    }

    private boolean empty(@Nullable MemorySegment segment, @Nullable ForeignMemory foreign, long at, int step) {
        if (foreign != null) {
            return foreign.write(at, buffer.limit(step).position(0));
        }
        return segment != null && Dma.copySegments(bytes, 0, segment, at, step) == Dma.Fault.NONE;
    }

    /**
     * Executes an atomic operation. Atomic with regard to those of the device whose region it is, since its owner executes them
     * all; not with regard to the process itself: {@code IBV_ATOMIC_HCA}.
     *
     * @return how it went
     */
    static Dma.Fault atomic(ForeignMemory memory, long at, WorkRequest request) {
        return OF_THREAD.get().swap(memory, at, request) ? Dma.Fault.NONE : fault(memory, Dma.Fault.TARGET);
    }

    private boolean swap(ForeignMemory memory, long at, WorkRequest request) {
        if (!memory.read(at, buffer.limit(Long.BYTES).position(0))) {
            return false;
        }
        long original = bytes.get(ValueLayout.JAVA_LONG, 0);
        boolean compares = request.opcode == WrOpcode.ATOMIC_CMP_AND_SWP;
        if (!compares || original == request.compareAdd) {
            bytes.set(ValueLayout.JAVA_LONG, 0, compares ? request.swap : original + request.compareAdd);
            if (!memory.write(at, buffer.limit(Long.BYTES).position(0))) {
                return false;
            }
        }
        request.original = original;
        return true;
    }
}
