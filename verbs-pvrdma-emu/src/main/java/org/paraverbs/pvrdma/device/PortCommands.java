// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.CreateBind;
import org.paraverbs.pvrdma.abi.DestroyBind;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.abi.PortCapFlags;
import org.paraverbs.pvrdma.abi.QueryPkey;
import org.paraverbs.pvrdma.abi.QueryPort;

/** The commands about the port: its attributes, its partition key table, its GID table. */
final class PortCommands {
    /** The only entry of the partition key table: the default partition, full membership. */
    private static final int DEFAULT_PKEY = 0xffff;

    /** What CREATE_BIND says instead of a VLAN. */
    private static final int NO_VLAN = 0xfff;

    private static final int WIDTH_4X = 2;
    private static final int SPEED_EDR = 32;

    private final DeviceCore core;

    PortCommands(DeviceCore core) {
        this.core = core;
    }

    void queryPort(MemorySegment command, MemorySegment response) throws RefusedException {
        requirePort(QueryPort.portNum(command, 0));
        long attr = QueryPort.Response.ATTRS_OFFSET;
        PortAttr.state(response, attr, core.port.state());
        PortAttr.maxMtu(response, attr, Mtu.MTU_4096);
        PortAttr.activeMtu(response, attr, core.configuration.activeMtu());
        PortAttr.gidTblLen(response, attr, core.configuration.limits().gidTableLength());
        PortAttr.portCapFlags(response, attr, PortCapFlags.CM_SUP | PortCapFlags.IP_BASED_GIDS);
        PortAttr.maxMsgSz(response, attr, (int) core.configuration.limits().maxMessageSize());
        PortAttr.qkeyViolCntr(response, attr, core.qkeyViolations);
        PortAttr.pkeyTblLen(response, attr, 1);
        PortAttr.maxVlNum(response, attr, 1);
        PortAttr.activeWidth(response, attr, WIDTH_4X);
        PortAttr.activeSpeed(response, attr, SPEED_EDR);
        PortAttr.physState(response, attr, core.port.physicalState());
    }

    void queryPkey(MemorySegment command, MemorySegment response) throws RefusedException {
        requirePort(QueryPkey.portNum(command, 0));
        int index = QueryPkey.index(command, 0);
        RefusedException.unless(index == 0, "the partition key table has one entry, and none at index", index);
        QueryPkey.Response.pkey(response, 0, DEFAULT_PKEY);
    }

    /**
     * Puts a GID in the table, in the place of one that is there. The Linux driver says MTU 1024 and no VLAN whatever the port has
     * (pvrdma_main.c), so neither decides anything here.
     */
    void createBind(MemorySegment command) throws RefusedException {
        int index = CreateBind.index(command, 0);
        core.limits.gidIndex.requireWithin(Integer.toUnsignedLong(index));
        int type = CreateBind.gidType(command, 0);
        RefusedException.unless(
                type == core.configuration.gidType(),
                "this device has GIDs of type " + core.configuration.gidType()
                        + " (1 is RoCE v1, 2 RoCE v2), and not of type",
                type);
        int mtu = CreateBind.mtu(command, 0);
        RefusedException.unless(isMtu(mtu), "an MTU of 256, 512, 1024, 2048 or 4096 bytes, and not", mtu);
        int vlan = CreateBind.vlan(command, 0);
        RefusedException.unless(
                Integer.compareUnsigned(vlan, NO_VLAN) <= 0, "a VLAN of 0 to 4094, or 4095 for none, and not", vlan);
        long high = CreateBind.newGidHigh(command, 0);
        long low = CreateBind.newGidLow(command, 0);
        if ((high | low) == 0) {
            throw RefusedException.invalid("the zero GID is that of an empty entry; DESTROY_BIND empties one");
        }
        core.gids.set(index, high, low);
        core.traffic.gidsChanged();
    }

    void destroyBind(MemorySegment command) throws RefusedException {
        int index = DestroyBind.index(command, 0);
        core.limits.gidIndex.requireWithin(Integer.toUnsignedLong(index));
        RefusedException.unless(
                core.gids.holds(index, DestroyBind.destGidHigh(command, 0), DestroyBind.destGidLow(command, 0)),
                "another GID or none is at index",
                index);
        core.gids.set(index, 0, 0);
        core.traffic.gidsChanged();
    }

    private static boolean isMtu(int bytes) {
        return Integer.bitCount(bytes) == 1 && bytes >= Mtu.bytes(Mtu.MTU_256) && bytes <= Mtu.bytes(Mtu.MTU_4096);
    }

    private static void requirePort(int port) throws RefusedException {
        RefusedException.unless(port == 1, "this device has port 1, and no port", port);
    }
}
