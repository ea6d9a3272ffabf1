// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_global_route}: the global route header of an address. */
public final class IbvGlobalRoute {
    public static final long SIZE = 24;

    private static final long DGID = 0;
    private static final long FLOW_LABEL = 16;
    private static final long SGID_INDEX = 20;
    private static final long HOP_LIMIT = 21;
    private static final long TRAFFIC_CLASS = 22;

    private IbvGlobalRoute() {}

    public static MemorySegment dgid(MemorySegment route) {
        return route.asSlice(DGID, 16);
    }

    public static int flowLabel(MemorySegment route) {
        return route.get(JAVA_INT, FLOW_LABEL);
    }

    public static void flowLabel(MemorySegment route, int value) {
        route.set(JAVA_INT, FLOW_LABEL, value);
    }

    public static int sgidIndex(MemorySegment route) {
        return Byte.toUnsignedInt(route.get(JAVA_BYTE, SGID_INDEX));
    }

    public static void sgidIndex(MemorySegment route, int value) {
        route.set(JAVA_BYTE, SGID_INDEX, (byte) value);
    }

    public static int hopLimit(MemorySegment route) {
        return Byte.toUnsignedInt(route.get(JAVA_BYTE, HOP_LIMIT));
    }

    public static void hopLimit(MemorySegment route, int value) {
        route.set(JAVA_BYTE, HOP_LIMIT, (byte) value);
    }

    public static int trafficClass(MemorySegment route) {
        return Byte.toUnsignedInt(route.get(JAVA_BYTE, TRAFFIC_CLASS));
    }

    public static void trafficClass(MemorySegment route, int value) {
        route.set(JAVA_BYTE, TRAFFIC_CLASS, (byte) value);
    }
}
