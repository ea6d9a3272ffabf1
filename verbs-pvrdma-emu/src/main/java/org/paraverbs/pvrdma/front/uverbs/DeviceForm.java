// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import static org.paraverbs.pvrdma.front.uverbs.Protocol.INT;
import static org.paraverbs.pvrdma.front.uverbs.Protocol.LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.PortAttr;

/** The device and its port in the layout of uverbs, with what the driver makes of them (pvrdma_verbs.c). */
final class DeviceForm {
    /** {@code IB_DEVICE_MEM_MGT_EXTENSIONS}. */
    private static final int MEM_MGT_EXTENSIONS = 1 << 21;

    private static final int FAST_REGISTRATION =
            DeviceCaps.BMME_LOCAL_INV | DeviceCaps.BMME_REMOTE_INV | DeviceCaps.BMME_FAST_REG_WR;

    /** Of {@code struct ib_uverbs_query_device_resp}. */
    private static final int DEVICE_CAP_FLAGS = 60;

    /** {@code struct ib_uverbs_query_device_resp}. */
    static void device(MemorySegment caps, Commands.Call call) {
        MemorySegment out = call.out;
        out.set(LONG, 0, DeviceCaps.fwVer(caps, 0));
        // both in network byte order
        MemorySegment.copy(caps, DeviceCaps.NODE_GUID_OFFSET, out, 8, 8);
        MemorySegment.copy(caps, DeviceCaps.SYS_IMAGE_GUID_OFFSET, out, 16, 8);
        out.set(LONG, 24, DeviceCaps.maxMrSize(caps, 0));
        out.set(LONG, 32, DeviceCaps.pageSizeCap(caps, 0));
        out.set(INT, 40, DeviceCaps.vendorId(caps, 0));
        out.set(INT, 44, DeviceCaps.vendorPartId(caps, 0));
        out.set(INT, 48, DeviceCaps.hwVer(caps, 0));
        out.set(INT, 52, DeviceCaps.maxQp(caps, 0));
        out.set(INT, 56, DeviceCaps.maxQpWr(caps, 0));
        boolean fast = (DeviceCaps.bmmeFlags(caps, 0) & FAST_REGISTRATION) == FAST_REGISTRATION;
        out.set(INT, DEVICE_CAP_FLAGS, DeviceCaps.deviceCapFlags(caps, 0) | (fast ? MEM_MGT_EXTENSIONS : 0));
        out.set(INT, 64, DeviceCaps.maxSge(caps, 0));
        out.set(INT, 68, DeviceCaps.maxSgeRd(caps, 0));
        out.set(INT, 72, DeviceCaps.maxCq(caps, 0));
        out.set(INT, 76, DeviceCaps.maxCqe(caps, 0));
        out.set(INT, 80, DeviceCaps.maxMr(caps, 0));
        out.set(INT, 84, DeviceCaps.maxPd(caps, 0));
        out.set(INT, 88, DeviceCaps.maxQpRdAtom(caps, 0));
        out.set(INT, 100, DeviceCaps.maxQpInitRdAtom(caps, 0));
        int atomics = DeviceCaps.ATOMIC_COMP_SWAP | DeviceCaps.ATOMIC_FETCH_ADD;
        out.set(INT, 108, (DeviceCaps.atomicOps(caps, 0) & atomics) != 0 ? Uverbs.ATOMIC_HCA : 0);
        out.set(INT, 144, DeviceCaps.maxAh(caps, 0));
        out.set(INT, 156, DeviceCaps.maxSrq(caps, 0));
        out.set(INT, 160, DeviceCaps.maxSrqWr(caps, 0));
        out.set(INT, 164, DeviceCaps.maxSrqSge(caps, 0));
        out.set(ValueLayout.JAVA_SHORT_UNALIGNED, 168, (short) DeviceCaps.maxPkeys(caps, 0));
        out.set(ValueLayout.JAVA_BYTE, 170, (byte) DeviceCaps.localCaAckDelay(caps, 0));
        out.set(ValueLayout.JAVA_BYTE, 171, (byte) DeviceCaps.physPortCnt(caps, 0));
        call.length = Uverbs.QUERY_DEVICE_RESPONSE;
    }

    /** {@code struct ib_uverbs_ex_query_device_resp}: nothing in it but the flags is more than the older command tells. */
    static void extendedDevice(MemorySegment caps, Commands.Call call) {
        device(caps, call);
        MemorySegment out = call.out;
        call.length = Math.min(call.room, Uverbs.ExQueryDevice.RESPONSE_SIZE);
        out.set(INT, Uverbs.ExQueryDevice.RESPONSE_LENGTH, call.length);
        out.set(LONG, Uverbs.ExQueryDevice.DEVICE_CAP_FLAGS_EX, Integer.toUnsignedLong(out.get(INT, DEVICE_CAP_FLAGS)));
    }

    /** {@code struct ib_uverbs_query_port_resp}. */
    static void port(MemorySegment attributes, Commands.Call call) {
        MemorySegment out = call.out;
        out.set(INT, 0, PortAttr.portCapFlags(attributes, 0));
        out.set(INT, 4, PortAttr.maxMsgSz(attributes, 0));
        out.set(INT, 8, PortAttr.badPkeyCntr(attributes, 0));
        out.set(INT, 12, PortAttr.qkeyViolCntr(attributes, 0));
        out.set(INT, 16, PortAttr.gidTblLen(attributes, 0));
        out.set(ValueLayout.JAVA_SHORT_UNALIGNED, 20, (short) PortAttr.pkeyTblLen(attributes, 0));
        out.set(ValueLayout.JAVA_SHORT_UNALIGNED, 22, (short) PortAttr.lid(attributes, 0));
        out.set(ValueLayout.JAVA_SHORT_UNALIGNED, 24, (short) PortAttr.smLid(attributes, 0));
        int[] bytes = {
            PortAttr.state(attributes, 0),
            PortAttr.maxMtu(attributes, 0),
            PortAttr.activeMtu(attributes, 0),
            PortAttr.lmc(attributes, 0),
            PortAttr.maxVlNum(attributes, 0),
            PortAttr.smSl(attributes, 0),
            PortAttr.subnetTimeout(attributes, 0),
            PortAttr.initTypeReply(attributes, 0),
            PortAttr.activeWidth(attributes, 0),
            PortAttr.activeSpeed(attributes, 0),
            PortAttr.physState(attributes, 0),
            Uverbs.LINK_LAYER_ETHERNET
        };
        for (int i = 0; i < bytes.length; i++) {
            out.set(ValueLayout.JAVA_BYTE, 26 + i, (byte) bytes[i]);
        }
        call.length = Uverbs.QUERY_PORT_RESPONSE;
    }

    private DeviceForm() {}
}
