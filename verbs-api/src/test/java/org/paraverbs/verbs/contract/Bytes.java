// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.paraverbs.verbs.MemoryRegion;

/** Contents of memory that cannot be right by chance. */
final class Bytes {
    private Bytes() {}

    /** Fills all of a region with bytes that follow from a seed. */
    static void fill(MemoryRegion region, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] bytes = new byte[Math.toIntExact(region.length())];
        random.nextBytes(bytes);
        MemorySegment.copy(bytes, 0, region.memory(), JAVA_BYTE, 0, bytes.length);
    }

    /** A copy of all of a region, to compare it with later. */
    static byte[] copy(MemoryRegion region) {
        return region.memory().toArray(JAVA_BYTE);
    }

    /**
     * Asserts that a range of a region has become what the source's range is, and that all around it is as it was before.
     */
    static void assertCopied(
            MemoryRegion target, byte[] before, long targetOffset, byte[] source, long sourceOffset, long length) {
        byte[] expected = before.clone();
        System.arraycopy(source, (int) sourceOffset, expected, (int) targetOffset, (int) length);
        assertSame(target, expected);
    }

    static void assertSame(MemoryRegion target, byte[] expected) {
        long mismatch = MemorySegment.ofArray(expected).mismatch(target.memory());
        assertThat(mismatch).as("the first byte that is wrong").isEqualTo(-1);
    }
}
