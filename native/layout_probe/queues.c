// SPDX-License-Identifier: Apache-2.0
//
// Completion queues, shared receive queues, and events.
#include <infiniband/verbs.h>
#include "probe.h"

void queues(void) {
    STRUCT(ibv_srq);
    FIELD(ibv_srq, context);
    FIELD(ibv_srq, srq_context);
    FIELD(ibv_srq, pd);
    FIELD(ibv_srq, handle);

    STRUCT(ibv_srq_attr);
    FIELD(ibv_srq_attr, max_wr);
    FIELD(ibv_srq_attr, max_sge);
    FIELD(ibv_srq_attr, srq_limit);

    STRUCT(ibv_srq_init_attr);
    FIELD(ibv_srq_init_attr, srq_context);
    FIELD(ibv_srq_init_attr, attr);

    STRUCT(ibv_xrcd_init_attr);
    FIELD(ibv_xrcd_init_attr, comp_mask);
    FIELD(ibv_xrcd_init_attr, fd);
    FIELD(ibv_xrcd_init_attr, oflags);

    KNOWN(ibv_srq_init_attr_ex, tm_cap);
    FIELD(ibv_srq_init_attr_ex, srq_context);
    FIELD(ibv_srq_init_attr_ex, attr);
    FIELD(ibv_srq_init_attr_ex, comp_mask);
    FIELD(ibv_srq_init_attr_ex, srq_type);
    FIELD(ibv_srq_init_attr_ex, pd);
    FIELD(ibv_srq_init_attr_ex, xrcd);
    FIELD(ibv_srq_init_attr_ex, cq);

    STRUCT(ibv_comp_channel);
    FIELD(ibv_comp_channel, context);
    FIELD(ibv_comp_channel, fd);
    FIELD(ibv_comp_channel, refcnt);

    STRUCT(ibv_cq);
    FIELD(ibv_cq, context);
    FIELD(ibv_cq, channel);
    FIELD(ibv_cq, cq_context);
    FIELD(ibv_cq, handle);
    FIELD(ibv_cq, cqe);

    STRUCT(ibv_async_event);
    FIELD(ibv_async_event, element.cq);
    FIELD(ibv_async_event, element.qp);
    FIELD(ibv_async_event, element.srq);
    FIELD(ibv_async_event, element.port_num);
    FIELD(ibv_async_event, event_type);

    CONST(IBV_SRQ_MAX_WR);
    CONST(IBV_SRQ_LIMIT);

    CONST(IBV_XRCD_INIT_ATTR_FD);
    CONST(IBV_XRCD_INIT_ATTR_OFLAGS);

    CONST(IBV_SRQT_BASIC);
    CONST(IBV_SRQT_XRC);
    CONST(IBV_SRQ_INIT_ATTR_TYPE);
    CONST(IBV_SRQ_INIT_ATTR_PD);
    CONST(IBV_SRQ_INIT_ATTR_XRCD);
    CONST(IBV_SRQ_INIT_ATTR_CQ);
}
