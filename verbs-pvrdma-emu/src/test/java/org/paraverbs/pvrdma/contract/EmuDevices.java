// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.contract;

import org.paraverbs.verbs.contract.DevicesUnderTest;

/** The two devices that a program finds without doing anything. */
public interface EmuDevices extends DevicesUnderTest {

    @Override
    default String firstDevice() {
        return "emu:emu0";
    }

    @Override
    default String secondDevice() {
        return "emu:emu1";
    }

    /** In the build a few thousand closes will do; {@code -Dparaverbs.contract.scale=1} does all of them. */
    @Override
    default double scale() {
        return Double.parseDouble(System.getProperty("paraverbs.contract.scale", "0.03"));
    }

    /** How often a test that is no contract, but has a long form as these have, does what the long form does so often. */
    static int atScale(int full) {
        return (int) Math.max(1, Math.round(full * new EmuDevices() {}.scale()));
    }
}
