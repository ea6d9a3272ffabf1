// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.front.uverbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.GidType;
import org.paraverbs.pvrdma.guest.kernel.GidTableEntry;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.verbs.Gid;

/**
 * The part of {@code /sys} by which libibverbs finds a device and its provider (Linux, Documentation/ABI/stable/sysfs-class-infiniband
 * and sysfs-driver-ib_uverbs). GIDs are read at each query, so a file that is written anew changes them for programs that run.
 */
final class SysfsTree {
    private static final int UVERBS_ABI = 6;
    private static final int DRIVER_ABI = 3;
    private static final HexFormat HEX = HexFormat.of();

    private final Path root;
    private final PvrdmaDriver driver;

    SysfsTree(Path root, PvrdmaDriver driver) {
        this.root = root;
        this.driver = driver;
    }

    /** Writes all of it. */
    void write() throws IOException {
        Path uverbs = root.resolve("class/infiniband_verbs");
        put(uverbs.resolve("abi_version"), Integer.toString(UVERBS_ABI));
        put(uverbs.resolve("uverbs0/ibdev"), driver.name());
        put(uverbs.resolve("uverbs0/dev"), "231:192");
        put(uverbs.resolve("uverbs0/abi_version"), Integer.toString(DRIVER_ABI));
        Path device = root.resolve("class/infiniband").resolve(driver.name());
        put(device.resolve("device/modalias"), "pci:v000015ADd00000820sv000015ADsd00000820bc02sc80i00");
        put(device.resolve("node_type"), "1: CA");
        put(device.resolve("node_desc"), driver.name());
        put(device.resolve("node_guid"), groups(HEX.toHexDigits(DeviceCaps.nodeGuid(driver.deviceCaps(), 0))));
        put(device.resolve("ports/1/pkeys/0"), "0xffff");
        for (int index = 0; index < DeviceCaps.gidTblLen(driver.deviceCaps(), 0); index++) {
            writeGid(index);
        }
    }

    /** Writes an entry of the GID table as the driver has it now. */
    void writeGid(int index) throws IOException {
        Path port = root.resolve("class/infiniband").resolve(driver.name()).resolve("ports/1");
        @Nullable GidTableEntry entry = driver.queryGid(1, index);
        Gid gid = entry == null ? Gid.EMPTY : entry.gid();
        String name = Integer.toString(index);
        put(port.resolve("gids").resolve(name), groups(HEX.toHexDigits(gid.high()) + HEX.toHexDigits(gid.low())));
        // reading the type of an empty entry fails in a kernel; libibverbs wants to read one, and then skips the entry
        put(
                port.resolve("gid_attrs/types").resolve(name),
                DeviceCaps.gidTypes(driver.deviceCaps(), 0) == GidType.ROCE_V2 ? "RoCE v2" : "IB/RoCE v1");
    }

    /** Four digits, a colon, and so on. */
    private static String groups(String digits) {
        return digits.replaceAll("(.{4})(?!$)", "$1:");
    }

    private static void put(Path file, String line) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, line + "\n");
    }
}
