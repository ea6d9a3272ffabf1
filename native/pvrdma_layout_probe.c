// SPDX-License-Identifier: Apache-2.0
//
// Prints sizes, offsets and numbers of the PVRDMA device interface as the C compiler sees them:
//     struct NAME SIZE
//     field  NAME.FIELD OFFSET SIZE
//     const  NAME VALUE
// pvrdma_layout_probe.sh builds and runs it; the output is kept in layouts/pvrdma.txt and compared with
// the Java constants by a test. The headers come from the distribution's packages and are not part of
// this repository.

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

// What the driver's headers expect of the kernel.
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef struct {
  int counter;
} atomic_t;
#define BIT(n) (1u << (n))
#define atomic_read(v) ((v)->counter)
#define atomic_set(v, i) ((v)->counter = (i))
#define unlikely(x) (x)

#include <rdma/vmw_pvrdma-abi.h>

#include "pvrdma_dev_api.h"
#include "pvrdma_ring.h"

#define STRUCT(s) printf("struct %s %zu\n", #s, sizeof(struct s))
#define FIELD(s, f) printf("field %s.%s %zu %zu\n", #s, #f, offsetof(struct s, f), sizeof(((struct s *)0)->f))
// An element of a union, printed under a name of its own.
#define PART(s, f, n) printf("field %s.%s %zu %zu\n", #s, n, offsetof(struct s, f), sizeof(((struct s *)0)->f))
#define CONST(c) printf("const %s %u\n", #c, (unsigned)(c))

static void shared_region(void) {
  STRUCT(pvrdma_device_shared_region);
  FIELD(pvrdma_device_shared_region, driver_version);
  FIELD(pvrdma_device_shared_region, gos_info);
  FIELD(pvrdma_device_shared_region, cmd_slot_dma);
  FIELD(pvrdma_device_shared_region, resp_slot_dma);
  FIELD(pvrdma_device_shared_region, async_ring_pages);
  FIELD(pvrdma_device_shared_region, cq_ring_pages);
  FIELD(pvrdma_device_shared_region, uar_pfn);
  FIELD(pvrdma_device_shared_region, uar_pfn64);
  FIELD(pvrdma_device_shared_region, caps);
  STRUCT(pvrdma_ring_page_info);
  FIELD(pvrdma_ring_page_info, num_pages);
  FIELD(pvrdma_ring_page_info, pdir_dma);
}

static void device_caps(void) {
#define C(f) FIELD(pvrdma_device_caps, f)
  STRUCT(pvrdma_device_caps);
  C(fw_ver); C(node_guid); C(sys_image_guid); C(max_mr_size); C(page_size_cap); C(atomic_arg_sizes);
  C(ex_comp_mask); C(device_cap_flags2); C(max_fa_bit_boundary); C(log_max_atomic_inline_arg);
  C(vendor_id); C(vendor_part_id); C(hw_ver); C(max_qp); C(max_qp_wr); C(device_cap_flags); C(max_sge);
  C(max_sge_rd); C(max_cq); C(max_cqe); C(max_mr); C(max_pd); C(max_qp_rd_atom); C(max_ee_rd_atom);
  C(max_res_rd_atom); C(max_qp_init_rd_atom); C(max_ee_init_rd_atom); C(max_ee); C(max_rdd); C(max_mw);
  C(max_raw_ipv6_qp); C(max_raw_ethy_qp); C(max_mcast_grp); C(max_mcast_qp_attach);
  C(max_total_mcast_qp_attach); C(max_ah); C(max_fmr); C(max_map_per_fmr); C(max_srq); C(max_srq_wr);
  C(max_srq_sge); C(max_uar); C(gid_tbl_len); C(max_pkeys); C(local_ca_ack_delay); C(phys_port_cnt);
  C(mode); C(atomic_ops); C(bmme_flags); C(gid_types); C(max_fast_reg_page_list_len);
#undef C
}

static void attributes(void) {
#define P(f) FIELD(pvrdma_port_attr, f)
  STRUCT(pvrdma_port_attr);
  P(state); P(max_mtu); P(active_mtu); P(gid_tbl_len); P(port_cap_flags); P(max_msg_sz); P(bad_pkey_cntr);
  P(qkey_viol_cntr); P(pkey_tbl_len); P(lid); P(sm_lid); P(lmc); P(max_vl_num); P(sm_sl);
  P(subnet_timeout); P(init_type_reply); P(active_width); P(active_speed); P(phys_state);
#undef P
#define Q(f) FIELD(pvrdma_qp_attr, f)
  STRUCT(pvrdma_qp_attr);
  Q(qp_state); Q(cur_qp_state); Q(path_mtu); Q(path_mig_state); Q(qkey); Q(rq_psn); Q(sq_psn);
  Q(dest_qp_num); Q(qp_access_flags); Q(pkey_index); Q(alt_pkey_index); Q(en_sqd_async_notify);
  Q(sq_draining); Q(max_rd_atomic); Q(max_dest_rd_atomic); Q(min_rnr_timer); Q(port_num); Q(timeout);
  Q(retry_cnt); Q(rnr_retry); Q(alt_port_num); Q(alt_timeout); Q(cap); Q(ah_attr); Q(alt_ah_attr);
#undef Q
#define K(f) FIELD(pvrdma_qp_cap, f)
  STRUCT(pvrdma_qp_cap);
  K(max_send_wr); K(max_recv_wr); K(max_send_sge); K(max_recv_sge); K(max_inline_data);
#undef K
#define A(f) FIELD(pvrdma_ah_attr, f)
  STRUCT(pvrdma_ah_attr);
  A(grh); A(dlid); A(vlan_id); A(sl); A(src_path_bits); A(static_rate); A(ah_flags); A(port_num); A(dmac);
#undef A
#define G(f) FIELD(pvrdma_global_route, f)
  STRUCT(pvrdma_global_route);
  G(dgid); G(flow_label); G(sgid_index); G(hop_limit); G(traffic_class);
#undef G
}

static void commands(void) {
  STRUCT(pvrdma_cmd_hdr);
  FIELD(pvrdma_cmd_hdr, response); FIELD(pvrdma_cmd_hdr, cmd);
  STRUCT(pvrdma_cmd_resp_hdr);
  FIELD(pvrdma_cmd_resp_hdr, response); FIELD(pvrdma_cmd_resp_hdr, ack); FIELD(pvrdma_cmd_resp_hdr, err);

  STRUCT(pvrdma_cmd_query_port);
  FIELD(pvrdma_cmd_query_port, port_num);
  STRUCT(pvrdma_cmd_query_port_resp);
  FIELD(pvrdma_cmd_query_port_resp, attrs);
  STRUCT(pvrdma_cmd_query_pkey);
  FIELD(pvrdma_cmd_query_pkey, port_num); FIELD(pvrdma_cmd_query_pkey, index);
  STRUCT(pvrdma_cmd_query_pkey_resp);
  FIELD(pvrdma_cmd_query_pkey_resp, pkey);

  STRUCT(pvrdma_cmd_create_uc);
  FIELD(pvrdma_cmd_create_uc, pfn); FIELD(pvrdma_cmd_create_uc, pfn64);
  STRUCT(pvrdma_cmd_create_uc_resp);
  FIELD(pvrdma_cmd_create_uc_resp, ctx_handle);
  STRUCT(pvrdma_cmd_destroy_uc);
  FIELD(pvrdma_cmd_destroy_uc, ctx_handle);

  STRUCT(pvrdma_cmd_create_pd);
  FIELD(pvrdma_cmd_create_pd, ctx_handle);
  STRUCT(pvrdma_cmd_create_pd_resp);
  FIELD(pvrdma_cmd_create_pd_resp, pd_handle);
  STRUCT(pvrdma_cmd_destroy_pd);
  FIELD(pvrdma_cmd_destroy_pd, pd_handle);

#define M(f) FIELD(pvrdma_cmd_create_mr, f)
  STRUCT(pvrdma_cmd_create_mr);
  M(start); M(length); M(pdir_dma); M(pd_handle); M(access_flags); M(flags); M(nchunks);
#undef M
  STRUCT(pvrdma_cmd_create_mr_resp);
  FIELD(pvrdma_cmd_create_mr_resp, mr_handle); FIELD(pvrdma_cmd_create_mr_resp, lkey);
  FIELD(pvrdma_cmd_create_mr_resp, rkey);
  STRUCT(pvrdma_cmd_destroy_mr);
  FIELD(pvrdma_cmd_destroy_mr, mr_handle);

#define C(f) FIELD(pvrdma_cmd_create_cq, f)
  STRUCT(pvrdma_cmd_create_cq);
  C(pdir_dma); C(ctx_handle); C(cqe); C(nchunks);
#undef C
  STRUCT(pvrdma_cmd_create_cq_resp);
  FIELD(pvrdma_cmd_create_cq_resp, cq_handle); FIELD(pvrdma_cmd_create_cq_resp, cqe);
  STRUCT(pvrdma_cmd_resize_cq);
  FIELD(pvrdma_cmd_resize_cq, cq_handle); FIELD(pvrdma_cmd_resize_cq, cqe);
  STRUCT(pvrdma_cmd_resize_cq_resp);
  FIELD(pvrdma_cmd_resize_cq_resp, cqe);
  STRUCT(pvrdma_cmd_destroy_cq);
  FIELD(pvrdma_cmd_destroy_cq, cq_handle);

#define Q(f) FIELD(pvrdma_cmd_create_qp, f)
  STRUCT(pvrdma_cmd_create_qp);
  Q(pdir_dma); Q(pd_handle); Q(send_cq_handle); Q(recv_cq_handle); Q(srq_handle); Q(max_send_wr);
  Q(max_recv_wr); Q(max_send_sge); Q(max_recv_sge); Q(max_inline_data); Q(lkey); Q(access_flags);
  Q(total_chunks); Q(send_chunks); Q(max_atomic_arg); Q(sq_sig_all); Q(qp_type); Q(is_srq);
#undef Q
#define R(f) FIELD(pvrdma_cmd_create_qp_resp, f)
  STRUCT(pvrdma_cmd_create_qp_resp);
  R(qpn); R(max_send_wr); R(max_recv_wr); R(max_send_sge); R(max_recv_sge); R(max_inline_data);
#undef R
#define R(f) FIELD(pvrdma_cmd_create_qp_resp_v2, f)
  STRUCT(pvrdma_cmd_create_qp_resp_v2);
  R(qpn); R(qp_handle); R(max_send_wr); R(max_recv_wr); R(max_send_sge); R(max_recv_sge); R(max_inline_data);
#undef R
  STRUCT(pvrdma_cmd_modify_qp);
  FIELD(pvrdma_cmd_modify_qp, qp_handle); FIELD(pvrdma_cmd_modify_qp, attr_mask);
  FIELD(pvrdma_cmd_modify_qp, attrs);
  STRUCT(pvrdma_cmd_query_qp);
  FIELD(pvrdma_cmd_query_qp, qp_handle); FIELD(pvrdma_cmd_query_qp, attr_mask);
  STRUCT(pvrdma_cmd_query_qp_resp);
  FIELD(pvrdma_cmd_query_qp_resp, attrs);
  STRUCT(pvrdma_cmd_destroy_qp);
  FIELD(pvrdma_cmd_destroy_qp, qp_handle);
  STRUCT(pvrdma_cmd_destroy_qp_resp);
  FIELD(pvrdma_cmd_destroy_qp_resp, events_reported);

  STRUCT(pvrdma_srq_attr);
  FIELD(pvrdma_srq_attr, max_wr); FIELD(pvrdma_srq_attr, max_sge); FIELD(pvrdma_srq_attr, srq_limit);
#define S(f) FIELD(pvrdma_cmd_create_srq, f)
  STRUCT(pvrdma_cmd_create_srq);
  S(pdir_dma); S(pd_handle); S(nchunks); S(attrs); S(srq_type);
#undef S
  STRUCT(pvrdma_cmd_create_srq_resp);
  FIELD(pvrdma_cmd_create_srq_resp, srqn);
  STRUCT(pvrdma_cmd_modify_srq);
  FIELD(pvrdma_cmd_modify_srq, srq_handle); FIELD(pvrdma_cmd_modify_srq, attr_mask);
  FIELD(pvrdma_cmd_modify_srq, attrs);
  STRUCT(pvrdma_cmd_query_srq);
  FIELD(pvrdma_cmd_query_srq, srq_handle);
  STRUCT(pvrdma_cmd_query_srq_resp);
  FIELD(pvrdma_cmd_query_srq_resp, attrs);
  STRUCT(pvrdma_cmd_destroy_srq);
  FIELD(pvrdma_cmd_destroy_srq, srq_handle);

#define B(f) FIELD(pvrdma_cmd_create_bind, f)
  STRUCT(pvrdma_cmd_create_bind);
  B(mtu); B(vlan); B(index); B(new_gid); B(gid_type);
#undef B
  STRUCT(pvrdma_cmd_destroy_bind);
  FIELD(pvrdma_cmd_destroy_bind, index); FIELD(pvrdma_cmd_destroy_bind, dest_gid);
}

static void rings(void) {
  STRUCT(pvrdma_ring);
  FIELD(pvrdma_ring, prod_tail); FIELD(pvrdma_ring, cons_head);
  STRUCT(pvrdma_ring_state);
  FIELD(pvrdma_ring_state, tx); FIELD(pvrdma_ring_state, rx);

  STRUCT(pvrdma_sge);
  FIELD(pvrdma_sge, addr); FIELD(pvrdma_sge, length); FIELD(pvrdma_sge, lkey);
  STRUCT(pvrdma_rq_wqe_hdr);
  FIELD(pvrdma_rq_wqe_hdr, wr_id); FIELD(pvrdma_rq_wqe_hdr, num_sge); FIELD(pvrdma_rq_wqe_hdr, total_len);

#define S(f) FIELD(pvrdma_sq_wqe_hdr, f)
#define U(f, n) PART(pvrdma_sq_wqe_hdr, f, n)
  STRUCT(pvrdma_sq_wqe_hdr);
  S(wr_id); S(num_sge); S(total_len); S(opcode); S(send_flags);
  U(ex.imm_data, "imm_data");
  U(ex.invalidate_rkey, "invalidate_rkey");
  U(wr.rdma.remote_addr, "rdma_remote_addr");
  U(wr.rdma.rkey, "rdma_rkey");
  U(wr.atomic.remote_addr, "atomic_remote_addr");
  U(wr.atomic.compare_add, "atomic_compare_add");
  U(wr.atomic.swap, "atomic_swap");
  U(wr.atomic.rkey, "atomic_rkey");
  U(wr.ud.remote_qpn, "ud_remote_qpn");
  U(wr.ud.remote_qkey, "ud_remote_qkey");
  U(wr.ud.av, "ud_av");
  U(wr.fast_reg.iova_start, "fast_reg_iova_start");
  U(wr.fast_reg.pl_pdir_dma, "fast_reg_pl_pdir_dma");
  U(wr.fast_reg.page_shift, "fast_reg_page_shift");
  U(wr.fast_reg.page_list_len, "fast_reg_page_list_len");
  U(wr.fast_reg.length, "fast_reg_length");
  U(wr.fast_reg.access_flags, "fast_reg_access_flags");
  U(wr.fast_reg.rkey, "fast_reg_rkey");
#undef S
#undef U
#define V(f) FIELD(pvrdma_av, f)
  STRUCT(pvrdma_av);
  V(port_pd); V(sl_tclass_flowlabel); V(dgid); V(src_path_bits); V(gid_index); V(stat_rate); V(hop_limit); V(dmac);
#undef V
#define H(f) FIELD(pvrdma_grh, f)
  STRUCT(pvrdma_grh);
  H(version_tclass_flow); H(paylen); H(next_hdr); H(hop_limit); H(sgid); H(dgid);
#undef H

#define E(f) FIELD(pvrdma_cqe, f)
  STRUCT(pvrdma_cqe);
  E(wr_id); E(qp); E(opcode); E(status); E(byte_len); E(imm_data); E(src_qp); E(wc_flags); E(vendor_err);
  E(pkey_index); E(slid); E(sl); E(dlid_path_bits); E(port_num); E(smac); E(network_hdr_type);
#undef E
  STRUCT(pvrdma_eqe);
  FIELD(pvrdma_eqe, type); FIELD(pvrdma_eqe, info);
  STRUCT(pvrdma_cqne);
  FIELD(pvrdma_cqne, info);
}

static void device_constants(void) {
  CONST(PVRDMA_ROCEV1_VERSION); CONST(PVRDMA_ROCEV2_VERSION); CONST(PVRDMA_PPN64_VERSION);
  CONST(PVRDMA_QPHANDLE_VERSION); CONST(PVRDMA_BOARD_ID); CONST(PVRDMA_REV_ID);
  CONST(PVRDMA_PDIR_SHIFT); CONST(PVRDMA_PTABLE_SHIFT); CONST(PVRDMA_PAGE_DIR_MAX_PAGES);
  CONST(PVRDMA_MAX_FAST_REG_PAGES); CONST(PVRDMA_MAX_INTERRUPTS);
  CONST(PVRDMA_REG_VERSION); CONST(PVRDMA_REG_DSRLOW); CONST(PVRDMA_REG_DSRHIGH); CONST(PVRDMA_REG_CTL);
  CONST(PVRDMA_REG_REQUEST); CONST(PVRDMA_REG_ERR); CONST(PVRDMA_REG_ICR); CONST(PVRDMA_REG_IMR);
  CONST(PVRDMA_REG_MACL); CONST(PVRDMA_REG_MACH);
  CONST(PVRDMA_MR_FLAG_DMA); CONST(PVRDMA_MR_FLAG_FRMR);
  CONST(PVRDMA_ATOMIC_OP_COMP_SWAP); CONST(PVRDMA_ATOMIC_OP_FETCH_ADD);
  CONST(PVRDMA_BMME_FLAG_LOCAL_INV); CONST(PVRDMA_BMME_FLAG_REMOTE_INV); CONST(PVRDMA_BMME_FLAG_FAST_REG_WR);
  CONST(PVRDMA_GID_TYPE_FLAG_ROCE_V1); CONST(PVRDMA_GID_TYPE_FLAG_ROCE_V2);
  CONST(PVRDMA_PCI_RESOURCE_MSIX); CONST(PVRDMA_PCI_RESOURCE_REG); CONST(PVRDMA_PCI_RESOURCE_UAR);
  CONST(PVRDMA_DEVICE_CTL_ACTIVATE); CONST(PVRDMA_DEVICE_CTL_UNQUIESCE); CONST(PVRDMA_DEVICE_CTL_RESET);
  CONST(PVRDMA_INTR_VECTOR_RESPONSE); CONST(PVRDMA_INTR_VECTOR_ASYNC); CONST(PVRDMA_INTR_VECTOR_CQ);
  CONST(PVRDMA_INTR_CAUSE_RESPONSE); CONST(PVRDMA_INTR_CAUSE_ASYNC); CONST(PVRDMA_INTR_CAUSE_CQ);
  CONST(PVRDMA_GOS_BITS_64); CONST(PVRDMA_GOS_TYPE_LINUX); CONST(PVRDMA_DEVICE_MODE_ROCE);
  CONST(PVRDMA_EVENT_CQ_ERR); CONST(PVRDMA_EVENT_QP_FATAL); CONST(PVRDMA_EVENT_QP_REQ_ERR);
  CONST(PVRDMA_EVENT_QP_ACCESS_ERR); CONST(PVRDMA_EVENT_COMM_EST); CONST(PVRDMA_EVENT_SQ_DRAINED);
  CONST(PVRDMA_EVENT_DEVICE_FATAL); CONST(PVRDMA_EVENT_PORT_ACTIVE); CONST(PVRDMA_EVENT_PORT_ERR);
  CONST(PVRDMA_EVENT_SRQ_ERR); CONST(PVRDMA_EVENT_SRQ_LIMIT_REACHED); CONST(PVRDMA_EVENT_QP_LAST_WQE_REACHED);
  CONST(PVRDMA_EVENT_GID_CHANGE);
}

static void command_constants(void) {
  CONST(PVRDMA_CMD_QUERY_PORT); CONST(PVRDMA_CMD_QUERY_PKEY); CONST(PVRDMA_CMD_CREATE_PD);
  CONST(PVRDMA_CMD_DESTROY_PD); CONST(PVRDMA_CMD_CREATE_MR); CONST(PVRDMA_CMD_DESTROY_MR);
  CONST(PVRDMA_CMD_CREATE_CQ); CONST(PVRDMA_CMD_RESIZE_CQ); CONST(PVRDMA_CMD_DESTROY_CQ);
  CONST(PVRDMA_CMD_CREATE_QP); CONST(PVRDMA_CMD_MODIFY_QP); CONST(PVRDMA_CMD_QUERY_QP);
  CONST(PVRDMA_CMD_DESTROY_QP); CONST(PVRDMA_CMD_CREATE_UC); CONST(PVRDMA_CMD_DESTROY_UC);
  CONST(PVRDMA_CMD_CREATE_BIND); CONST(PVRDMA_CMD_DESTROY_BIND); CONST(PVRDMA_CMD_CREATE_SRQ);
  CONST(PVRDMA_CMD_MODIFY_SRQ); CONST(PVRDMA_CMD_QUERY_SRQ); CONST(PVRDMA_CMD_DESTROY_SRQ);
  CONST(PVRDMA_CMD_MAX); CONST(PVRDMA_CMD_FIRST_RESP); CONST(PVRDMA_CMD_DESTROY_SRQ_RESP);
}

static void verbs_constants(void) {
  CONST(PVRDMA_MTU_256); CONST(PVRDMA_MTU_512); CONST(PVRDMA_MTU_1024); CONST(PVRDMA_MTU_2048);
  CONST(PVRDMA_MTU_4096);
  CONST(PVRDMA_PORT_DOWN); CONST(PVRDMA_PORT_ACTIVE); CONST(PVRDMA_PORT_CM_SUP);
  CONST(PVRDMA_PORT_IP_BASED_GIDS); CONST(PVRDMA_WIDTH_1X); CONST(PVRDMA_WIDTH_4X);
  CONST(PVRDMA_SPEED_EDR); CONST(PVRDMA_AH_GRH);
  CONST(PVRDMA_QPT_GSI); CONST(PVRDMA_QPT_RC); CONST(PVRDMA_QPT_UC); CONST(PVRDMA_QPT_UD);
  CONST(PVRDMA_QP_STATE); CONST(PVRDMA_QP_CUR_STATE); CONST(PVRDMA_QP_EN_SQD_ASYNC_NOTIFY);
  CONST(PVRDMA_QP_ACCESS_FLAGS); CONST(PVRDMA_QP_PKEY_INDEX); CONST(PVRDMA_QP_PORT);
  CONST(PVRDMA_QP_QKEY); CONST(PVRDMA_QP_AV); CONST(PVRDMA_QP_PATH_MTU); CONST(PVRDMA_QP_TIMEOUT);
  CONST(PVRDMA_QP_RETRY_CNT); CONST(PVRDMA_QP_RNR_RETRY); CONST(PVRDMA_QP_RQ_PSN);
  CONST(PVRDMA_QP_MAX_QP_RD_ATOMIC); CONST(PVRDMA_QP_ALT_PATH); CONST(PVRDMA_QP_MIN_RNR_TIMER);
  CONST(PVRDMA_QP_SQ_PSN); CONST(PVRDMA_QP_MAX_DEST_RD_ATOMIC); CONST(PVRDMA_QP_PATH_MIG_STATE);
  CONST(PVRDMA_QP_CAP); CONST(PVRDMA_QP_DEST_QPN);
  CONST(PVRDMA_QPS_RESET); CONST(PVRDMA_QPS_INIT); CONST(PVRDMA_QPS_RTR); CONST(PVRDMA_QPS_RTS);
  CONST(PVRDMA_QPS_SQD); CONST(PVRDMA_QPS_SQE); CONST(PVRDMA_QPS_ERR);
  CONST(PVRDMA_MIG_MIGRATED);
  CONST(PVRDMA_SEND_FENCE); CONST(PVRDMA_SEND_SIGNALED); CONST(PVRDMA_SEND_SOLICITED);
  CONST(PVRDMA_SEND_INLINE); CONST(PVRDMA_SEND_IP_CSUM);
  CONST(PVRDMA_ACCESS_LOCAL_WRITE); CONST(PVRDMA_ACCESS_REMOTE_WRITE); CONST(PVRDMA_ACCESS_REMOTE_READ);
  CONST(PVRDMA_ACCESS_REMOTE_ATOMIC); CONST(PVRDMA_ACCESS_MW_BIND); CONST(PVRDMA_ZERO_BASED);
  CONST(PVRDMA_ACCESS_ON_DEMAND);
}

static void data_path_constants(void) {
  CONST(PVRDMA_UVERBS_ABI_VERSION); CONST(PVRDMA_UAR_HANDLE_MASK); CONST(PVRDMA_UAR_QP_OFFSET);
  CONST(PVRDMA_UAR_QP_SEND); CONST(PVRDMA_UAR_QP_RECV); CONST(PVRDMA_UAR_CQ_OFFSET);
  CONST(PVRDMA_UAR_CQ_ARM_SOL); CONST(PVRDMA_UAR_CQ_ARM); CONST(PVRDMA_UAR_CQ_POLL);
  CONST(PVRDMA_UAR_SRQ_OFFSET); CONST(PVRDMA_UAR_SRQ_RECV);
  CONST(PVRDMA_WR_RDMA_WRITE); CONST(PVRDMA_WR_RDMA_WRITE_WITH_IMM); CONST(PVRDMA_WR_SEND);
  CONST(PVRDMA_WR_SEND_WITH_IMM); CONST(PVRDMA_WR_RDMA_READ); CONST(PVRDMA_WR_ATOMIC_CMP_AND_SWP);
  CONST(PVRDMA_WR_ATOMIC_FETCH_AND_ADD); CONST(PVRDMA_WR_LSO); CONST(PVRDMA_WR_SEND_WITH_INV);
  CONST(PVRDMA_WR_RDMA_READ_WITH_INV); CONST(PVRDMA_WR_LOCAL_INV); CONST(PVRDMA_WR_FAST_REG_MR);
  CONST(PVRDMA_WR_ERROR);
  CONST(PVRDMA_WC_SUCCESS); CONST(PVRDMA_WC_LOC_LEN_ERR); CONST(PVRDMA_WC_LOC_QP_OP_ERR);
  CONST(PVRDMA_WC_LOC_EEC_OP_ERR); CONST(PVRDMA_WC_LOC_PROT_ERR); CONST(PVRDMA_WC_WR_FLUSH_ERR);
  CONST(PVRDMA_WC_MW_BIND_ERR); CONST(PVRDMA_WC_BAD_RESP_ERR); CONST(PVRDMA_WC_LOC_ACCESS_ERR);
  CONST(PVRDMA_WC_REM_INV_REQ_ERR); CONST(PVRDMA_WC_REM_ACCESS_ERR); CONST(PVRDMA_WC_REM_OP_ERR);
  CONST(PVRDMA_WC_RETRY_EXC_ERR); CONST(PVRDMA_WC_RNR_RETRY_EXC_ERR); CONST(PVRDMA_WC_LOC_RDD_VIOL_ERR);
  CONST(PVRDMA_WC_REM_INV_RD_REQ_ERR); CONST(PVRDMA_WC_REM_ABORT_ERR); CONST(PVRDMA_WC_INV_EECN_ERR);
  CONST(PVRDMA_WC_INV_EEC_STATE_ERR); CONST(PVRDMA_WC_FATAL_ERR); CONST(PVRDMA_WC_RESP_TIMEOUT_ERR);
  CONST(PVRDMA_WC_GENERAL_ERR);
  CONST(PVRDMA_WC_SEND); CONST(PVRDMA_WC_RDMA_WRITE); CONST(PVRDMA_WC_RDMA_READ); CONST(PVRDMA_WC_COMP_SWAP);
  CONST(PVRDMA_WC_FETCH_ADD); CONST(PVRDMA_WC_LOCAL_INV); CONST(PVRDMA_WC_FAST_REG_MR);
  CONST(PVRDMA_WC_RECV); CONST(PVRDMA_WC_RECV_RDMA_WITH_IMM);
  CONST(PVRDMA_WC_GRH); CONST(PVRDMA_WC_WITH_IMM); CONST(PVRDMA_WC_WITH_INVALIDATE);
  CONST(PVRDMA_WC_WITH_NETWORK_HDR_TYPE);
  CONST(PVRDMA_NETWORK_ROCE_V1); CONST(PVRDMA_NETWORK_IPV4); CONST(PVRDMA_NETWORK_IPV6);
}

int main(void) {
  shared_region();
  device_caps();
  attributes();
  commands();
  rings();
  device_constants();
  command_constants();
  verbs_constants();
  data_path_constants();
  return 0;
}
