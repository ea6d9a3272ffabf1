// SPDX-License-Identifier: Apache-2.0
//
// Work requests.
#include <infiniband/verbs.h>
#include "probe.h"

void requests(void) {
    STRUCT(ibv_sge);
    FIELD(ibv_sge, addr);
    FIELD(ibv_sge, length);
    FIELD(ibv_sge, lkey);

    STRUCT(ibv_send_wr);
    FIELD(ibv_send_wr, wr_id);
    FIELD(ibv_send_wr, next);
    FIELD(ibv_send_wr, sg_list);
    FIELD(ibv_send_wr, num_sge);
    FIELD(ibv_send_wr, opcode);
    FIELD(ibv_send_wr, send_flags);
    FIELD(ibv_send_wr, imm_data);
    FIELD(ibv_send_wr, invalidate_rkey);
    FIELD(ibv_send_wr, wr.rdma.remote_addr);
    FIELD(ibv_send_wr, wr.rdma.rkey);
    FIELD(ibv_send_wr, wr.atomic.remote_addr);
    FIELD(ibv_send_wr, wr.atomic.compare_add);
    FIELD(ibv_send_wr, wr.atomic.swap);
    FIELD(ibv_send_wr, wr.atomic.rkey);
    FIELD(ibv_send_wr, wr.ud.ah);
    FIELD(ibv_send_wr, wr.ud.remote_qpn);
    FIELD(ibv_send_wr, wr.ud.remote_qkey);
    FIELD(ibv_send_wr, qp_type.xrc.remote_srqn);
    FIELD(ibv_send_wr, bind_mw.mw);
    FIELD(ibv_send_wr, bind_mw.rkey);
    FIELD(ibv_send_wr, bind_mw.bind_info.mr);
    FIELD(ibv_send_wr, bind_mw.bind_info.addr);
    FIELD(ibv_send_wr, bind_mw.bind_info.length);
    FIELD(ibv_send_wr, bind_mw.bind_info.mw_access_flags);

    STRUCT(ibv_recv_wr);
    FIELD(ibv_recv_wr, wr_id);
    FIELD(ibv_recv_wr, next);
    FIELD(ibv_recv_wr, sg_list);
    FIELD(ibv_recv_wr, num_sge);

    CONST(IBV_WR_RDMA_WRITE);
    CONST(IBV_WR_RDMA_WRITE_WITH_IMM);
    CONST(IBV_WR_SEND);
    CONST(IBV_WR_SEND_WITH_IMM);
    CONST(IBV_WR_RDMA_READ);
    CONST(IBV_WR_ATOMIC_CMP_AND_SWP);
    CONST(IBV_WR_ATOMIC_FETCH_AND_ADD);
    CONST(IBV_WR_LOCAL_INV);
    CONST(IBV_WR_BIND_MW);
    CONST(IBV_WR_SEND_WITH_INV);

    CONST(IBV_SEND_FENCE);
    CONST(IBV_SEND_SIGNALED);
    CONST(IBV_SEND_SOLICITED);
    CONST(IBV_SEND_INLINE);
    CONST(IBV_SEND_IP_CSUM);
}
