// SPDX-License-Identifier: Apache-2.0
//
// Devices: what they are and can, their ports, and their events.
#include <infiniband/verbs.h>
#include "probe.h"

static void opened(void) {
    STRUCT(ibv_device);
    FIELD(ibv_device, node_type);
    FIELD(ibv_device, transport_type);
    FIELD(ibv_device, name);
    FIELD(ibv_device, dev_name);
    FIELD(ibv_device, dev_path);
    FIELD(ibv_device, ibdev_path);

    // The data path has no exported symbols: it goes through these function pointers.
    STRUCT(ibv_context);
    FIELD(ibv_context, device);
    FIELD(ibv_context, ops.alloc_mw);
    FIELD(ibv_context, ops.dealloc_mw);
    FIELD(ibv_context, ops.poll_cq);
    FIELD(ibv_context, ops.req_notify_cq);
    FIELD(ibv_context, ops.post_srq_recv);
    FIELD(ibv_context, ops.post_send);
    FIELD(ibv_context, ops.post_recv);
    FIELD(ibv_context, cmd_fd);
    FIELD(ibv_context, async_fd);
    FIELD(ibv_context, num_comp_vectors);
    FIELD(ibv_context, abi_compat);

    // Extended verbs stand *before* the ibv_context that the library hands out.
    BEFORE_CONTEXT(query_port);
    BEFORE_CONTEXT(query_device_ex);
    BEFORE_CONTEXT(create_cq_ex);
    BEFORE_CONTEXT(create_qp_ex);
    BEFORE_CONTEXT(create_srq_ex);
    BEFORE_CONTEXT(get_srq_num);
    BEFORE_CONTEXT(open_xrcd);
    BEFORE_CONTEXT(close_xrcd);
    BEFORE_CONTEXT(query_rt_values);
    BEFORE_CONTEXT(sz);
}

static void attributes(void) {
    STRUCT(ibv_device_attr);
    FIELD(ibv_device_attr, fw_ver);
    FIELD(ibv_device_attr, node_guid);
    FIELD(ibv_device_attr, sys_image_guid);
    FIELD(ibv_device_attr, max_mr_size);
    FIELD(ibv_device_attr, page_size_cap);
    FIELD(ibv_device_attr, vendor_id);
    FIELD(ibv_device_attr, vendor_part_id);
    FIELD(ibv_device_attr, hw_ver);
    FIELD(ibv_device_attr, max_qp);
    FIELD(ibv_device_attr, max_qp_wr);
    FIELD(ibv_device_attr, device_cap_flags);
    FIELD(ibv_device_attr, max_sge);
    FIELD(ibv_device_attr, max_sge_rd);
    FIELD(ibv_device_attr, max_cq);
    FIELD(ibv_device_attr, max_cqe);
    FIELD(ibv_device_attr, max_mr);
    FIELD(ibv_device_attr, max_pd);
    FIELD(ibv_device_attr, max_qp_rd_atom);
    FIELD(ibv_device_attr, max_ee_rd_atom);
    FIELD(ibv_device_attr, max_res_rd_atom);
    FIELD(ibv_device_attr, max_qp_init_rd_atom);
    FIELD(ibv_device_attr, max_ee_init_rd_atom);
    FIELD(ibv_device_attr, atomic_cap);
    FIELD(ibv_device_attr, max_ee);
    FIELD(ibv_device_attr, max_rdd);
    FIELD(ibv_device_attr, max_mw);
    FIELD(ibv_device_attr, max_raw_ipv6_qp);
    FIELD(ibv_device_attr, max_raw_ethy_qp);
    FIELD(ibv_device_attr, max_mcast_grp);
    FIELD(ibv_device_attr, max_mcast_qp_attach);
    FIELD(ibv_device_attr, max_total_mcast_qp_attach);
    FIELD(ibv_device_attr, max_ah);
    FIELD(ibv_device_attr, max_fmr);
    FIELD(ibv_device_attr, max_map_per_fmr);
    FIELD(ibv_device_attr, max_srq);
    FIELD(ibv_device_attr, max_srq_wr);
    FIELD(ibv_device_attr, max_srq_sge);
    FIELD(ibv_device_attr, max_pkeys);
    FIELD(ibv_device_attr, local_ca_ack_delay);
    FIELD(ibv_device_attr, phys_port_cnt);

    KNOWN(ibv_device_attr_ex, phys_port_cnt_ex);
    FIELD(ibv_device_attr_ex, orig_attr);
    FIELD(ibv_device_attr_ex, comp_mask);
    FIELD(ibv_device_attr_ex, odp_caps.general_caps);
    FIELD(ibv_device_attr_ex, odp_caps.per_transport_caps.rc_odp_caps);
    FIELD(ibv_device_attr_ex, odp_caps.per_transport_caps.uc_odp_caps);
    FIELD(ibv_device_attr_ex, odp_caps.per_transport_caps.ud_odp_caps);
    FIELD(ibv_device_attr_ex, completion_timestamp_mask);
    FIELD(ibv_device_attr_ex, hca_core_clock);
    FIELD(ibv_device_attr_ex, device_cap_flags_ex);
    FIELD(ibv_device_attr_ex, tso_caps.max_tso);
    FIELD(ibv_device_attr_ex, tso_caps.supported_qpts);
    FIELD(ibv_device_attr_ex, max_wq_type_rq);
    FIELD(ibv_device_attr_ex, raw_packet_caps);
    FIELD(ibv_device_attr_ex, cq_mod_caps.max_cq_count);
    FIELD(ibv_device_attr_ex, cq_mod_caps.max_cq_period);
    FIELD(ibv_device_attr_ex, max_dm_size);
    FIELD(ibv_device_attr_ex, pci_atomic_caps.fetch_add);
    FIELD(ibv_device_attr_ex, pci_atomic_caps.swap);
    FIELD(ibv_device_attr_ex, pci_atomic_caps.compare_swap);
    FIELD(ibv_device_attr_ex, xrc_odp_caps);
    FIELD(ibv_device_attr_ex, phys_port_cnt_ex);

    KNOWN(ibv_port_attr, port_cap_flags2);
    FIELD(ibv_port_attr, state);
    FIELD(ibv_port_attr, max_mtu);
    FIELD(ibv_port_attr, active_mtu);
    FIELD(ibv_port_attr, gid_tbl_len);
    FIELD(ibv_port_attr, port_cap_flags);
    FIELD(ibv_port_attr, max_msg_sz);
    FIELD(ibv_port_attr, bad_pkey_cntr);
    FIELD(ibv_port_attr, qkey_viol_cntr);
    FIELD(ibv_port_attr, pkey_tbl_len);
    FIELD(ibv_port_attr, lid);
    FIELD(ibv_port_attr, sm_lid);
    FIELD(ibv_port_attr, lmc);
    FIELD(ibv_port_attr, max_vl_num);
    FIELD(ibv_port_attr, sm_sl);
    FIELD(ibv_port_attr, subnet_timeout);
    FIELD(ibv_port_attr, init_type_reply);
    FIELD(ibv_port_attr, active_width);
    FIELD(ibv_port_attr, active_speed);
    FIELD(ibv_port_attr, phys_state);
    FIELD(ibv_port_attr, link_layer);
    FIELD(ibv_port_attr, flags);
    FIELD(ibv_port_attr, port_cap_flags2);

    printf("struct ibv_gid %zu\n", sizeof(union ibv_gid));
    KNOWN(ibv_gid_entry, ndev_ifindex);
    FIELD(ibv_gid_entry, gid);
    FIELD(ibv_gid_entry, gid_index);
    FIELD(ibv_gid_entry, port_num);
    FIELD(ibv_gid_entry, gid_type);
    FIELD(ibv_gid_entry, ndev_ifindex);
}

static void constants(void) {
    CONST(IBV_NODE_UNKNOWN);
    CONST(IBV_NODE_CA);
    CONST(IBV_NODE_SWITCH);
    CONST(IBV_NODE_ROUTER);
    CONST(IBV_NODE_RNIC);
    CONST(IBV_NODE_USNIC);
    CONST(IBV_NODE_USNIC_UDP);
    CONST(IBV_NODE_UNSPECIFIED);

    CONST(IBV_TRANSPORT_UNKNOWN);
    CONST(IBV_TRANSPORT_IB);
    CONST(IBV_TRANSPORT_IWARP);
    CONST(IBV_TRANSPORT_USNIC);
    CONST(IBV_TRANSPORT_USNIC_UDP);
    CONST(IBV_TRANSPORT_UNSPECIFIED);

    CONST(IBV_DEVICE_RESIZE_MAX_WR);
    CONST(IBV_DEVICE_BAD_PKEY_CNTR);
    CONST(IBV_DEVICE_BAD_QKEY_CNTR);
    CONST(IBV_DEVICE_RAW_MULTI);
    CONST(IBV_DEVICE_AUTO_PATH_MIG);
    CONST(IBV_DEVICE_CHANGE_PHY_PORT);
    CONST(IBV_DEVICE_UD_AV_PORT_ENFORCE);
    CONST(IBV_DEVICE_CURR_QP_STATE_MOD);
    CONST(IBV_DEVICE_SHUTDOWN_PORT);
    CONST(IBV_DEVICE_INIT_TYPE);
    CONST(IBV_DEVICE_PORT_ACTIVE_EVENT);
    CONST(IBV_DEVICE_SYS_IMAGE_GUID);
    CONST(IBV_DEVICE_RC_RNR_NAK_GEN);
    CONST(IBV_DEVICE_SRQ_RESIZE);
    CONST(IBV_DEVICE_N_NOTIFY_CQ);
    CONST(IBV_DEVICE_MEM_WINDOW);
    CONST(IBV_DEVICE_UD_IP_CSUM);
    CONST(IBV_DEVICE_XRC);
    CONST(IBV_DEVICE_MEM_MGT_EXTENSIONS);
    CONST(IBV_DEVICE_MEM_WINDOW_TYPE_2A);
    CONST(IBV_DEVICE_MEM_WINDOW_TYPE_2B);
    CONST(IBV_DEVICE_RC_IP_CSUM);
    CONST(IBV_DEVICE_RAW_IP_CSUM);
    CONST(IBV_DEVICE_MANAGED_FLOW_STEERING);

    CONST(IBV_ATOMIC_NONE);
    CONST(IBV_ATOMIC_HCA);
    CONST(IBV_ATOMIC_GLOB);

    CONST(IBV_MTU_256);
    CONST(IBV_MTU_512);
    CONST(IBV_MTU_1024);
    CONST(IBV_MTU_2048);
    CONST(IBV_MTU_4096);

    CONST(IBV_PORT_NOP);
    CONST(IBV_PORT_DOWN);
    CONST(IBV_PORT_INIT);
    CONST(IBV_PORT_ARMED);
    CONST(IBV_PORT_ACTIVE);
    CONST(IBV_PORT_ACTIVE_DEFER);

    CONST(IBV_LINK_LAYER_UNSPECIFIED);
    CONST(IBV_LINK_LAYER_INFINIBAND);
    CONST(IBV_LINK_LAYER_ETHERNET);

    CONST(IBV_GID_TYPE_IB);
    CONST(IBV_GID_TYPE_ROCE_V1);
    CONST(IBV_GID_TYPE_ROCE_V2);

    CONST(IBV_FORK_DISABLED);
    CONST(IBV_FORK_ENABLED);
    CONST(IBV_FORK_UNNEEDED);

    CONST(IBV_SYSFS_NAME_MAX);
    CONST(IBV_SYSFS_PATH_MAX);

    CONST(IBV_EVENT_CQ_ERR);
    CONST(IBV_EVENT_QP_FATAL);
    CONST(IBV_EVENT_QP_REQ_ERR);
    CONST(IBV_EVENT_QP_ACCESS_ERR);
    CONST(IBV_EVENT_COMM_EST);
    CONST(IBV_EVENT_SQ_DRAINED);
    CONST(IBV_EVENT_PATH_MIG);
    CONST(IBV_EVENT_PATH_MIG_ERR);
    CONST(IBV_EVENT_DEVICE_FATAL);
    CONST(IBV_EVENT_PORT_ACTIVE);
    CONST(IBV_EVENT_PORT_ERR);
    CONST(IBV_EVENT_LID_CHANGE);
    CONST(IBV_EVENT_PKEY_CHANGE);
    CONST(IBV_EVENT_SM_CHANGE);
    CONST(IBV_EVENT_SRQ_ERR);
    CONST(IBV_EVENT_SRQ_LIMIT_REACHED);
    CONST(IBV_EVENT_QP_LAST_WQE_REACHED);
    CONST(IBV_EVENT_CLIENT_REREGISTER);
    CONST(IBV_EVENT_GID_CHANGE);
    CONST(IBV_EVENT_WQ_FATAL);
}

void devices(void) {
    opened();
    attributes();
    constants();
}
