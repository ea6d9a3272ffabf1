// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.device.PvrdmaDevice;

/** A device as its driver reaches it over the bus: the registers of BAR1 and the doorbells of BAR2. */
public interface Bars {

    /**
     * Reads a register.
     *
     * @param offset of {@link org.paraverbs.pvrdma.abi.Registers}
     * @return its value
     */
    int readRegister(int offset);

    /**
     * Writes a register. When a write to CTL or REQUEST returns, ERR tells its outcome.
     *
     * @param offset of {@link org.paraverbs.pvrdma.abi.Registers}
     * @param value what to write
     */
    void writeRegister(int offset, int value);

    /**
     * Rings a doorbell; the only call of the data path.
     *
     * @param page page of the user access region
     * @param offset of {@link org.paraverbs.pvrdma.abi.Doorbell}
     * @param value handle and bits
     */
    void writeUar(int page, int offset, int value);

    /**
     * Why the device refused the last command, in words, which an emulated device tells and a real one keeps to the log of its
     * host. Not for the data path.
     *
     * @return the reason, or null if it is not told
     */
    default @Nullable String lastRefusal() {
        return null;
    }

    /**
     * The BARs of an emulated device.
     *
     * @param device the device
     * @return its registers and doorbells
     */
    static Bars of(PvrdmaDevice device) {
        return new Bars() {
            @Override
            public int readRegister(int offset) {
                return device.readRegister(offset);
            }

            @Override
            public void writeRegister(int offset, int value) {
                device.writeRegister(offset, value);
            }

            @Override
            public void writeUar(int page, int offset, int value) {
                device.writeUar(page, offset, value);
            }

            @Override
            public @Nullable String lastRefusal() {
                return device.statistics().lastRefusal();
            }
        };
    }
}
