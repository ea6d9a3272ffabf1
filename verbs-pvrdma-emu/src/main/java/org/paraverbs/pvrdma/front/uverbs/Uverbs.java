// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.paraverbs.pvrdma.abi.AccessFlags;

/**
 * The commands that libibverbs writes to a device file: numbers and offsets of {@code rdma/ib_user_verbs.h}, with what {@code
 * rdma/vmw_pvrdma-abi.h} adds for the provider's and the driver's part. Offsets of commands count from the end of the header.
 */
final class Uverbs {
    /** {@code struct ib_uverbs_cmd_hdr}: command, in_words, out_words. */
    static final int HEADER_SIZE = 8;

    /** {@code IB_USER_VERBS_CMD_FLAG_EXTENDED}: words are of 8 bytes, not 4, and {@code struct ib_uverbs_ex_cmd_hdr} follows. */
    private static final int EXTENDED = 0x8000_0000;

    static final int GET_CONTEXT = 0;
    static final int QUERY_DEVICE = 1;
    static final int QUERY_PORT = 2;
    static final int ALLOC_PD = 3;
    static final int DEALLOC_PD = 4;
    static final int REG_MR = 9;
    static final int DEREG_MR = 13;
    static final int CREATE_CQ = 18;
    static final int DESTROY_CQ = 20;
    static final int CREATE_QP = 24;
    static final int QUERY_QP = 25;
    static final int MODIFY_QP = 26;
    static final int DESTROY_QP = 27;
    static final int CREATE_SRQ = 32;
    static final int MODIFY_SRQ = 33;
    static final int QUERY_SRQ = 34;
    static final int DESTROY_SRQ = 35;
    static final int EX_QUERY_DEVICE = EXTENDED | QUERY_DEVICE;

    /** In every command that creates something to be told of: what events name it by. */
    static final int USER_HANDLE = 8;

    /** In the commands that query or destroy something, behind the address of the response. */
    static final int HANDLE = 8;

    /** {@code enum ib_uverbs_wc_..}: Ethernet of {@code link_layer}. */
    static final int LINK_LAYER_ETHERNET = 2;

    /** {@code IB_ATOMIC_HCA}. */
    static final int ATOMIC_HCA = 1;

    /** {@code IB_SRQ_LIMIT} of an attribute mask. */
    static final int SRQ_LIMIT = 2;

    /** Bytes of {@code struct ib_uverbs_query_device_resp}. */
    static final int QUERY_DEVICE_RESPONSE = 176;

    /**
     * {@code struct ib_uverbs_ex_query_device} behind the extended header, and its response, which begins with that of the older
     * command.
     */
    static final class ExQueryDevice {
        static final int SIZE = 24;
        static final int COMP_MASK = 16;
        static final int RESERVED = 20;

        static final int RESPONSE_SIZE = 304;
        static final int RESPONSE_LENGTH = 180;
        static final int DEVICE_CAP_FLAGS_EX = 224;

        private ExQueryDevice() {}
    }

    /** Bytes of {@code struct ib_uverbs_query_port_resp}. */
    static final int QUERY_PORT_RESPONSE = 40;

    /** {@code struct ib_uverbs_reg_mr}. */
    static final class RegMr {
        static final int SIZE = 40;
        static final int START = 8;
        static final int LENGTH = 16;
        static final int HCA_VA = 24;
        static final int PD_HANDLE = 32;
        static final int ACCESS_FLAGS = 36;

        /**
         * What the core passes on only to a device that says it can: {@code IB_ACCESS_ON_DEMAND}, {@code IB_ACCESS_FLUSH_GLOBAL} and
         * {@code IB_ACCESS_FLUSH_PERSISTENT} (Linux 6.2, rdma/ib_verbs.h, {@code ib_check_mr_access}).
         */
        static final int ACCESS_NEEDS_CAPABILITY = AccessFlags.ACCESS_ON_DEMAND | 0x100 | 0x200;

        private RegMr() {}
    }

    /** {@code struct ib_uverbs_create_cq}. */
    static final class CreateCq {
        static final int SIZE = 32;
        static final int CQE = 16;
        static final int COMP_VECTOR = 20;
        static final int COMP_CHANNEL = 24;

        private CreateCq() {}
    }

    /** {@code struct ib_uverbs_create_qp}, and behind it {@code struct pvrdma_create_qp}. */
    static final class CreateQp {
        static final int SIZE = 56;
        static final int PD_HANDLE = 16;
        static final int SEND_CQ_HANDLE = 20;
        static final int RECV_CQ_HANDLE = 24;
        static final int SRQ_HANDLE = 28;
        static final int MAX_SEND_WR = 32;
        static final int MAX_RECV_WR = 36;
        static final int MAX_SEND_SGE = 40;
        static final int MAX_RECV_SGE = 44;
        static final int SQ_SIG_ALL = 52;
        static final int QP_TYPE = 53;
        static final int IS_SRQ = 54;

        private CreateQp() {}
    }

    /** {@code struct ib_uverbs_qp_dest}. */
    static final class Destination {
        static final int SIZE = 32;
        static final int DGID = 0;
        static final int FLOW_LABEL = 16;
        static final int DLID = 20;
        static final int SGID_INDEX = 24;
        static final int HOP_LIMIT = 25;
        static final int TRAFFIC_CLASS = 26;
        static final int SL = 27;
        static final int SRC_PATH_BITS = 28;
        static final int STATIC_RATE = 29;
        static final int IS_GLOBAL = 30;
        static final int PORT_NUM = 31;

        private Destination() {}
    }

    /** {@code struct ib_uverbs_modify_qp}. */
    static final class ModifyQp {
        static final int SIZE = 112;
        static final int DEST = 0;
        static final int ALT_DEST = 32;
        static final int QP_HANDLE = 64;
        static final int ATTR_MASK = 68;
        static final int QKEY = 72;
        static final int RQ_PSN = 76;
        static final int SQ_PSN = 80;
        static final int DEST_QP_NUM = 84;
        static final int QP_ACCESS_FLAGS = 88;
        static final int PKEY_INDEX = 92;
        static final int ALT_PKEY_INDEX = 94;
        static final int QP_STATE = 96;
        static final int CUR_QP_STATE = 97;
        static final int PATH_MTU = 98;
        static final int PATH_MIG_STATE = 99;
        static final int EN_SQD_ASYNC_NOTIFY = 100;
        static final int MAX_RD_ATOMIC = 101;
        static final int MAX_DEST_RD_ATOMIC = 102;
        static final int MIN_RNR_TIMER = 103;
        static final int PORT_NUM = 104;
        static final int TIMEOUT = 105;
        static final int RETRY_CNT = 106;
        static final int RNR_RETRY = 107;
        static final int ALT_PORT_NUM = 108;
        static final int ALT_TIMEOUT = 109;

        private ModifyQp() {}
    }

    /** {@code struct ib_uverbs_query_qp}, and its response. */
    static final class QueryQp {
        static final int SIZE = 16;
        static final int ATTR_MASK = 12;

        static final int RESPONSE_SIZE = 128;
        static final int DEST = 0;
        static final int ALT_DEST = 32;
        static final int MAX_SEND_WR = 64;
        static final int MAX_RECV_WR = 68;
        static final int MAX_SEND_SGE = 72;
        static final int MAX_RECV_SGE = 76;
        static final int QKEY = 84;
        static final int RQ_PSN = 88;
        static final int SQ_PSN = 92;
        static final int DEST_QP_NUM = 96;
        static final int QP_ACCESS_FLAGS = 100;
        static final int PKEY_INDEX = 104;
        static final int ALT_PKEY_INDEX = 106;
        static final int QP_STATE = 108;
        static final int CUR_QP_STATE = 109;
        static final int PATH_MTU = 110;
        static final int PATH_MIG_STATE = 111;
        static final int SQ_DRAINING = 112;
        static final int MAX_RD_ATOMIC = 113;
        static final int MAX_DEST_RD_ATOMIC = 114;
        static final int MIN_RNR_TIMER = 115;
        static final int PORT_NUM = 116;
        static final int TIMEOUT = 117;
        static final int RETRY_CNT = 118;
        static final int RNR_RETRY = 119;
        static final int ALT_PORT_NUM = 120;
        static final int ALT_TIMEOUT = 121;
        static final int SQ_SIG_ALL = 122;

        private QueryQp() {}
    }

    /** {@code struct ib_uverbs_create_srq}. */
    static final class CreateSrq {
        static final int SIZE = 32;
        static final int PD_HANDLE = 16;
        static final int MAX_WR = 20;
        static final int MAX_SGE = 24;

        private CreateSrq() {}
    }

    /** {@code struct ib_uverbs_modify_srq}. */
    static final class ModifySrq {
        static final int SIZE = 16;
        static final int SRQ_HANDLE = 0;
        static final int ATTR_MASK = 4;
        static final int LIMIT = 12;

        private ModifySrq() {}
    }

    static int command(MemorySegment written) {
        return written.get(Protocol.INT, 0);
    }

    /** Bytes that the program has room for in the core's part of the response. */
    static int room(MemorySegment written) {
        int words = Short.toUnsignedInt(written.get(ValueLayout.JAVA_SHORT_UNALIGNED, 6));
        return words * ((command(written) & EXTENDED) != 0 ? 8 : 4);
    }

    private Uverbs() {}
}
