// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

/** The device did what it never may, whatever its guest does. */
final class DeviceFault extends AssertionError {
    private static final long serialVersionUID = 1L;

    DeviceFault(String message) {
        super(message);
    }

    static void unless(boolean fine, String otherwise) {
        if (!fine) {
            throw new DeviceFault(otherwise);
        }
    }
}
