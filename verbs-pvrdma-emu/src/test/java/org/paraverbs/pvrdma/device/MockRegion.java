// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A region that a {@link MockDriver} registered. */
record MockRegion(int handle, int lkey, int rkey, long start, int length, int skip, MockMemory.Pages pages) {

    byte get(long offset) {
        return segment(offset).get(ValueLayout.JAVA_BYTE, within(offset));
    }

    /** A number of 8 bytes. */
    long getLong(long offset) {
        return segment(offset).get(ValueLayout.JAVA_LONG_UNALIGNED, within(offset));
    }

    void setLong(long offset, long value) {
        segment(offset).set(ValueLayout.JAVA_LONG_UNALIGNED, within(offset), value);
    }

    void set(long offset, int value) {
        segment(offset).set(ValueLayout.JAVA_BYTE, within(offset), (byte) value);
    }

    /** Fills the region with a pattern that differs from byte to byte and from seed to seed. */
    MockRegion fill(int seed) {
        for (int i = 0; i < length; i++) {
            set(i, pattern(seed, i));
        }
        return this;
    }

    static byte pattern(int seed, long offset) {
        return (byte) (seed * 31L + offset * 7 + (offset >>> 8));
    }

    /** What lies in its first and last page and does not belong to it was never written, if it has pages of its own. */
    void requireEdgesZero() {
        int last = pages.segments().length - 1;
        for (int page : new int[] {0, last}) {
            MemorySegment segment = pages.segments()[page];
            for (int i = 0; segment.byteSize() == MockMemory.PAGE && i < MockMemory.PAGE; i++) {
                long offset = (long) page * MockMemory.PAGE + i - skip;
                DeviceFault.unless(
                        (offset >= 0 && offset < length) || segment.get(ValueLayout.JAVA_BYTE, i) == 0,
                        "the byte at " + offset + " of a region of " + length + " bytes was written");
            }
        }
    }

    private MemorySegment segment(long offset) {
        return pages.segments().length == 1 ? pages.segments()[0] : pages.at(offset + skip);
    }

    private long within(long offset) {
        return pages.segments().length == 1 ? offset + skip : (offset + skip) % MockMemory.PAGE;
    }
}
