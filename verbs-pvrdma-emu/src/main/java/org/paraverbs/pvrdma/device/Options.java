// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

/** How options of a device are checked: a message names the option and what it can be. */
final class Options {
    static void requireRange(int value, int min, int max, String name) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + "; the range is " + min + " to " + max);
        }
    }

    static void require(boolean holds, String name, long value) {
        if (!holds) {
            throw new IllegalArgumentException(name + " cannot be " + value);
        }
    }

    private Options() {}
}
