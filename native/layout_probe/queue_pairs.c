// SPDX-License-Identifier: Apache-2.0
//
// Queue pairs, their attributes and states, and the ways to peers.
#include <infiniband/verbs.h>
#include "probe.h"

void queue_pairs(void) {
    STRUCT(ibv_qp);
    FIELD(ibv_qp, context);
    FIELD(ibv_qp, qp_context);
    FIELD(ibv_qp, pd);
    FIELD(ibv_qp, send_cq);
    FIELD(ibv_qp, recv_cq);
    FIELD(ibv_qp, srq);
    FIELD(ibv_qp, handle);
    FIELD(ibv_qp, qp_num);
    FIELD(ibv_qp, state);
    FIELD(ibv_qp, qp_type);

    STRUCT(ibv_qp_cap);
    FIELD(ibv_qp_cap, max_send_wr);
    FIELD(ibv_qp_cap, max_recv_wr);
    FIELD(ibv_qp_cap, max_send_sge);
    FIELD(ibv_qp_cap, max_recv_sge);
    FIELD(ibv_qp_cap, max_inline_data);

    STRUCT(ibv_qp_init_attr);
    FIELD(ibv_qp_init_attr, qp_context);
    FIELD(ibv_qp_init_attr, send_cq);
    FIELD(ibv_qp_init_attr, recv_cq);
    FIELD(ibv_qp_init_attr, srq);
    FIELD(ibv_qp_init_attr, cap);
    FIELD(ibv_qp_init_attr, qp_type);
    FIELD(ibv_qp_init_attr, sq_sig_all);

    KNOWN(ibv_qp_init_attr_ex, send_ops_flags);
    FIELD(ibv_qp_init_attr_ex, qp_context);
    FIELD(ibv_qp_init_attr_ex, qp_type);
    FIELD(ibv_qp_init_attr_ex, comp_mask);
    FIELD(ibv_qp_init_attr_ex, pd);
    FIELD(ibv_qp_init_attr_ex, xrcd);
    FIELD(ibv_qp_init_attr_ex, send_ops_flags);

    STRUCT(ibv_global_route);
    FIELD(ibv_global_route, dgid);
    FIELD(ibv_global_route, flow_label);
    FIELD(ibv_global_route, sgid_index);
    FIELD(ibv_global_route, hop_limit);
    FIELD(ibv_global_route, traffic_class);

    STRUCT(ibv_ah_attr);
    FIELD(ibv_ah_attr, grh);
    FIELD(ibv_ah_attr, dlid);
    FIELD(ibv_ah_attr, sl);
    FIELD(ibv_ah_attr, src_path_bits);
    FIELD(ibv_ah_attr, static_rate);
    FIELD(ibv_ah_attr, is_global);
    FIELD(ibv_ah_attr, port_num);

    STRUCT(ibv_qp_attr);
    FIELD(ibv_qp_attr, qp_state);
    FIELD(ibv_qp_attr, cur_qp_state);
    FIELD(ibv_qp_attr, path_mtu);
    FIELD(ibv_qp_attr, path_mig_state);
    FIELD(ibv_qp_attr, qkey);
    FIELD(ibv_qp_attr, rq_psn);
    FIELD(ibv_qp_attr, sq_psn);
    FIELD(ibv_qp_attr, dest_qp_num);
    FIELD(ibv_qp_attr, qp_access_flags);
    FIELD(ibv_qp_attr, cap);
    FIELD(ibv_qp_attr, ah_attr);
    FIELD(ibv_qp_attr, alt_ah_attr);
    FIELD(ibv_qp_attr, pkey_index);
    FIELD(ibv_qp_attr, alt_pkey_index);
    FIELD(ibv_qp_attr, en_sqd_async_notify);
    FIELD(ibv_qp_attr, sq_draining);
    FIELD(ibv_qp_attr, max_rd_atomic);
    FIELD(ibv_qp_attr, max_dest_rd_atomic);
    FIELD(ibv_qp_attr, min_rnr_timer);
    FIELD(ibv_qp_attr, port_num);
    FIELD(ibv_qp_attr, timeout);
    FIELD(ibv_qp_attr, retry_cnt);
    FIELD(ibv_qp_attr, rnr_retry);
    FIELD(ibv_qp_attr, alt_port_num);
    FIELD(ibv_qp_attr, alt_timeout);
    FIELD(ibv_qp_attr, rate_limit);

    CONST(IBV_QPT_RC);
    CONST(IBV_QPT_UC);
    CONST(IBV_QPT_UD);
    CONST(IBV_QPT_XRC_SEND);
    CONST(IBV_QPT_XRC_RECV);

    CONST(IBV_QP_INIT_ATTR_PD);
    CONST(IBV_QP_INIT_ATTR_XRCD);
    CONST(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);

    CONST(IBV_QPS_RESET);
    CONST(IBV_QPS_INIT);
    CONST(IBV_QPS_RTR);
    CONST(IBV_QPS_RTS);
    CONST(IBV_QPS_SQD);
    CONST(IBV_QPS_SQE);
    CONST(IBV_QPS_ERR);
    CONST(IBV_QPS_UNKNOWN);

    CONST(IBV_MIG_MIGRATED);
    CONST(IBV_MIG_REARM);
    CONST(IBV_MIG_ARMED);

    CONST(IBV_QP_STATE);
    CONST(IBV_QP_CUR_STATE);
    CONST(IBV_QP_EN_SQD_ASYNC_NOTIFY);
    CONST(IBV_QP_ACCESS_FLAGS);
    CONST(IBV_QP_PKEY_INDEX);
    CONST(IBV_QP_PORT);
    CONST(IBV_QP_QKEY);
    CONST(IBV_QP_AV);
    CONST(IBV_QP_PATH_MTU);
    CONST(IBV_QP_TIMEOUT);
    CONST(IBV_QP_RETRY_CNT);
    CONST(IBV_QP_RNR_RETRY);
    CONST(IBV_QP_RQ_PSN);
    CONST(IBV_QP_MAX_QP_RD_ATOMIC);
    CONST(IBV_QP_ALT_PATH);
    CONST(IBV_QP_MIN_RNR_TIMER);
    CONST(IBV_QP_SQ_PSN);
    CONST(IBV_QP_MAX_DEST_RD_ATOMIC);
    CONST(IBV_QP_PATH_MIG_STATE);
    CONST(IBV_QP_CAP);
    CONST(IBV_QP_DEST_QPN);
    CONST(IBV_QP_RATE_LIMIT);
}
