// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

/**
 * The numbers of infiniband/verbs.h that this module passes or compares, by their names in C. A test compares each with
 * what the layout probe prints.
 */
public final class IbvConstants {
    // enum ibv_access_flags
    public static final int IBV_ACCESS_LOCAL_WRITE = 1;
    public static final int IBV_ACCESS_REMOTE_WRITE = 2;
    public static final int IBV_ACCESS_REMOTE_READ = 4;
    public static final int IBV_ACCESS_REMOTE_ATOMIC = 8;
    public static final int IBV_ACCESS_OPTIONAL_RANGE = 0x3ff0_0000;

    // enum ibv_qp_type
    public static final int IBV_QPT_RC = 2;
    public static final int IBV_QPT_UC = 3;
    public static final int IBV_QPT_UD = 4;
    public static final int IBV_QPT_XRC_SEND = 9;
    public static final int IBV_QPT_XRC_RECV = 10;

    // enum ibv_qp_init_attr_mask
    public static final int IBV_QP_INIT_ATTR_XRCD = 2;

    // enum ibv_xrcd_init_attr_mask
    public static final int IBV_XRCD_INIT_ATTR_FD = 1;
    public static final int IBV_XRCD_INIT_ATTR_OFLAGS = 2;

    // enum ibv_srq_type and enum ibv_srq_init_attr_mask
    public static final int IBV_SRQT_XRC = 1;
    public static final int IBV_SRQ_INIT_ATTR_TYPE = 1;
    public static final int IBV_SRQ_INIT_ATTR_PD = 2;
    public static final int IBV_SRQ_INIT_ATTR_XRCD = 4;
    public static final int IBV_SRQ_INIT_ATTR_CQ = 8;

    // enum ibv_qp_attr_mask
    public static final int IBV_QP_STATE = 1;
    public static final int IBV_QP_CUR_STATE = 2;
    public static final int IBV_QP_EN_SQD_ASYNC_NOTIFY = 4;
    public static final int IBV_QP_ACCESS_FLAGS = 8;
    public static final int IBV_QP_PKEY_INDEX = 16;
    public static final int IBV_QP_PORT = 32;
    public static final int IBV_QP_QKEY = 64;
    public static final int IBV_QP_AV = 128;
    public static final int IBV_QP_PATH_MTU = 256;
    public static final int IBV_QP_TIMEOUT = 512;
    public static final int IBV_QP_RETRY_CNT = 1024;
    public static final int IBV_QP_RNR_RETRY = 2048;
    public static final int IBV_QP_RQ_PSN = 4096;
    public static final int IBV_QP_MAX_QP_RD_ATOMIC = 8192;
    public static final int IBV_QP_MIN_RNR_TIMER = 32768;
    public static final int IBV_QP_SQ_PSN = 65536;
    public static final int IBV_QP_MAX_DEST_RD_ATOMIC = 131072;
    public static final int IBV_QP_CAP = 524288;
    public static final int IBV_QP_DEST_QPN = 1048576;

    // enum ibv_rereg_mr_flags
    public static final int IBV_REREG_MR_CHANGE_TRANSLATION = 1;
    public static final int IBV_REREG_MR_CHANGE_PD = 2;
    public static final int IBV_REREG_MR_CHANGE_ACCESS = 4;

    // enum ibv_rereg_mr_err_code
    public static final int IBV_REREG_MR_ERR_INPUT = -1;
    public static final int IBV_REREG_MR_ERR_DONT_FORK_NEW = -2;
    public static final int IBV_REREG_MR_ERR_DO_FORK_OLD = -3;
    public static final int IBV_REREG_MR_ERR_CMD = -4;
    public static final int IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW = -5;

    // enum ibv_access_flags, and what goes with it
    public static final int IBV_ACCESS_MW_BIND = 16;
    public static final int IBV_MW_TYPE_2 = 2;

    // enum ibv_device_cap_flags
    public static final int IBV_DEVICE_XRC = 1 << 20;
    public static final int IBV_DEVICE_MEM_WINDOW_TYPE_2A = 1 << 23;
    public static final int IBV_DEVICE_MEM_WINDOW_TYPE_2B = 1 << 24;

    // enum ibv_fork_status
    public static final int IBV_FORK_UNNEEDED = 2;

    // enum ibv_srq_attr_mask
    public static final int IBV_SRQ_LIMIT = 2;

    // enum ibv_wr_opcode
    public static final int IBV_WR_RDMA_WRITE = 0;
    public static final int IBV_WR_RDMA_WRITE_WITH_IMM = 1;
    public static final int IBV_WR_SEND = 2;
    public static final int IBV_WR_SEND_WITH_IMM = 3;
    public static final int IBV_WR_RDMA_READ = 4;
    public static final int IBV_WR_ATOMIC_CMP_AND_SWP = 5;
    public static final int IBV_WR_ATOMIC_FETCH_AND_ADD = 6;
    public static final int IBV_WR_LOCAL_INV = 7;
    public static final int IBV_WR_BIND_MW = 8;
    public static final int IBV_WR_SEND_WITH_INV = 9;

    // enum ibv_send_flags
    public static final int IBV_SEND_FENCE = 1;
    public static final int IBV_SEND_SIGNALED = 2;
    public static final int IBV_SEND_SOLICITED = 4;
    public static final int IBV_SEND_INLINE = 8;

    // enum ibv_wc_status
    public static final int IBV_WC_SUCCESS = 0;
    public static final int IBV_WC_WR_FLUSH_ERR = 5;

    // enum ibv_wc_opcode
    public static final int IBV_WC_RECV = 128;

    // enum ibv_wc_flags
    public static final int IBV_WC_GRH = 1;
    public static final int IBV_WC_WITH_IMM = 2;
    public static final int IBV_WC_WITH_INV = 8;

    // enum ibv_create_cq_wc_flags
    public static final int IBV_WC_STANDARD_FLAGS = 0x7f;
    public static final int IBV_WC_EX_WITH_COMPLETION_TIMESTAMP = 1 << 7;
    public static final int IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK = 1 << 11;

    // enum ibv_event_type
    public static final int IBV_EVENT_CQ_ERR = 0;
    public static final int IBV_EVENT_QP_FATAL = 1;
    public static final int IBV_EVENT_QP_REQ_ERR = 2;
    public static final int IBV_EVENT_QP_ACCESS_ERR = 3;
    public static final int IBV_EVENT_COMM_EST = 4;
    public static final int IBV_EVENT_SQ_DRAINED = 5;
    public static final int IBV_EVENT_PATH_MIG = 6;
    public static final int IBV_EVENT_PATH_MIG_ERR = 7;
    public static final int IBV_EVENT_DEVICE_FATAL = 8;
    public static final int IBV_EVENT_PORT_ACTIVE = 9;
    public static final int IBV_EVENT_PORT_ERR = 10;
    public static final int IBV_EVENT_LID_CHANGE = 11;
    public static final int IBV_EVENT_PKEY_CHANGE = 12;
    public static final int IBV_EVENT_SM_CHANGE = 13;
    public static final int IBV_EVENT_SRQ_ERR = 14;
    public static final int IBV_EVENT_SRQ_LIMIT_REACHED = 15;
    public static final int IBV_EVENT_QP_LAST_WQE_REACHED = 16;
    public static final int IBV_EVENT_CLIENT_REREGISTER = 17;
    public static final int IBV_EVENT_GID_CHANGE = 18;
    public static final int IBV_EVENT_WQ_FATAL = 19;

    // enum ibv_transport_type
    public static final int IBV_TRANSPORT_IB = 0;
    public static final int IBV_TRANSPORT_IWARP = 1;

    // enum ibv_atomic_cap
    public static final int IBV_ATOMIC_NONE = 0;

    private IbvConstants() {}
}
