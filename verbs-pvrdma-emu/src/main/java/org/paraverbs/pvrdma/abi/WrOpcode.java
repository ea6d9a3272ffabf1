// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Opcodes of send work requests. They agree with {@code enum ibv_wr_opcode} below {@link #LSO} only; the
 * provider passes a program's number through, so a program's LOCAL_INV (7) arrives as LSO.
 */
public final class WrOpcode {
    public static final int RDMA_WRITE = 0;
    public static final int RDMA_WRITE_WITH_IMM = 1;
    public static final int SEND = 2;
    public static final int SEND_WITH_IMM = 3;
    public static final int RDMA_READ = 4;
    public static final int ATOMIC_CMP_AND_SWP = 5;
    public static final int ATOMIC_FETCH_AND_ADD = 6;
    public static final int LSO = 7;
    public static final int SEND_WITH_INV = 8;
    public static final int RDMA_READ_WITH_INV = 9;
    public static final int LOCAL_INV = 10;
    public static final int FAST_REG_MR = 11;

    private WrOpcode() {}
}
