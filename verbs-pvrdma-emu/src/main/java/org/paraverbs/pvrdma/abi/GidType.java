// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * GID types: bits in {@link DeviceCaps#gidTypes}, where exactly one must be set, and values in
 * {@link CreateBind#gidType}.
 */
public final class GidType {
    public static final int ROCE_V1 = 1;
    public static final int ROCE_V2 = 2;

    private GidType() {}
}
