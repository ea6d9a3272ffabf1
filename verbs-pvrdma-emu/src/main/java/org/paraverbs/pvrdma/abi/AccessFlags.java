// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Access flags of regions and queue pairs, the same bits as {@code enum ibv_access_flags}.
 */
public final class AccessFlags {
    public static final int ACCESS_LOCAL_WRITE = 0x1;
    public static final int ACCESS_REMOTE_WRITE = 0x2;
    public static final int ACCESS_REMOTE_READ = 0x4;
    public static final int ACCESS_REMOTE_ATOMIC = 0x8;
    public static final int ACCESS_MW_BIND = 0x10;
    public static final int ZERO_BASED = 0x20;
    public static final int ACCESS_ON_DEMAND = 0x40;

    private AccessFlags() {}
}
