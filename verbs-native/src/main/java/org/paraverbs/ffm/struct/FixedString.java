// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Text in a {@code char[N]} field: ends at the first NUL, or, where a library forgot it, at the end of the field. */
final class FixedString {
    private FixedString() {}

    static String read(MemorySegment segment, long offset, int capacity) {
        byte[] bytes = segment.asSlice(offset, capacity).toArray(JAVA_BYTE);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
