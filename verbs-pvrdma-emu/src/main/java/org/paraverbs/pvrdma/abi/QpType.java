// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Types of queue pairs: {@code enum ib_qp_type} of the kernel, not {@code enum ibv_qp_type}; they agree on
 * RC, UC and UD.
 */
public final class QpType {
    public static final int GSI = 1;
    public static final int RC = 2;
    public static final int UC = 3;
    public static final int UD = 4;

    private QpType() {}
}
