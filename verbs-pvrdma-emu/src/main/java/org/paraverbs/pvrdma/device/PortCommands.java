// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.CreateBind;
import org.paraverbs.pvrdma.abi.DestroyBind;
import org.paraverbs.pvrdma.abi.Mtu;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.abi.PortCapFlags;
import org.paraverbs.pvrdma.abi.PortState;
import org.paraverbs.pvrdma.abi.QueryPkey;
import org.paraverbs.pvrdma.abi.QueryPort;

/** The commands about the port: its attributes, its partition key table, its GID table. */
final class PortCommands {
    /** The only entry of the partition key table: the default partition, full membership. */
    private static final int DEFAULT_PKEY = 0xffff;

    private static final int WIDTH_4X = 2;
    private static final int SPEED_EDR = 32;
    private static final int PHYSICAL_LINK_UP = 5;

    private final DeviceCore core;

    PortCommands(DeviceCore core) {
        this.core = core;
    }

    void queryPort(MemorySegment command, MemorySegment response) throws RefusedException {
        requirePort(QueryPort.portNum(command, 0));
        long attr = QueryPort.Response.ATTRS_OFFSET;
        PortAttr.state(response, attr, PortState.ACTIVE);
        PortAttr.maxMtu(response, attr, Mtu.MTU_4096);
        PortAttr.activeMtu(response, attr, core.configuration.activeMtu());
        PortAttr.gidTblLen(response, attr, core.configuration.gidTableLength());
        PortAttr.portCapFlags(response, attr, PortCapFlags.CM_SUP | PortCapFlags.IP_BASED_GIDS);
        PortAttr.maxMsgSz(response, attr, (int) core.configuration.maxMessageSize());
        PortAttr.pkeyTblLen(response, attr, 1);
        PortAttr.maxVlNum(response, attr, 1);
        PortAttr.activeWidth(response, attr, WIDTH_4X);
        PortAttr.activeSpeed(response, attr, SPEED_EDR);
        PortAttr.physState(response, attr, PHYSICAL_LINK_UP);
    }

    void queryPkey(MemorySegment command, MemorySegment response) throws RefusedException {
        requirePort(QueryPkey.portNum(command, 0));
        RefusedException.unless(QueryPkey.index(command, 0) == 0, "no such partition key", QueryPkey.index(command, 0));
        QueryPkey.Response.pkey(response, 0, DEFAULT_PKEY);
    }

    void createBind(MemorySegment command) throws RefusedException {
        int index = CreateBind.index(command, 0);
        RefusedException.unless(core.gids.isIndex(index), "no such GID index", index);
        int type = CreateBind.gidType(command, 0);
        RefusedException.unless(type == core.configuration.gidType(), "not the GID type of this device", type);
        core.gids.set(index, CreateBind.newGidHigh(command, 0), CreateBind.newGidLow(command, 0));
        core.gidsChanged();
    }

    void destroyBind(MemorySegment command) throws RefusedException {
        int index = DestroyBind.index(command, 0);
        RefusedException.unless(core.gids.isIndex(index), "no such GID index", index);
        RefusedException.unless(
                core.gids.holds(index, DestroyBind.destGidHigh(command, 0), DestroyBind.destGidLow(command, 0)),
                "another GID is at index",
                index);
        core.gids.set(index, 0, 0);
        core.gidsChanged();
    }

    private static void requirePort(int port) throws RefusedException {
        RefusedException.unless(port == 1, "no such port", port);
    }
}
