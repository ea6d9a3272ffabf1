// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Offsets in BAR1. Every register is 32 bits wide.
 */
public final class Registers {
    /** Read: {@link DeviceVersion}. */
    public static final int VERSION = 0x0;
    /** Write: low half of the shared region's address. */
    public static final int DSRLOW = 0x4;
    /** Write: high half; the device takes the region when this is written. */
    public static final int DSRHIGH = 0x8;
    /** Write: {@link DeviceCtl}; ERR holds the outcome. */
    public static final int CTL = 0xc;
    /** Write: execute the command in the command slot; ERR holds the outcome. */
    public static final int REQUEST = 0x10;
    /** Read: 0 or why the last CTL or REQUEST was refused. */
    public static final int ERR = 0x14;
    /** Read: {@link InterruptVector} causes as bits; reading clears them. */
    public static final int ICR = 0x18;
    /** Read and write: masked causes; all ones masks every interrupt. */
    public static final int IMR = 0x1c;
    /** Read and write: MAC address, low 32 bits. */
    public static final int MACL = 0x20;
    /** Read and write: MAC address, high 16 bits. */
    public static final int MACH = 0x24;

    /** Bytes of BAR1. */
    public static final int SIZE = 0x1000;

    private Registers() {}
}
