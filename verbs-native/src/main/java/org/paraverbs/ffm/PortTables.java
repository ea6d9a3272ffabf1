// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.paraverbs.ffm.lib.DeviceVerbs;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.struct.IbvGidEntry;
import org.paraverbs.ffm.struct.IbvPortAttr;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Mtu;
import org.paraverbs.verbs.PortAttributes;
import org.paraverbs.verbs.PortState;
import org.paraverbs.verbs.VerbsException;

/**
 * The ports of an open device: their attributes, GIDs and partition keys. Everything here is called while the context, or
 * something of it, is open.
 */
final class PortTables {
    private final long context;
    private final String device;
    private final String sysfsFolder;
    private final int portCount;
    private final Advice advice;

    /**
     * The ports of a device.
     *
     * @param context the {@code ibv_context}
     * @param device the name of the device
     * @param sysfsFolder its folder in sysfs
     * @param portCount how many it has
     * @param advice of the context
     */
    PortTables(long context, String device, String sysfsFolder, int portCount, Advice advice) {
        this.context = context;
        this.device = device;
        this.sysfsFolder = sysfsFolder;
        this.portCount = portCount;
        this.advice = advice;
    }

    PortAttributes query(int port) {
        checkPort("ibv_query_port", port);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(IbvPortAttr.SIZE, Integer.BYTES);
            NativeCall.zero(
                    "ibv_query_port",
                    portOf(port),
                    advice::port,
                    () -> DeviceVerbs.queryPort(context, (byte) port, answer));
            return new PortAttributes(
                    port,
                    PortState.ofCode(IbvPortAttr.state(answer)),
                    mtu(IbvPortAttr.maxMtu(answer)),
                    mtu(IbvPortAttr.activeMtu(answer)),
                    IbvPortAttr.gidTblLen(answer),
                    IbvPortAttr.pkeyTblLen(answer),
                    IbvPortAttr.portCapFlags(answer),
                    Integer.toUnsignedLong(IbvPortAttr.maxMsgSz(answer)),
                    IbvPortAttr.lid(answer),
                    IbvPortAttr.smLid(answer),
                    IbvPortAttr.activeWidth(answer),
                    IbvPortAttr.activeSpeed(answer),
                    IbvPortAttr.physState(answer),
                    LinkLayer.ofCode(IbvPortAttr.linkLayer(answer)));
        }
    }

    /** A port that is down may report an MTU of 0, and a newer device one that we do not know: the nearest known. */
    private static Mtu mtu(int code) {
        return Mtu.ofCode(Math.clamp(code, Mtu.MTU_256.code(), Mtu.MTU_4096.code()));
    }

    /** The library takes 8 bits of a port number and looks at no others. */
    private void checkPort(String verb, int port) {
        if (hasNoPort(port)) {
            throw new VerbsException(verb, portOf(port), Errno.EINVAL, advice.port(Errno.EINVAL.number()));
        }
    }

    boolean hasNoPort(int port) {
        return port < 1 || port > portCount;
    }

    String noPort(int port) {
        return "there is no port " + port + ", the device has ports 1 to " + portCount;
    }

    private String portOf(int port) {
        return "port " + port + " of " + device;
    }

    Gid gid(int port, int index) {
        checkPort("ibv_query_gid", port);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(Gid.BYTES, Long.BYTES);
            NativeCall.nonNegative(
                    "ibv_query_gid",
                    portOf(port) + ", index " + index,
                    errno -> tableAdvice(errno, "GID", query(port).gidTableLength()),
                    errno -> DeviceVerbs.queryGid(errno, context, (byte) port, index, answer));
            return Gid.of(answer.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private String tableAdvice(int errno, String table, int length) {
        String general = advice.general(errno);
        return general.isEmpty() ? "the " + table + " table of this port has entries 0 to " + (length - 1) : general;
    }

    List<GidEntry> gids(int port) {
        int length = query(port).gidTableLength();
        return DeviceVerbs.hasQueryGidTable() ? gidTable(port, length) : gidsOneByOne(port, length);
    }

    private List<GidEntry> gidTable(int port, int length) {
        long limit = (long) length * portCount;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(limit * IbvGidEntry.SIZE, Long.BYTES);
            int count = (int) DeviceVerbs.queryGidTable(context, answer, limit);
            NativeCall.zero("ibv_query_gid_table", portOf(port), advice::general, () -> Math.max(0, -count));
            List<GidEntry> entries = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                MemorySegment entry = answer.asSlice(i * IbvGidEntry.SIZE, IbvGidEntry.SIZE);
                Gid gid = Gid.of(IbvGidEntry.gid(entry).toArray(ValueLayout.JAVA_BYTE));
                if (IbvGidEntry.portNum(entry) == port && !gid.isEmpty()) {
                    entries.add(new GidEntry(
                            IbvGidEntry.gidIndex(entry), port, gid, GidType.ofCode(IbvGidEntry.gidType(entry))));
                }
            }
            return entries;
        }
    }

    private List<GidEntry> gidsOneByOne(int port, int length) {
        List<GidEntry> entries = new ArrayList<>();
        for (int index = 0; index < length; index++) {
            Gid gid = gid(port, index);
            if (!gid.isEmpty()) {
                entries.add(new GidEntry(index, port, gid, gidTypeInSysfs(port, index)));
            }
        }
        return entries;
    }

    /** Where libibverbs is older than rdma-core 32: the kernel tells the type since Linux 4.5. */
    private GidType gidTypeInSysfs(int port, int index) {
        Path file = Path.of(sysfsFolder, "ports", String.valueOf(port), "gid_attrs", "types", String.valueOf(index));
        try {
            return switch (Files.readString(file).strip()) {
                case "RoCE v2" -> GidType.ROCE_V2;
                // The kernel gives version 1 the name of InfiniBand, whose packets it carries.
                case "IB/RoCE v1" ->
                    query(port).linkLayer() == LinkLayer.ETHERNET ? GidType.ROCE_V1 : GidType.INFINIBAND;
                default -> GidType.UNKNOWN;
            };
        } catch (IOException e) {
            return GidType.UNKNOWN;
        }
    }

    int pkey(int port, int index) {
        checkPort("ibv_query_pkey", port);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(ValueLayout.JAVA_SHORT);
            NativeCall.nonNegative(
                    "ibv_query_pkey",
                    portOf(port) + ", index " + index,
                    errno -> tableAdvice(errno, "partition key", query(port).pkeyTableLength()),
                    errno -> DeviceVerbs.queryPkey(errno, context, (byte) port, index, answer));
            // In network byte order.
            return Short.toUnsignedInt(Short.reverseBytes(answer.get(ValueLayout.JAVA_SHORT, 0)));
        }
    }
}
