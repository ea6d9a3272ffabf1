// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;

/**
 * {@code errno}, saved right after a downcall: later the JVM itself may have overwritten it. Only functions that answer
 * with NULL or -1 need it, so the data path never does.
 */
final class CapturedErrno {
    static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");

    private static final StructLayout LAYOUT = Linker.Option.captureStateLayout();
    private static final long OFFSET = LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private CapturedErrno() {}

    static MemorySegment allocate(SegmentAllocator allocator) {
        return allocator.allocate(LAYOUT);
    }

    static int get(MemorySegment captured) {
        return captured.get(ValueLayout.JAVA_INT, OFFSET);
    }
}
