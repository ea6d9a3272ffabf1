// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Values for {@link Registers#CTL}.
 */
public final class DeviceCtl {
    public static final int ACTIVATE = 0;
    public static final int UNQUIESCE = 1;
    public static final int RESET = 2;

    private DeviceCtl() {}
}
