// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.paraverbs.pvrdma.abi.AccessFlags;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.DeviceAttributes;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;

/** From the device's layouts to the records of the verbs interface, and flags both ways. */
final class Attributes {
    private static final int PART_ID = 0x0820;
    private static final int COMPLETION_VECTORS = 1;
    private static final int ATOMIC_NONE = 0;
    private static final int ATOMIC_WITHIN_DEVICE = 1;

    static DeviceAttributes device(MemorySegment caps) {
        return new DeviceAttributes(
                firmware(DeviceCaps.fwVer(caps, 0)),
                DeviceCaps.nodeGuid(caps, 0),
                DeviceCaps.sysImageGuid(caps, 0),
                DeviceCaps.maxMrSize(caps, 0),
                DeviceCaps.pageSizeCap(caps, 0),
                DeviceCaps.vendorId(caps, 0),
                PART_ID, // the driver gives the PCI device's number, not the capability
                DeviceCaps.hwVer(caps, 0),
                DeviceCaps.maxQp(caps, 0),
                DeviceCaps.maxQpWr(caps, 0),
                DeviceCaps.deviceCapFlags(caps, 0),
                DeviceCaps.maxSge(caps, 0),
                DeviceCaps.maxSgeRd(caps, 0),
                DeviceCaps.maxCq(caps, 0),
                DeviceCaps.maxCqe(caps, 0),
                DeviceCaps.maxMr(caps, 0),
                DeviceCaps.maxPd(caps, 0),
                DeviceCaps.maxQpRdAtom(caps, 0),
                DeviceCaps.maxQpInitRdAtom(caps, 0),
                hasAtomics(caps) ? ATOMIC_WITHIN_DEVICE : ATOMIC_NONE,
                DeviceCaps.maxSrq(caps, 0),
                DeviceCaps.maxSrqWr(caps, 0),
                DeviceCaps.maxSrqSge(caps, 0),
                DeviceCaps.maxAh(caps, 0),
                DeviceCaps.maxPkeys(caps, 0),
                DeviceCaps.physPortCnt(caps, 0),
                COMPLETION_VECTORS);
    }

    /** As the driver asks it (pvrdma_verbs.c). */
    static boolean hasAtomics(MemorySegment caps) {
        return (DeviceCaps.atomicOps(caps, 0) & (DeviceCaps.ATOMIC_COMP_SWAP | DeviceCaps.ATOMIC_FETCH_ADD)) != 0;
    }

    /** As the provider writes it: two numbers, and one of three digits. */
    private static String firmware(long version) {
        int low = (int) version & 0xffff;
        return (version >>> 32 & 0xffff) + "." + (version >>> 16 & 0xffff) + "."
                + (low < 100 ? (low < 10 ? "00" : "0") : "") + low;
    }

    static PortAttributes port(int port, MemorySegment attributes) {
        return new PortAttributes(
                port,
                PortState.ofCode(PortAttr.state(attributes, 0)),
                Mtu.ofCode(PortAttr.maxMtu(attributes, 0)),
                Mtu.ofCode(PortAttr.activeMtu(attributes, 0)),
                PortAttr.gidTblLen(attributes, 0),
                PortAttr.pkeyTblLen(attributes, 0),
                PortAttr.portCapFlags(attributes, 0),
                Integer.toUnsignedLong(PortAttr.maxMsgSz(attributes, 0)),
                PortAttr.lid(attributes, 0),
                PortAttr.smLid(attributes, 0),
                PortAttr.activeWidth(attributes, 0),
                PortAttr.activeSpeed(attributes, 0),
                PortAttr.physState(attributes, 0),
                LinkLayer.ETHERNET);
    }

    static GidType gidType(int type) {
        return type == org.paraverbs.pvrdma.abi.GidType.ROCE_V2 ? GidType.ROCE_V2 : GidType.ROCE_V1;
    }

    static int accessFlags(Set<Access> access) {
        int flags = 0;
        for (Access right : access) {
            flags |= flag(right);
        }
        return flags;
    }

    static Set<Access> access(int flags) {
        Set<Access> access = EnumSet.noneOf(Access.class);
        for (Access right : Access.values()) {
            if ((flags & flag(right)) != 0) {
                access.add(right);
            }
        }
        return access;
    }

    private static int flag(Access right) {
        return switch (right) {
            case LOCAL_WRITE -> AccessFlags.ACCESS_LOCAL_WRITE;
            case REMOTE_WRITE -> AccessFlags.ACCESS_REMOTE_WRITE;
            case REMOTE_READ -> AccessFlags.ACCESS_REMOTE_READ;
            case REMOTE_ATOMIC -> AccessFlags.ACCESS_REMOTE_ATOMIC;
            // The device has no windows, and its driver takes no such right.
            case MEMORY_WINDOW_BIND -> 0;
        };
    }

    private Attributes() {}
}
