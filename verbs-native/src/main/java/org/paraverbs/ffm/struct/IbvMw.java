// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_mw}: a memory window, {@code ibv_alloc_mw(3)}. */
public final class IbvMw {
    public static final long SIZE = 32;

    private static final long RKEY = 16;

    private IbvMw() {}

    public static int rkey(MemorySegment window) {
        return window.get(JAVA_INT, RKEY);
    }

    public static void rkey(MemorySegment window, int value) {
        window.set(JAVA_INT, RKEY, value);
    }
}
