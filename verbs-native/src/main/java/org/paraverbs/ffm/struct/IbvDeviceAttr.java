// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * {@code struct ibv_device_attr}: the limits of a device, {@code ibv_query_device(3)}. GUIDs are in network byte
 * order.
 */
public final class IbvDeviceAttr {
    public static final long SIZE = 232;

    private static final ValueLayout.OfLong BIG_ENDIAN_LONG = JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    private static final long FW_VER = 0;
    private static final long NODE_GUID = 64;
    private static final long SYS_IMAGE_GUID = 72;
    private static final long MAX_MR_SIZE = 80;
    private static final long PAGE_SIZE_CAP = 88;
    private static final long VENDOR_ID = 96;
    private static final long VENDOR_PART_ID = 100;
    private static final long HW_VER = 104;
    private static final long MAX_QP = 108;
    private static final long MAX_QP_WR = 112;
    private static final long DEVICE_CAP_FLAGS = 116;
    private static final long MAX_SGE = 120;
    private static final long MAX_SGE_RD = 124;
    private static final long MAX_CQ = 128;
    private static final long MAX_CQE = 132;
    private static final long MAX_MR = 136;
    private static final long MAX_PD = 140;
    private static final long MAX_QP_RD_ATOM = 144;
    private static final long MAX_RES_RD_ATOM = 152;
    private static final long MAX_QP_INIT_RD_ATOM = 156;
    private static final long ATOMIC_CAP = 164;
    private static final long MAX_MCAST_GRP = 188;
    private static final long MAX_AH = 200;
    private static final long MAX_SRQ = 212;
    private static final long MAX_SRQ_WR = 216;
    private static final long MAX_SRQ_SGE = 220;
    private static final long MAX_PKEYS = 224;
    private static final long LOCAL_CA_ACK_DELAY = 226;
    private static final long PHYS_PORT_CNT = 227;

    private IbvDeviceAttr() {}

    public static String fwVer(MemorySegment attributes) {
        return FixedString.read(attributes, FW_VER, 64);
    }

    public static long nodeGuid(MemorySegment attributes) {
        return attributes.get(BIG_ENDIAN_LONG, NODE_GUID);
    }

    public static long sysImageGuid(MemorySegment attributes) {
        return attributes.get(BIG_ENDIAN_LONG, SYS_IMAGE_GUID);
    }

    public static long maxMrSize(MemorySegment attributes) {
        return attributes.get(JAVA_LONG, MAX_MR_SIZE);
    }

    public static long pageSizeCap(MemorySegment attributes) {
        return attributes.get(JAVA_LONG, PAGE_SIZE_CAP);
    }

    public static int vendorId(MemorySegment attributes) {
        return attributes.get(JAVA_INT, VENDOR_ID);
    }

    public static int vendorPartId(MemorySegment attributes) {
        return attributes.get(JAVA_INT, VENDOR_PART_ID);
    }

    public static int hwVer(MemorySegment attributes) {
        return attributes.get(JAVA_INT, HW_VER);
    }

    public static int maxQp(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_QP);
    }

    public static int maxQpWr(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_QP_WR);
    }

    public static int deviceCapFlags(MemorySegment attributes) {
        return attributes.get(JAVA_INT, DEVICE_CAP_FLAGS);
    }

    public static int maxSge(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_SGE);
    }

    public static int maxSgeRd(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_SGE_RD);
    }

    public static int maxCq(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_CQ);
    }

    public static int maxCqe(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_CQE);
    }

    public static int maxMr(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_MR);
    }

    public static int maxPd(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_PD);
    }

    public static int maxQpRdAtom(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_QP_RD_ATOM);
    }

    public static int maxResRdAtom(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_RES_RD_ATOM);
    }

    public static int maxQpInitRdAtom(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_QP_INIT_RD_ATOM);
    }

    public static int atomicCap(MemorySegment attributes) {
        return attributes.get(JAVA_INT, ATOMIC_CAP);
    }

    public static int maxMcastGrp(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_MCAST_GRP);
    }

    public static int maxAh(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_AH);
    }

    public static int maxSrq(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_SRQ);
    }

    public static int maxSrqWr(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_SRQ_WR);
    }

    public static int maxSrqSge(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_SRQ_SGE);
    }

    public static int maxPkeys(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, MAX_PKEYS));
    }

    public static int localCaAckDelay(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, LOCAL_CA_ACK_DELAY));
    }

    public static int physPortCnt(MemorySegment attributes) {
        return Byte.toUnsignedInt(attributes.get(JAVA_BYTE, PHYS_PORT_CNT));
    }
}
