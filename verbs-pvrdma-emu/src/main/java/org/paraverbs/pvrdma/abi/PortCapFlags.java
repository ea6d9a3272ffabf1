// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Capabilities of a port.
 */
public final class PortCapFlags {
    public static final int CM_SUP = 0x10000;
    public static final int IP_BASED_GIDS = 0x4000000;

    private PortCapFlags() {}
}
