// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/** {@code struct pollfd}: one descriptor to wait for, {@code poll(2)}. */
public final class Pollfd {
    public static final long SIZE = 8;

    private static final long FD = 0;
    private static final long EVENTS = 4;
    private static final long REVENTS = 6;

    private Pollfd() {}

    public static int fd(MemorySegment descriptors, long at) {
        return descriptors.get(JAVA_INT, at + FD);
    }

    public static void fd(MemorySegment descriptors, long at, int value) {
        descriptors.set(JAVA_INT, at + FD, value);
    }

    public static int events(MemorySegment descriptors, long at) {
        return Short.toUnsignedInt(descriptors.get(JAVA_SHORT, at + EVENTS));
    }

    public static void events(MemorySegment descriptors, long at, int value) {
        descriptors.set(JAVA_SHORT, at + EVENTS, (short) value);
    }

    public static int revents(MemorySegment descriptors, long at) {
        return Short.toUnsignedInt(descriptors.get(JAVA_SHORT, at + REVENTS));
    }
}
