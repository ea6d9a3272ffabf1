// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * Bits of {@link ModifyQp#attrMask}, the same as {@code enum ibv_qp_attr_mask}.
 */
public final class QpAttrMask {
    /** {@code IBV_QP_STATE}. */
    public static final int STATE = 0x1;

    public static final int CUR_STATE = 0x2;
    public static final int EN_SQD_ASYNC_NOTIFY = 0x4;
    public static final int ACCESS_FLAGS = 0x8;
    public static final int PKEY_INDEX = 0x10;
    public static final int PORT = 0x20;
    public static final int QKEY = 0x40;
    public static final int AV = 0x80;
    public static final int PATH_MTU = 0x100;
    public static final int TIMEOUT = 0x200;
    public static final int RETRY_CNT = 0x400;
    public static final int RNR_RETRY = 0x800;
    public static final int RQ_PSN = 0x1000;
    public static final int MAX_QP_RD_ATOMIC = 0x2000;
    public static final int ALT_PATH = 0x4000;
    public static final int MIN_RNR_TIMER = 0x8000;
    public static final int SQ_PSN = 0x10000;
    public static final int MAX_DEST_RD_ATOMIC = 0x20000;
    public static final int PATH_MIG_STATE = 0x40000;
    public static final int CAP = 0x80000;
    public static final int DEST_QPN = 0x100000;

    private QpAttrMask() {}
}
