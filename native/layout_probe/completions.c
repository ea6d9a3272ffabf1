// SPDX-License-Identifier: Apache-2.0
//
// Completions.
#include <infiniband/verbs.h>
#include "probe.h"

void completions(void) {
    KNOWN(ibv_cq_init_attr_ex, parent_domain);
    FIELD(ibv_cq_init_attr_ex, cqe);
    FIELD(ibv_cq_init_attr_ex, cq_context);
    FIELD(ibv_cq_init_attr_ex, channel);
    FIELD(ibv_cq_init_attr_ex, comp_vector);
    FIELD(ibv_cq_init_attr_ex, wc_flags);
    FIELD(ibv_cq_init_attr_ex, comp_mask);

    KNOWN(ibv_cq_ex, read_completion_wallclock_ns);
    FIELD(ibv_cq_ex, cqe);
    FIELD(ibv_cq_ex, status);
    FIELD(ibv_cq_ex, wr_id);
    FIELD(ibv_cq_ex, start_poll);
    FIELD(ibv_cq_ex, next_poll);
    FIELD(ibv_cq_ex, end_poll);
    FIELD(ibv_cq_ex, read_opcode);
    FIELD(ibv_cq_ex, read_vendor_err);
    FIELD(ibv_cq_ex, read_byte_len);
    FIELD(ibv_cq_ex, read_imm_data);
    FIELD(ibv_cq_ex, read_qp_num);
    FIELD(ibv_cq_ex, read_src_qp);
    FIELD(ibv_cq_ex, read_wc_flags);
    FIELD(ibv_cq_ex, read_slid);
    FIELD(ibv_cq_ex, read_sl);
    FIELD(ibv_cq_ex, read_dlid_path_bits);
    FIELD(ibv_cq_ex, read_completion_ts);
    FIELD(ibv_cq_ex, read_completion_wallclock_ns);

    STRUCT(ibv_poll_cq_attr);
    FIELD(ibv_poll_cq_attr, comp_mask);

    STRUCT(ibv_wc);
    FIELD(ibv_wc, wr_id);
    FIELD(ibv_wc, status);
    FIELD(ibv_wc, opcode);
    FIELD(ibv_wc, vendor_err);
    FIELD(ibv_wc, byte_len);
    FIELD(ibv_wc, imm_data);
    FIELD(ibv_wc, invalidated_rkey);
    FIELD(ibv_wc, qp_num);
    FIELD(ibv_wc, src_qp);
    FIELD(ibv_wc, wc_flags);
    FIELD(ibv_wc, pkey_index);
    FIELD(ibv_wc, slid);
    FIELD(ibv_wc, sl);
    FIELD(ibv_wc, dlid_path_bits);

    CONST(IBV_WC_SUCCESS);
    CONST(IBV_WC_LOC_LEN_ERR);
    CONST(IBV_WC_LOC_QP_OP_ERR);
    CONST(IBV_WC_LOC_EEC_OP_ERR);
    CONST(IBV_WC_LOC_PROT_ERR);
    CONST(IBV_WC_WR_FLUSH_ERR);
    CONST(IBV_WC_MW_BIND_ERR);
    CONST(IBV_WC_BAD_RESP_ERR);
    CONST(IBV_WC_LOC_ACCESS_ERR);
    CONST(IBV_WC_REM_INV_REQ_ERR);
    CONST(IBV_WC_REM_ACCESS_ERR);
    CONST(IBV_WC_REM_OP_ERR);
    CONST(IBV_WC_RETRY_EXC_ERR);
    CONST(IBV_WC_RNR_RETRY_EXC_ERR);
    CONST(IBV_WC_LOC_RDD_VIOL_ERR);
    CONST(IBV_WC_REM_INV_RD_REQ_ERR);
    CONST(IBV_WC_REM_ABORT_ERR);
    CONST(IBV_WC_INV_EECN_ERR);
    CONST(IBV_WC_INV_EEC_STATE_ERR);
    CONST(IBV_WC_FATAL_ERR);
    CONST(IBV_WC_RESP_TIMEOUT_ERR);
    CONST(IBV_WC_GENERAL_ERR);
    CONST(IBV_WC_TM_ERR);
    CONST(IBV_WC_TM_RNDV_INCOMPLETE);

    CONST(IBV_WC_SEND);
    CONST(IBV_WC_RDMA_WRITE);
    CONST(IBV_WC_RDMA_READ);
    CONST(IBV_WC_COMP_SWAP);
    CONST(IBV_WC_FETCH_ADD);
    CONST(IBV_WC_BIND_MW);
    CONST(IBV_WC_LOCAL_INV);
    CONST(IBV_WC_RECV);
    CONST(IBV_WC_RECV_RDMA_WITH_IMM);

    CONST(IBV_WC_GRH);
    CONST(IBV_WC_WITH_IMM);
    CONST(IBV_WC_WITH_INV);

    CONST(IBV_WC_STANDARD_FLAGS);
    CONST(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
    CONST(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK);
}
