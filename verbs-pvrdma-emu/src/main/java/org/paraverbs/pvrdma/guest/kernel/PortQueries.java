// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.PortAttr;
import org.paraverbs.pvrdma.abi.PortCapFlags;
import org.paraverbs.pvrdma.abi.QueryPkey;
import org.paraverbs.pvrdma.abi.QueryPort;
import org.paraverbs.verbs.Errno;

/** What is asked about the ports of a device (pvrdma_verbs.c). */
final class PortQueries {
    private final Parts parts;
    private final GidTable gids;

    PortQueries(Parts parts, GidTable gids) {
        this.parts = parts;
        this.gids = gids;
    }

    int count() {
        return DeviceCaps.physPortCnt(parts.caps(), 0);
    }

    private void require(Call call, int port) {
        if (port < 1 || port > count()) {
            throw call.failure(Errno.EINVAL, "there is no such port, the device has ports 1 to " + count());
        }
    }

    MemorySegment port(int port) {
        Call call = Call.of("ibv_query_port", () -> parts.name() + " port " + port);
        require(call, port);
        MemorySegment attributes = MemorySegment.ofArray(new byte[PortAttr.SIZE]);
        parts.commands()
                .ask(
                        call,
                        CommandCode.QUERY_PORT,
                        command -> QueryPort.portNum(command, 0, port),
                        response ->
                                attributes.copyFrom(response.asSlice(QueryPort.Response.ATTRS_OFFSET, PortAttr.SIZE)));
        PortAttr.portCapFlags(
                attributes, 0, PortAttr.portCapFlags(attributes, 0) | PortCapFlags.CM_SUP | PortCapFlags.IP_BASED_GIDS);
        return attributes;
    }

    int pkey(int port, int index) {
        Call call = Call.of("ibv_query_pkey", () -> parts.name() + " port " + port + " pkey index " + index);
        require(call, port);
        int entries = PortAttr.pkeyTblLen(port(port), 0);
        if (index < 0 || index >= entries) {
            throw call.failure(Errno.EINVAL, "the table has " + entries + " entries");
        }
        return parts.commands()
                .ask(
                        call,
                        CommandCode.QUERY_PKEY,
                        command -> {
                            QueryPkey.portNum(command, 0, port);
                            QueryPkey.index(command, 0, index);
                        },
                        response -> QueryPkey.Response.pkey(response, 0));
    }

    @Nullable
    GidTableEntry gid(int port, int index) {
        Call call = Call.of("ibv_query_gid", () -> parts.name() + " port " + port + " GID index " + index);
        require(call, port);
        if (index < 0 || index >= gids.length()) {
            throw call.failure(Errno.EINVAL, "the table has " + gids.length() + " entries");
        }
        return gids.get(index);
    }
}
