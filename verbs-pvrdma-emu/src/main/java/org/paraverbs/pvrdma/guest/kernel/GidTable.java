// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.abi.CommandCode;
import org.paraverbs.pvrdma.abi.CreateBind;
import org.paraverbs.pvrdma.abi.DestroyBind;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.verbs.Errno;

/** The GIDs of the port: the kernel keeps the table, and binds each entry at the device. */
final class GidTable {
    private static final int NO_VLAN = 0xfff;

    /** Always this, whatever the network's MTU is (pvrdma_main.c). */
    private static final int BIND_MTU = 1024;

    private final Parts parts;
    private final AtomicReferenceArray<@Nullable GidTableEntry> entries;

    GidTable(Parts parts) {
        this.parts = parts;
        this.entries = new AtomicReferenceArray<>(DeviceCaps.gidTblLen(parts.caps(), 0));
    }

    int length() {
        return entries.length();
    }

    /** The entry at an index within the table, or null if it is empty. */
    @Nullable
    GidTableEntry get(int index) {
        return entries.get(index);
    }

    synchronized void add(int index, GidTableEntry entry) {
        Call call = Call.of("add_gid", () -> "GID " + entry.gid() + " at index " + index + " of " + parts.name());
        requireIndex(call, index);
        parts.commands().tell(call, CommandCode.CREATE_BIND, command -> {
            CreateBind.newGidHigh(command, 0, entry.gid().high());
            CreateBind.newGidLow(command, 0, entry.gid().low());
            CreateBind.mtu(command, 0, BIND_MTU);
            CreateBind.vlan(command, 0, NO_VLAN);
            CreateBind.index(command, 0, index);
            CreateBind.gidType(command, 0, entry.type());
        });
        entries.set(index, entry);
    }

    synchronized void remove(int index) {
        Call call = Call.of("del_gid", () -> "GID index " + index + " of " + parts.name());
        requireIndex(call, index);
        GidTableEntry entry = entries.get(index);
        if (entry == null) {
            throw call.failure(Errno.ENODATA, "the entry is empty");
        }
        parts.commands().tell(call, CommandCode.DESTROY_BIND, command -> {
            DestroyBind.index(command, 0, index);
            DestroyBind.destGidHigh(command, 0, entry.gid().high());
            DestroyBind.destGidLow(command, 0, entry.gid().low());
        });
        entries.set(index, null);
    }

    private void requireIndex(Call call, int index) {
        if (index < 0 || index >= entries.length()) {
            throw call.failure(Errno.EINVAL, "there is no such index: the table has " + entries.length() + " entries");
        }
    }
}
