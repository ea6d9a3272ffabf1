// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Versions of the device interface, as read from {@link Registers#VERSION}.
 */
public final class DeviceVersion {
    /** RoCE v1 only. */
    public static final int ROCEV1_VERSION = 17;
    /** RoCE v1 or v2. */
    public static final int ROCEV2_VERSION = 18;
    /** 64-bit page frame numbers. */
    public static final int PPN64_VERSION = 19;
    /** Queue pair number and handle are two things. */
    public static final int QPHANDLE_VERSION = 20;

    private DeviceVersion() {}
}
