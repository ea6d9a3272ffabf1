// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct ibv_device}: one entry of the list that {@code ibv_get_device_list} returns. Private by intent,
 * public by use: the library itself reads the names from here.
 */
public final class IbvDevice {
    public static final long SIZE = 664;

    private static final long NODE_TYPE = 16;
    private static final long TRANSPORT_TYPE = 20;
    public static final long NAME = 24;
    private static final long DEV_NAME = 88;
    private static final long IBDEV_PATH = 408;

    private IbvDevice() {}

    public static int nodeType(MemorySegment device) {
        return device.get(JAVA_INT, NODE_TYPE);
    }

    public static int transportType(MemorySegment device) {
        return device.get(JAVA_INT, TRANSPORT_TYPE);
    }

    public static String name(MemorySegment device) {
        return FixedString.read(device, NAME, 64);
    }

    /** The uverbs device, such as {@code uverbs0}: the file under {@code /dev/infiniband}. */
    public static String devName(MemorySegment device) {
        return FixedString.read(device, DEV_NAME, 64);
    }

    /** The directory of the device in sysfs. */
    public static String ibdevPath(MemorySegment device) {
        return FixedString.read(device, IBDEV_PATH, 256);
    }
}
