// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Codes of path MTUs.
 */
public final class Mtu {
    public static final int MTU_256 = 1;
    public static final int MTU_512 = 2;
    public static final int MTU_1024 = 3;
    public static final int MTU_2048 = 4;
    public static final int MTU_4096 = 5;

    /** Bytes of a code from {@link #MTU_256} to {@link #MTU_4096}. */
    public static int bytes(int code) {
        return 128 << code;
    }

    /** Whether a guest's value is one of the five codes. */
    public static boolean isValid(int code) {
        return code >= MTU_256 && code <= MTU_4096;
    }

    private Mtu() {}
}
