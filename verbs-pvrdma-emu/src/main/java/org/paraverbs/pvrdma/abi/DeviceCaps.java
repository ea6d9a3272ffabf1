// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

import static org.paraverbs.pvrdma.abi.Layouts.BYTE;
import static org.paraverbs.pvrdma.abi.Layouts.INT;
import static org.paraverbs.pvrdma.abi.Layouts.LONG;
import static org.paraverbs.pvrdma.abi.Layouts.LONG_BE;
import static org.paraverbs.pvrdma.abi.Layouts.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * What the device can do ({@code struct pvrdma_device_caps}), filled in by the device. The two GUIDs are
 * big-endian in memory; their accessors take and give the number.
 */
public final class DeviceCaps {
    /** Bytes of {@code struct pvrdma_device_caps}. */
    public static final int SIZE = 208;

    public static final int FW_VER_OFFSET = 0;
    public static final int NODE_GUID_OFFSET = 8;
    public static final int SYS_IMAGE_GUID_OFFSET = 16;
    public static final int MAX_MR_SIZE_OFFSET = 24;
    public static final int PAGE_SIZE_CAP_OFFSET = 32;
    public static final int ATOMIC_ARG_SIZES_OFFSET = 40;
    public static final int EX_COMP_MASK_OFFSET = 48;
    public static final int DEVICE_CAP_FLAGS2_OFFSET = 52;
    public static final int MAX_FA_BIT_BOUNDARY_OFFSET = 56;
    public static final int LOG_MAX_ATOMIC_INLINE_ARG_OFFSET = 60;
    public static final int VENDOR_ID_OFFSET = 64;
    public static final int VENDOR_PART_ID_OFFSET = 68;
    public static final int HW_VER_OFFSET = 72;
    public static final int MAX_QP_OFFSET = 76;
    public static final int MAX_QP_WR_OFFSET = 80;
    public static final int DEVICE_CAP_FLAGS_OFFSET = 84;
    public static final int MAX_SGE_OFFSET = 88;
    public static final int MAX_SGE_RD_OFFSET = 92;
    public static final int MAX_CQ_OFFSET = 96;
    public static final int MAX_CQE_OFFSET = 100;
    public static final int MAX_MR_OFFSET = 104;
    public static final int MAX_PD_OFFSET = 108;
    public static final int MAX_QP_RD_ATOM_OFFSET = 112;
    public static final int MAX_EE_RD_ATOM_OFFSET = 116;
    public static final int MAX_RES_RD_ATOM_OFFSET = 120;
    public static final int MAX_QP_INIT_RD_ATOM_OFFSET = 124;
    public static final int MAX_EE_INIT_RD_ATOM_OFFSET = 128;
    public static final int MAX_EE_OFFSET = 132;
    public static final int MAX_RDD_OFFSET = 136;
    public static final int MAX_MW_OFFSET = 140;
    public static final int MAX_RAW_IPV6_QP_OFFSET = 144;
    public static final int MAX_RAW_ETHY_QP_OFFSET = 148;
    public static final int MAX_MCAST_GRP_OFFSET = 152;
    public static final int MAX_MCAST_QP_ATTACH_OFFSET = 156;
    public static final int MAX_TOTAL_MCAST_QP_ATTACH_OFFSET = 160;
    public static final int MAX_AH_OFFSET = 164;
    public static final int MAX_FMR_OFFSET = 168;
    public static final int MAX_MAP_PER_FMR_OFFSET = 172;
    public static final int MAX_SRQ_OFFSET = 176;
    public static final int MAX_SRQ_WR_OFFSET = 180;
    public static final int MAX_SRQ_SGE_OFFSET = 184;
    public static final int MAX_UAR_OFFSET = 188;
    public static final int GID_TBL_LEN_OFFSET = 192;
    public static final int MAX_PKEYS_OFFSET = 196;
    public static final int LOCAL_CA_ACK_DELAY_OFFSET = 198;
    public static final int PHYS_PORT_CNT_OFFSET = 199;
    public static final int MODE_OFFSET = 200;
    public static final int ATOMIC_OPS_OFFSET = 201;
    public static final int BMME_FLAGS_OFFSET = 202;
    public static final int GID_TYPES_OFFSET = 203;
    public static final int MAX_FAST_REG_PAGE_LIST_LEN_OFFSET = 204;

    /** Bits of {@link #atomicOps}. */
    public static final int ATOMIC_COMP_SWAP = 0x1;

    public static final int ATOMIC_FETCH_ADD = 0x2;

    /** Bits of {@link #bmmeFlags}: what fast registration consists of. */
    public static final int BMME_LOCAL_INV = 0x1;

    public static final int BMME_REMOTE_INV = 0x2;
    public static final int BMME_FAST_REG_WR = 0x4;

    public static long fwVer(MemorySegment s, long base) {
        return s.get(LONG, base + FW_VER_OFFSET);
    }

    public static void fwVer(MemorySegment s, long base, long value) {
        s.set(LONG, base + FW_VER_OFFSET, value);
    }

    public static long nodeGuid(MemorySegment s, long base) {
        return s.get(LONG_BE, base + NODE_GUID_OFFSET);
    }

    public static void nodeGuid(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + NODE_GUID_OFFSET, value);
    }

    public static long sysImageGuid(MemorySegment s, long base) {
        return s.get(LONG_BE, base + SYS_IMAGE_GUID_OFFSET);
    }

    public static void sysImageGuid(MemorySegment s, long base, long value) {
        s.set(LONG_BE, base + SYS_IMAGE_GUID_OFFSET, value);
    }

    public static long maxMrSize(MemorySegment s, long base) {
        return s.get(LONG, base + MAX_MR_SIZE_OFFSET);
    }

    public static void maxMrSize(MemorySegment s, long base, long value) {
        s.set(LONG, base + MAX_MR_SIZE_OFFSET, value);
    }

    public static long pageSizeCap(MemorySegment s, long base) {
        return s.get(LONG, base + PAGE_SIZE_CAP_OFFSET);
    }

    public static void pageSizeCap(MemorySegment s, long base, long value) {
        s.set(LONG, base + PAGE_SIZE_CAP_OFFSET, value);
    }

    public static long atomicArgSizes(MemorySegment s, long base) {
        return s.get(LONG, base + ATOMIC_ARG_SIZES_OFFSET);
    }

    public static void atomicArgSizes(MemorySegment s, long base, long value) {
        s.set(LONG, base + ATOMIC_ARG_SIZES_OFFSET, value);
    }

    public static int exCompMask(MemorySegment s, long base) {
        return s.get(INT, base + EX_COMP_MASK_OFFSET);
    }

    public static void exCompMask(MemorySegment s, long base, int value) {
        s.set(INT, base + EX_COMP_MASK_OFFSET, value);
    }

    public static int deviceCapFlags2(MemorySegment s, long base) {
        return s.get(INT, base + DEVICE_CAP_FLAGS2_OFFSET);
    }

    public static void deviceCapFlags2(MemorySegment s, long base, int value) {
        s.set(INT, base + DEVICE_CAP_FLAGS2_OFFSET, value);
    }

    public static int maxFaBitBoundary(MemorySegment s, long base) {
        return s.get(INT, base + MAX_FA_BIT_BOUNDARY_OFFSET);
    }

    public static void maxFaBitBoundary(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_FA_BIT_BOUNDARY_OFFSET, value);
    }

    public static int logMaxAtomicInlineArg(MemorySegment s, long base) {
        return s.get(INT, base + LOG_MAX_ATOMIC_INLINE_ARG_OFFSET);
    }

    public static void logMaxAtomicInlineArg(MemorySegment s, long base, int value) {
        s.set(INT, base + LOG_MAX_ATOMIC_INLINE_ARG_OFFSET, value);
    }

    public static int vendorId(MemorySegment s, long base) {
        return s.get(INT, base + VENDOR_ID_OFFSET);
    }

    public static void vendorId(MemorySegment s, long base, int value) {
        s.set(INT, base + VENDOR_ID_OFFSET, value);
    }

    public static int vendorPartId(MemorySegment s, long base) {
        return s.get(INT, base + VENDOR_PART_ID_OFFSET);
    }

    public static void vendorPartId(MemorySegment s, long base, int value) {
        s.set(INT, base + VENDOR_PART_ID_OFFSET, value);
    }

    public static int hwVer(MemorySegment s, long base) {
        return s.get(INT, base + HW_VER_OFFSET);
    }

    public static void hwVer(MemorySegment s, long base, int value) {
        s.set(INT, base + HW_VER_OFFSET, value);
    }

    public static int maxQp(MemorySegment s, long base) {
        return s.get(INT, base + MAX_QP_OFFSET);
    }

    public static void maxQp(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_QP_OFFSET, value);
    }

    public static int maxQpWr(MemorySegment s, long base) {
        return s.get(INT, base + MAX_QP_WR_OFFSET);
    }

    public static void maxQpWr(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_QP_WR_OFFSET, value);
    }

    public static int deviceCapFlags(MemorySegment s, long base) {
        return s.get(INT, base + DEVICE_CAP_FLAGS_OFFSET);
    }

    public static void deviceCapFlags(MemorySegment s, long base, int value) {
        s.set(INT, base + DEVICE_CAP_FLAGS_OFFSET, value);
    }

    public static int maxSge(MemorySegment s, long base) {
        return s.get(INT, base + MAX_SGE_OFFSET);
    }

    public static void maxSge(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_SGE_OFFSET, value);
    }

    public static int maxSgeRd(MemorySegment s, long base) {
        return s.get(INT, base + MAX_SGE_RD_OFFSET);
    }

    public static void maxSgeRd(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_SGE_RD_OFFSET, value);
    }

    public static int maxCq(MemorySegment s, long base) {
        return s.get(INT, base + MAX_CQ_OFFSET);
    }

    public static void maxCq(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_CQ_OFFSET, value);
    }

    public static int maxCqe(MemorySegment s, long base) {
        return s.get(INT, base + MAX_CQE_OFFSET);
    }

    public static void maxCqe(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_CQE_OFFSET, value);
    }

    public static int maxMr(MemorySegment s, long base) {
        return s.get(INT, base + MAX_MR_OFFSET);
    }

    public static void maxMr(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_MR_OFFSET, value);
    }

    public static int maxPd(MemorySegment s, long base) {
        return s.get(INT, base + MAX_PD_OFFSET);
    }

    public static void maxPd(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_PD_OFFSET, value);
    }

    public static int maxQpRdAtom(MemorySegment s, long base) {
        return s.get(INT, base + MAX_QP_RD_ATOM_OFFSET);
    }

    public static void maxQpRdAtom(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_QP_RD_ATOM_OFFSET, value);
    }

    public static int maxEeRdAtom(MemorySegment s, long base) {
        return s.get(INT, base + MAX_EE_RD_ATOM_OFFSET);
    }

    public static void maxEeRdAtom(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_EE_RD_ATOM_OFFSET, value);
    }

    public static int maxResRdAtom(MemorySegment s, long base) {
        return s.get(INT, base + MAX_RES_RD_ATOM_OFFSET);
    }

    public static void maxResRdAtom(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_RES_RD_ATOM_OFFSET, value);
    }

    public static int maxQpInitRdAtom(MemorySegment s, long base) {
        return s.get(INT, base + MAX_QP_INIT_RD_ATOM_OFFSET);
    }

    public static void maxQpInitRdAtom(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_QP_INIT_RD_ATOM_OFFSET, value);
    }

    public static int maxEeInitRdAtom(MemorySegment s, long base) {
        return s.get(INT, base + MAX_EE_INIT_RD_ATOM_OFFSET);
    }

    public static void maxEeInitRdAtom(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_EE_INIT_RD_ATOM_OFFSET, value);
    }

    public static int maxEe(MemorySegment s, long base) {
        return s.get(INT, base + MAX_EE_OFFSET);
    }

    public static void maxEe(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_EE_OFFSET, value);
    }

    public static int maxRdd(MemorySegment s, long base) {
        return s.get(INT, base + MAX_RDD_OFFSET);
    }

    public static void maxRdd(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_RDD_OFFSET, value);
    }

    public static int maxMw(MemorySegment s, long base) {
        return s.get(INT, base + MAX_MW_OFFSET);
    }

    public static void maxMw(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_MW_OFFSET, value);
    }

    public static int maxRawIpv6Qp(MemorySegment s, long base) {
        return s.get(INT, base + MAX_RAW_IPV6_QP_OFFSET);
    }

    public static void maxRawIpv6Qp(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_RAW_IPV6_QP_OFFSET, value);
    }

    public static int maxRawEthyQp(MemorySegment s, long base) {
        return s.get(INT, base + MAX_RAW_ETHY_QP_OFFSET);
    }

    public static void maxRawEthyQp(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_RAW_ETHY_QP_OFFSET, value);
    }

    public static int maxMcastGrp(MemorySegment s, long base) {
        return s.get(INT, base + MAX_MCAST_GRP_OFFSET);
    }

    public static void maxMcastGrp(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_MCAST_GRP_OFFSET, value);
    }

    public static int maxMcastQpAttach(MemorySegment s, long base) {
        return s.get(INT, base + MAX_MCAST_QP_ATTACH_OFFSET);
    }

    public static void maxMcastQpAttach(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_MCAST_QP_ATTACH_OFFSET, value);
    }

    public static int maxTotalMcastQpAttach(MemorySegment s, long base) {
        return s.get(INT, base + MAX_TOTAL_MCAST_QP_ATTACH_OFFSET);
    }

    public static void maxTotalMcastQpAttach(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_TOTAL_MCAST_QP_ATTACH_OFFSET, value);
    }

    public static int maxAh(MemorySegment s, long base) {
        return s.get(INT, base + MAX_AH_OFFSET);
    }

    public static void maxAh(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_AH_OFFSET, value);
    }

    public static int maxFmr(MemorySegment s, long base) {
        return s.get(INT, base + MAX_FMR_OFFSET);
    }

    public static void maxFmr(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_FMR_OFFSET, value);
    }

    public static int maxMapPerFmr(MemorySegment s, long base) {
        return s.get(INT, base + MAX_MAP_PER_FMR_OFFSET);
    }

    public static void maxMapPerFmr(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_MAP_PER_FMR_OFFSET, value);
    }

    public static int maxSrq(MemorySegment s, long base) {
        return s.get(INT, base + MAX_SRQ_OFFSET);
    }

    public static void maxSrq(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_SRQ_OFFSET, value);
    }

    public static int maxSrqWr(MemorySegment s, long base) {
        return s.get(INT, base + MAX_SRQ_WR_OFFSET);
    }

    public static void maxSrqWr(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_SRQ_WR_OFFSET, value);
    }

    public static int maxSrqSge(MemorySegment s, long base) {
        return s.get(INT, base + MAX_SRQ_SGE_OFFSET);
    }

    public static void maxSrqSge(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_SRQ_SGE_OFFSET, value);
    }

    public static int maxUar(MemorySegment s, long base) {
        return s.get(INT, base + MAX_UAR_OFFSET);
    }

    public static void maxUar(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_UAR_OFFSET, value);
    }

    public static int gidTblLen(MemorySegment s, long base) {
        return s.get(INT, base + GID_TBL_LEN_OFFSET);
    }

    public static void gidTblLen(MemorySegment s, long base, int value) {
        s.set(INT, base + GID_TBL_LEN_OFFSET, value);
    }

    public static int maxPkeys(MemorySegment s, long base) {
        return Short.toUnsignedInt(s.get(SHORT, base + MAX_PKEYS_OFFSET));
    }

    public static void maxPkeys(MemorySegment s, long base, int value) {
        s.set(SHORT, base + MAX_PKEYS_OFFSET, (short) value);
    }

    public static int localCaAckDelay(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + LOCAL_CA_ACK_DELAY_OFFSET));
    }

    public static void localCaAckDelay(MemorySegment s, long base, int value) {
        s.set(BYTE, base + LOCAL_CA_ACK_DELAY_OFFSET, (byte) value);
    }

    public static int physPortCnt(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + PHYS_PORT_CNT_OFFSET));
    }

    public static void physPortCnt(MemorySegment s, long base, int value) {
        s.set(BYTE, base + PHYS_PORT_CNT_OFFSET, (byte) value);
    }

    public static int mode(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + MODE_OFFSET));
    }

    public static void mode(MemorySegment s, long base, int value) {
        s.set(BYTE, base + MODE_OFFSET, (byte) value);
    }

    public static int atomicOps(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + ATOMIC_OPS_OFFSET));
    }

    public static void atomicOps(MemorySegment s, long base, int value) {
        s.set(BYTE, base + ATOMIC_OPS_OFFSET, (byte) value);
    }

    public static int bmmeFlags(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + BMME_FLAGS_OFFSET));
    }

    public static void bmmeFlags(MemorySegment s, long base, int value) {
        s.set(BYTE, base + BMME_FLAGS_OFFSET, (byte) value);
    }

    public static int gidTypes(MemorySegment s, long base) {
        return Byte.toUnsignedInt(s.get(BYTE, base + GID_TYPES_OFFSET));
    }

    public static void gidTypes(MemorySegment s, long base, int value) {
        s.set(BYTE, base + GID_TYPES_OFFSET, (byte) value);
    }

    public static int maxFastRegPageListLen(MemorySegment s, long base) {
        return s.get(INT, base + MAX_FAST_REG_PAGE_LIST_LEN_OFFSET);
    }

    public static void maxFastRegPageListLen(MemorySegment s, long base, int value) {
        s.set(INT, base + MAX_FAST_REG_PAGE_LIST_LEN_OFFSET, value);
    }

    private DeviceCaps() {}
}
