// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.contract;

/** The sizes at which something changes: nothing, one byte, a packet more or less full, many packets. */
final class Sizes {
    private Sizes() {}

    /** The sizes for the path MTU that a pair uses. */
    static long[] around(Pair pair) {
        int mtu =
                Pair.mtu(pair.here().qp.endpoint(), pair.there().qp.endpoint()).bytes();
        return new long[] {0, 1, mtu - 1, mtu, mtu + 1, 64 << 10, 1 << 20};
    }
}
