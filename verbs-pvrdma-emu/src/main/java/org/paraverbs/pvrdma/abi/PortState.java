// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * States of a port.
 */
public final class PortState {
    public static final int DOWN = 1;
    public static final int ACTIVE = 4;

    private PortState() {}
}
