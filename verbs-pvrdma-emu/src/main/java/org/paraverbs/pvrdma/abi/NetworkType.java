// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Network header of a received datagram.
 */
public final class NetworkType {
    public static final int ROCE_V1 = 0;
    public static final int IPV4 = 1;
    public static final int IPV6 = 2;

    private NetworkType() {}
}
