// SPDX-License-Identifier: Apache-2.0
//
// A libibverbs of one device, stub0, that has every verb and carries out none: it keeps count of what is made, notes what
// it is told, and fails as it is told to. Tests of the FFM binding load it in place of the real library, for what no device
// at hand has. It shares the header with the real one, so the layouts are those of C.
//
//   cc -std=gnu11 -Wall -Werror -shared -fPIC -o libibverbs-stub.so ibverbs.c
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define MAKE(type) ((struct type *)calloc(1, sizeof(struct type)))

// What tests read and write, by name.
EXPORT int stub_live_regions;
EXPORT int stub_rereg_code;
EXPORT int stub_rereg_errno;
EXPORT int stub_rereg_flags;
EXPORT int stub_rereg_access;
EXPORT long stub_rereg_length;
EXPORT long stub_rereg_pd;
EXPORT int stub_dmabuf_errno;
EXPORT int stub_dmabuf_access;
EXPORT long stub_dmabuf_iova;
EXPORT int stub_live_queues; // completion and shared receive queues, queue pairs, XRC domains
EXPORT struct ibv_send_wr stub_sent;
EXPORT uint64_t stub_received_id;
EXPORT int stub_modify_count;
EXPORT int stub_modify_mask[16];
EXPORT struct ibv_srq_init_attr_ex stub_srq;
EXPORT struct ibv_qp_init_attr_ex stub_qp;
EXPORT struct ibv_xrcd_init_attr stub_xrcd;
EXPORT int stub_xrcd_errno;
EXPORT struct ibv_wc stub_completions[4];
EXPORT int stub_completion_count;
EXPORT uint64_t stub_timestamps[4];
EXPORT uint64_t stub_wc_flags;
EXPORT int stub_cq_ex_errno;
EXPORT int stub_poll_errno;   // of the next start_poll
EXPORT int stub_polls_begun;  // and not ended
EXPORT int stub_misreadings;  // what was read outside of a poll, or of a failed completion that has only its number and error
EXPORT uint64_t stub_timestamp_mask = 0xffffffffffff;

static uint32_t keys = 1;

// Devices

static struct ibv_device device = {
    .node_type = IBV_NODE_CA,
    .transport_type = IBV_TRANSPORT_IB,
    .name = "stub0",
    .dev_name = "uverbs0",
    .dev_path = "/sys/class/infiniband_verbs/uverbs0",
    .ibdev_path = "/sys/class/infiniband/stub0",
};

#undef ibv_get_device_list
EXPORT struct ibv_device **ibv_get_device_list(int *count) {
    struct ibv_device **list = calloc(2, sizeof *list);
    list[0] = &device;
    if (count) *count = 1;
    return list;
}

EXPORT void ibv_free_device_list(struct ibv_device **list) { free(list); }

EXPORT const char *ibv_get_device_name(struct ibv_device *asked) { return asked->name; }

EXPORT __be64 ibv_get_device_guid(struct ibv_device *asked) {
    (void)asked;
    return 1;
}

EXPORT int ibv_fork_init(void) { return 0; }

EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr) {
    (void)context;
    *attr = (struct ibv_device_attr){
        .max_mr_size = 1ull << 40,
        .max_qp = 64,
        .max_qp_wr = 64,
        .device_cap_flags = IBV_DEVICE_XRC,
        .max_sge = 4,
        .max_cq = 64,
        .max_cqe = 1024,
        .max_mr = 64,
        .max_pd = 64,
        .max_qp_rd_atom = 4,
        .max_qp_init_rd_atom = 4,
        .max_srq = 8,
        .max_srq_wr = 64,
        .max_srq_sge = 4,
        .max_ah = 8,
        .max_pkeys = 1,
        .phys_port_cnt = 1,
    };
    return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size) {
    (void)context;
    (void)port;
    struct ibv_port_attr answer = {
        .state = IBV_PORT_ACTIVE,
        .max_mtu = IBV_MTU_1024,
        .active_mtu = IBV_MTU_1024,
        .gid_tbl_len = 1,
        .pkey_tbl_len = 1,
        .max_msg_sz = 1u << 30,
        .link_layer = IBV_LINK_LAYER_ETHERNET,
    };
    memcpy(attr, &answer, size < sizeof answer ? size : sizeof answer);
    return 0;
}

EXPORT ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room,
                                    uint32_t flags, size_t entry_size) {
    (void)context;
    (void)flags;
    if (room == 0 || entry_size != sizeof *entries) return -EINVAL;
    static const uint8_t gid[16] = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1};
    memset(entries, 0, sizeof *entries);
    memcpy(entries->gid.raw, gid, sizeof gid);
    entries->port_num = 1;
    entries->gid_type = IBV_GID_TYPE_ROCE_V2;
    return 1;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
                           struct ibv_device_attr_ex *attr, size_t size) {
    (void)input;
    struct ibv_device_attr_ex answer = {
        .completion_timestamp_mask = stub_timestamp_mask,
        .hca_core_clock = 1000000,
    };
    ibv_query_device(context, &answer.orig_attr);
    memcpy(attr, &answer, size < sizeof answer ? size : sizeof answer);
    return 0;
}

// The data path: the last request of each kind is kept, and completions are those that the test prepared.

static int poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *completions) {
    (void)cq;
    int count = stub_completion_count < entries ? stub_completion_count : entries;
    memcpy(completions, stub_completions, count * sizeof *completions);
    stub_completion_count = 0;
    return count;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only) {
    (void)cq;
    (void)solicited_only;
    return 0;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *requests, struct ibv_send_wr **refused) {
    (void)qp;
    (void)refused;
    for (; requests; requests = requests->next) stub_sent = *requests;
    return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *requests, struct ibv_recv_wr **refused) {
    (void)qp;
    (void)refused;
    for (; requests; requests = requests->next) stub_received_id = requests->wr_id;
    return 0;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *requests, struct ibv_recv_wr **refused) {
    (void)srq;
    (void)refused;
    for (; requests; requests = requests->next) stub_received_id = requests->wr_id;
    return 0;
}

// Queues

EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
                                    int vector) {
    (void)vector;
    struct ibv_cq *cq = MAKE(ibv_cq);
    cq->context = context;
    cq->cq_context = cq_context;
    cq->channel = channel;
    cq->cqe = cqe;
    stub_live_queues++;
    return cq;
}

// The library's own struct for both kinds of queue begins alike; freeing either frees all of it.
EXPORT int ibv_destroy_cq(struct ibv_cq *cq) {
    stub_live_queues--;
    free(cq);
    return 0;
}

static int position;

static struct ibv_wc *current(struct ibv_cq_ex *cq, int only_success) {
    if (stub_polls_begun != 1 || (only_success && cq->status != IBV_WC_SUCCESS)) stub_misreadings++;
    return &stub_completions[position];
}

static int come_to(struct ibv_cq_ex *cq, int at) {
    if (at >= stub_completion_count) return ENOENT;
    position = at;
    cq->status = stub_completions[at].status;
    cq->wr_id = stub_completions[at].wr_id;
    return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr) {
    if (attr->comp_mask != 0) return EINVAL;
    int result = stub_poll_errno != 0 ? stub_poll_errno : come_to(cq, 0);
    if (result == 0) stub_polls_begun++;
    return result;
}

// Ends the poll by itself, as that of rxe does where it finds nothing.
static int next_poll(struct ibv_cq_ex *cq) {
    (void)cq;
    stub_polls_begun--;
    return ENOENT;
}

static void end_poll(struct ibv_cq_ex *cq) {
    (void)cq;
    stub_polls_begun--;
    stub_completion_count--;
    memmove(stub_completions, stub_completions + 1, 3 * sizeof *stub_completions);
    memmove(stub_timestamps, stub_timestamps + 1, 3 * sizeof *stub_timestamps);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq) { return current(cq, 1)->opcode; }
static uint32_t read_vendor_err(struct ibv_cq_ex *cq) { return current(cq, 0)->vendor_err; }
static uint32_t read_byte_len(struct ibv_cq_ex *cq) { return current(cq, 1)->byte_len; }
static __be32 read_imm_data(struct ibv_cq_ex *cq) { return current(cq, 1)->imm_data; }
static uint32_t read_qp_num(struct ibv_cq_ex *cq) { return current(cq, 0)->qp_num; }
static uint32_t read_src_qp(struct ibv_cq_ex *cq) { return current(cq, 1)->src_qp; }
static unsigned int read_wc_flags(struct ibv_cq_ex *cq) { return current(cq, 1)->wc_flags; }
static uint32_t read_slid(struct ibv_cq_ex *cq) { return current(cq, 1)->slid; }
static uint8_t read_sl(struct ibv_cq_ex *cq) { return current(cq, 1)->sl; }

static uint64_t read_completion_ts(struct ibv_cq_ex *cq) {
    current(cq, 1);
    return stub_timestamps[position];
}

static uint64_t read_completion_wallclock_ns(struct ibv_cq_ex *cq) {
    current(cq, 1);
    return stub_timestamps[position] + 1000000;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr) {
    stub_wc_flags = attr->wc_flags;
    if (stub_cq_ex_errno != 0) {
        errno = stub_cq_ex_errno;
        return NULL;
    }
    struct ibv_cq_ex *cq = MAKE(ibv_cq_ex);
    cq->context = context;
    cq->cq_context = attr->cq_context;
    cq->channel = attr->channel;
    cq->cqe = attr->cqe;
    cq->start_poll = start_poll;
    cq->next_poll = next_poll;
    cq->end_poll = end_poll;
    cq->read_opcode = read_opcode;
    cq->read_vendor_err = read_vendor_err;
    cq->read_byte_len = read_byte_len;
    cq->read_imm_data = read_imm_data;
    cq->read_qp_num = read_qp_num;
    cq->read_src_qp = read_src_qp;
    cq->read_wc_flags = read_wc_flags;
    cq->read_slid = read_slid;
    cq->read_sl = read_sl;
    if (attr->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP) cq->read_completion_ts = read_completion_ts;
    if (attr->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
        cq->read_completion_wallclock_ns = read_completion_wallclock_ns;
    stub_live_queues++;
    return cq;
}

static struct ibv_srq *create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr) {
    stub_srq = *attr;
    struct ibv_srq *srq = MAKE(ibv_srq);
    srq->context = context;
    srq->srq_context = attr->srq_context;
    srq->handle = 0x5a0000 + stub_live_queues++;
    return srq;
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *number) {
    *number = srq->handle;
    return 0;
}

EXPORT int ibv_destroy_srq(struct ibv_srq *srq) {
    stub_live_queues--;
    free(srq);
    return 0;
}

static struct ibv_xrcd *open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr) {
    stub_xrcd = *attr;
    if (stub_xrcd_errno != 0) {
        errno = stub_xrcd_errno;
        return NULL;
    }
    struct ibv_xrcd *xrcd = MAKE(ibv_xrcd);
    xrcd->context = context;
    stub_live_queues++;
    return xrcd;
}

static int close_xrcd(struct ibv_xrcd *xrcd) {
    stub_live_queues--;
    free(xrcd);
    return 0;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr) {
    stub_qp = *attr;
    struct ibv_qp *qp = MAKE(ibv_qp);
    qp->context = context;
    qp->qp_context = attr->qp_context;
    qp->qp_type = attr->qp_type;
    qp->qp_num = 0x100 + stub_live_queues++;
    return qp;
}

EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
    struct ibv_qp_init_attr_ex extended = {.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = pd};
    memcpy(&extended, attr, sizeof *attr);
    return create_qp_ex(pd->context, &extended);
}

EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask) {
    qp->state = attr->qp_state;
    stub_modify_mask[stub_modify_count++ % 16] = mask;
    return 0;
}

EXPORT int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
    (void)mask;
    (void)init;
    attr->qp_state = qp->state;
    return 0;
}

EXPORT int ibv_destroy_qp(struct ibv_qp *qp) {
    stub_live_queues--;
    free(qp);
    return 0;
}

static struct verbs_context opened = {
    .query_port = query_port,
    .query_device_ex = query_device_ex,
    .create_cq_ex = create_cq_ex,
    .create_qp_ex = create_qp_ex,
    .create_srq_ex = create_srq_ex,
    .get_srq_num = get_srq_num,
    .open_xrcd = open_xrcd,
    .close_xrcd = close_xrcd,
    .sz = sizeof(struct verbs_context),
    .context =
        {
            .device = &device,
            .ops =
                {
                    .poll_cq = poll_cq,
                    .req_notify_cq = req_notify_cq,
                    .post_send = post_send,
                    .post_recv = post_recv,
                    .post_srq_recv = post_srq_recv,
                },
            .num_comp_vectors = 1,
            .abi_compat = __VERBS_ABI_IS_EXTENDED,
        },
};

// The names of both descriptors are those that the self-check looks for; those of an emulated device begin otherwise.
EXPORT struct ibv_context *ibv_open_device(struct ibv_device *asked) {
    (void)asked;
    opened.context.cmd_fd = memfd_create("stub-infiniband-commands", 0);
    opened.context.async_fd = memfd_create("stub-infiniband-events", 0);
    return &opened.context;
}

EXPORT int ibv_close_device(struct ibv_context *context) {
    close(context->cmd_fd);
    close(context->async_fd);
    return 0;
}

// Protection domains and memory

EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
    struct ibv_pd *pd = MAKE(ibv_pd);
    pd->context = context;
    return pd;
}

EXPORT int ibv_dealloc_pd(struct ibv_pd *pd) {
    free(pd);
    return 0;
}

static struct ibv_mr *new_region(struct ibv_pd *pd, void *addr, size_t length) {
    struct ibv_mr *mr = MAKE(ibv_mr);
    mr->context = pd->context;
    mr->pd = pd;
    mr->addr = addr;
    mr->length = length;
    mr->lkey = keys++;
    mr->rkey = keys++;
    stub_live_regions++;
    return mr;
}

EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access) {
    (void)iova;
    (void)access;
    return new_region(pd, addr, length);
}

// Only descriptor 7 is a dma-buf, of a page and a half.
EXPORT struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access) {
    stub_dmabuf_iova = iova;
    stub_dmabuf_access = access;
    if (stub_dmabuf_errno != 0) {
        errno = stub_dmabuf_errno;
        return NULL;
    }
    if (fd != 7 || offset + length > 6144) {
        errno = fd < 0 ? EBADF : EINVAL;
        return NULL;
    }
    return new_region(pd, (void *)offset, length);
}

EXPORT int ibv_dereg_mr(struct ibv_mr *mr) {
    stub_live_regions--;
    free(mr);
    return 0;
}

EXPORT int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access) {
    stub_rereg_flags = flags;
    stub_rereg_access = access;
    stub_rereg_length = length;
    stub_rereg_pd = (long)pd;
    errno = stub_rereg_errno;
    if (stub_rereg_code == 0 || stub_rereg_code == IBV_REREG_MR_ERR_DO_FORK_OLD) {
        if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
            mr->addr = addr;
            mr->length = length;
        }
        mr->lkey = keys++;
        mr->rkey = keys++;
    }
    return stub_rereg_code;
}
