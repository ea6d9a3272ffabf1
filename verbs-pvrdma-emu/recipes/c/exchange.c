// SPDX-License-Identifier: Apache-2.0
/* Two queue pairs of one process: one sends a message, the other receives it. What a project's own test might look like. */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 4096

static void require(int holds, const char *what) {
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static void connect_to(struct ibv_qp *qp, uint32_t peer, union ibv_gid gid) {
    struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    require(!ibv_modify_qp(qp, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
    attributes.qp_state = IBV_QPS_RTR;
    attributes.path_mtu = IBV_MTU_1024;
    attributes.dest_qp_num = peer;
    attributes.min_rnr_timer = 12;
    attributes.ah_attr.port_num = 1;
    attributes.ah_attr.is_global = 1;
    attributes.ah_attr.grh.dgid = gid;
    attributes.ah_attr.grh.hop_limit = 1;
    require(!ibv_modify_qp(qp, &attributes,
                           IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                               IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
            "RTR");
    attributes.qp_state = IBV_QPS_RTS;
    attributes.timeout = 14;
    attributes.retry_cnt = 7;
    attributes.rnr_retry = 7;
    require(!ibv_modify_qp(qp, &attributes,
                           IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                               IBV_QP_MAX_QP_RD_ATOMIC),
            "RTS");
}

int main(void) {
    static char from[BYTES];
    static char to[BYTES];
    struct ibv_device **devices = ibv_get_device_list(NULL);
    require(devices != NULL && devices[0] != NULL, "a device");
    struct ibv_context *context = ibv_open_device(devices[0]);
    require(context != NULL, "ibv_open_device");
    union ibv_gid gid;
    require(!ibv_query_gid(context, 1, 0, &gid), "ibv_query_gid");
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0);
    require(pd != NULL && cq != NULL, "objects");
    struct ibv_mr *source = ibv_reg_mr(pd, from, BYTES, 0);
    struct ibv_mr *target = ibv_reg_mr(pd, to, BYTES, IBV_ACCESS_LOCAL_WRITE);
    struct ibv_qp_init_attr wanted = {.send_cq = cq,
                                      .recv_cq = cq,
                                      .qp_type = IBV_QPT_RC,
                                      .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *left = ibv_create_qp(pd, &wanted);
    struct ibv_qp *right = ibv_create_qp(pd, &wanted);
    require(source != NULL && target != NULL && left != NULL && right != NULL, "regions and queue pairs");
    connect_to(left, right->qp_num, gid);
    connect_to(right, left->qp_num, gid);

    memset(from, 42, BYTES);
    struct ibv_sge element = {.addr = (uintptr_t)to, .length = BYTES, .lkey = target->lkey};
    struct ibv_recv_wr receive = {.wr_id = 1, .sg_list = &element, .num_sge = 1};
    struct ibv_recv_wr *bad_receive;
    require(!ibv_post_recv(right, &receive, &bad_receive), "ibv_post_recv");
    element = (struct ibv_sge){.addr = (uintptr_t)from, .length = BYTES, .lkey = source->lkey};
    struct ibv_send_wr send = {
        .wr_id = 2, .sg_list = &element, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_send_wr *bad_send;
    require(!ibv_post_send(left, &send, &bad_send), "ibv_post_send");
    for (int done = 0; done < 2;) {
        struct ibv_wc completion;
        int polled = ibv_poll_cq(cq, 1, &completion);
        require(polled >= 0, "ibv_poll_cq");
        require(polled == 0 || completion.status == IBV_WC_SUCCESS, "success");
        done += polled;
    }
    require(memcmp(from, to, BYTES) == 0, "the bytes that were sent");
    printf("%d bytes arrived on %s\n", BYTES, ibv_get_device_name(devices[0]));
    return 0;
}
