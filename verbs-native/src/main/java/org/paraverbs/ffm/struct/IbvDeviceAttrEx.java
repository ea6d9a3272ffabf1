// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_device_attr_ex}: what a device tells beyond {@link IbvDeviceAttr}, {@code ibv_query_device_ex(3)}. */
public final class IbvDeviceAttrEx {
    /** As far as this module knows it; the library is told. */
    public static final long SIZE = 400;

    private static final long ODP_CAPS_GENERAL_CAPS = 240;
    private static final long RC_ODP_CAPS = 248;
    private static final long UC_ODP_CAPS = 252;
    private static final long UD_ODP_CAPS = 256;
    private static final long COMPLETION_TIMESTAMP_MASK = 264;
    private static final long HCA_CORE_CLOCK = 272;
    private static final long DEVICE_CAP_FLAGS_EX = 280;
    private static final long MAX_TSO = 288;
    private static final long SUPPORTED_QPTS = 292;
    private static final long MAX_WQ_TYPE_RQ = 328;
    private static final long RAW_PACKET_CAPS = 344;
    private static final long MAX_CQ_COUNT = 368;
    private static final long MAX_CQ_PERIOD = 370;
    private static final long MAX_DM_SIZE = 376;
    private static final long FETCH_ADD = 384;
    private static final long SWAP = 386;
    private static final long COMPARE_SWAP = 388;
    private static final long PHYS_PORT_CNT_EX = 396;

    private IbvDeviceAttrEx() {}

    public static long odpCapsGeneralCaps(MemorySegment attributes) {
        return attributes.get(JAVA_LONG, ODP_CAPS_GENERAL_CAPS);
    }

    public static int odpCapsPerTransportCapsRcOdpCaps(MemorySegment attributes) {
        return attributes.get(JAVA_INT, RC_ODP_CAPS);
    }

    public static int odpCapsPerTransportCapsUcOdpCaps(MemorySegment attributes) {
        return attributes.get(JAVA_INT, UC_ODP_CAPS);
    }

    public static int odpCapsPerTransportCapsUdOdpCaps(MemorySegment attributes) {
        return attributes.get(JAVA_INT, UD_ODP_CAPS);
    }

    public static long completionTimestampMask(MemorySegment attributes) {
        return attributes.get(JAVA_LONG, COMPLETION_TIMESTAMP_MASK);
    }

    public static long hcaCoreClock(MemorySegment attributes) {
        return attributes.get(JAVA_LONG, HCA_CORE_CLOCK);
    }

    public static long deviceCapFlagsEx(MemorySegment attributes) {
        return attributes.get(JAVA_LONG, DEVICE_CAP_FLAGS_EX);
    }

    public static int tsoCapsMaxTso(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_TSO);
    }

    public static int tsoCapsSupportedQpts(MemorySegment attributes) {
        return attributes.get(JAVA_INT, SUPPORTED_QPTS);
    }

    public static int maxWqTypeRq(MemorySegment attributes) {
        return attributes.get(JAVA_INT, MAX_WQ_TYPE_RQ);
    }

    public static int rawPacketCaps(MemorySegment attributes) {
        return attributes.get(JAVA_INT, RAW_PACKET_CAPS);
    }

    public static int cqModCapsMaxCqCount(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, MAX_CQ_COUNT));
    }

    public static int cqModCapsMaxCqPeriod(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, MAX_CQ_PERIOD));
    }

    public static long maxDmSize(MemorySegment attributes) {
        return attributes.get(JAVA_LONG, MAX_DM_SIZE);
    }

    public static int pciAtomicCapsFetchAdd(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, FETCH_ADD));
    }

    public static int pciAtomicCapsSwap(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, SWAP));
    }

    public static int pciAtomicCapsCompareSwap(MemorySegment attributes) {
        return Short.toUnsignedInt(attributes.get(JAVA_SHORT, COMPARE_SWAP));
    }

    public static int physPortCntEx(MemorySegment attributes) {
        return attributes.get(JAVA_INT, PHYS_PORT_CNT_EX);
    }
}
