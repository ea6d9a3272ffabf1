// SPDX-License-Identifier: Apache-2.0
//
// Protection domains, memory regions and windows.
#include <infiniband/verbs.h>
#include "probe.h"

void memory(void) {
    STRUCT(ibv_pd);
    FIELD(ibv_pd, context);
    FIELD(ibv_pd, handle);

    STRUCT(ibv_mr);
    FIELD(ibv_mr, context);
    FIELD(ibv_mr, pd);
    FIELD(ibv_mr, addr);
    FIELD(ibv_mr, length);
    FIELD(ibv_mr, handle);
    FIELD(ibv_mr, lkey);
    FIELD(ibv_mr, rkey);

    STRUCT(ibv_mw);
    FIELD(ibv_mw, context);
    FIELD(ibv_mw, pd);
    FIELD(ibv_mw, rkey);
    FIELD(ibv_mw, handle);
    FIELD(ibv_mw, type);

    CONST(IBV_ACCESS_LOCAL_WRITE);
    CONST(IBV_ACCESS_REMOTE_WRITE);
    CONST(IBV_ACCESS_REMOTE_READ);
    CONST(IBV_ACCESS_REMOTE_ATOMIC);
    CONST(IBV_ACCESS_MW_BIND);
    CONST(IBV_ACCESS_ZERO_BASED);
    CONST(IBV_ACCESS_ON_DEMAND);
    CONST(IBV_ACCESS_HUGETLB);
    CONST(IBV_ACCESS_RELAXED_ORDERING);
    CONST(IBV_ACCESS_OPTIONAL_RANGE);

    CONST(IBV_MW_TYPE_1);
    CONST(IBV_MW_TYPE_2);

    CONST(IBV_REREG_MR_CHANGE_TRANSLATION);
    CONST(IBV_REREG_MR_CHANGE_PD);
    CONST(IBV_REREG_MR_CHANGE_ACCESS);
    CONST(IBV_REREG_MR_ERR_INPUT);
    CONST(IBV_REREG_MR_ERR_DONT_FORK_NEW);
    CONST(IBV_REREG_MR_ERR_DO_FORK_OLD);
    CONST(IBV_REREG_MR_ERR_CMD);
    CONST(IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW);
}
