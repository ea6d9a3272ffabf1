// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

import org.paraverbs.verbs.Mtu;

/** The fourth message: the path MTU's code as one ASCII digit and a NUL. */
final class PathMtu {
    private PathMtu() {}

    static byte[] encode(Mtu mtu) {
        return new byte[] {(byte) ('0' + mtu.code()), 0};
    }

    /** The smaller of both; a code that no MTU has is ignored, as the C programs do. */
    static Mtu agree(Mtu own, byte[] message) {
        int remote = message[0] - '0';
        boolean valid = remote >= Mtu.MTU_256.code() && remote <= Mtu.MTU_4096.code();
        return valid ? Mtu.min(own, Mtu.ofCode(remote)) : own;
    }
}
