// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * How numbers lie in memory shared with a guest: little-endian, except what the interface calls big-endian.
 * A guest chooses every address, so nothing but ring indices is assumed to be aligned.
 */
final class Layouts {
    static final ValueLayout.OfByte BYTE = JAVA_BYTE;
    static final ValueLayout.OfShort SHORT = JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfShort SHORT_BE = JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfInt INT_BE = JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG_BE = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** For ring indices: acquire and release want alignment. */
    static final ValueLayout.OfInt INDEX = JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The least power of two that is not below {@code n}, for 1 &lt;= n &lt;= 2^30. */
    static int powerOfTwoAtLeast(int n) {
        return n <= 1 ? 1 : Integer.highestOneBit(n - 1) << 1;
    }

    /** Two neighbouring numbers as one, the first in the low half. */
    static long pair(int low, int high) {
        return (low & 0xffff_ffffL) | (long) high << Integer.SIZE;
    }

    private Layouts() {}
}
