// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_gid_entry}: one entry of the GID table with its type, {@code ibv_query_gid_ex(3)}. */
public final class IbvGidEntry {
    public static final long SIZE = 32;

    private static final long GID = 0;
    private static final long GID_INDEX = 16;
    private static final long PORT_NUM = 20;
    private static final long GID_TYPE = 24;
    private static final long NDEV_IFINDEX = 28;

    private IbvGidEntry() {}

    public static MemorySegment gid(MemorySegment entry) {
        return entry.asSlice(GID, 16);
    }

    public static int gidIndex(MemorySegment entry) {
        return entry.get(JAVA_INT, GID_INDEX);
    }

    public static int portNum(MemorySegment entry) {
        return entry.get(JAVA_INT, PORT_NUM);
    }

    public static int gidType(MemorySegment entry) {
        return entry.get(JAVA_INT, GID_TYPE);
    }

    public static int ndevIfindex(MemorySegment entry) {
        return entry.get(JAVA_INT, NDEV_IFINDEX);
    }
}
