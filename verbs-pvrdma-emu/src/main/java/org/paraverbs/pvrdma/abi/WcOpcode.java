// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Opcode of a completion, the same numbers as {@code enum ibv_wc_opcode} as far as listed.
 */
public final class WcOpcode {
    public static final int SEND = 0;
    public static final int RDMA_WRITE = 1;
    public static final int RDMA_READ = 2;
    public static final int COMP_SWAP = 3;
    public static final int FETCH_ADD = 4;
    public static final int LOCAL_INV = 7;
    public static final int FAST_REG_MR = 8;
    public static final int RECV = 128;
    public static final int RECV_RDMA_WITH_IMM = 129;

    private WcOpcode() {}
}
