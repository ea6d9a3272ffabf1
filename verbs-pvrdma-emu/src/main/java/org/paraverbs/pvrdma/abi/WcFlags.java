// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Flags of a completion.
 */
public final class WcFlags {
    public static final int GRH = 0x1;
    public static final int WITH_IMM = 0x2;
    public static final int WITH_INVALIDATE = 0x4;
    public static final int WITH_NETWORK_HDR_TYPE = 0x40;

    private WcFlags() {}
}
