// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.paraverbs.ffm.lib.DeviceVerbs;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.struct.IbvDevice;

/** The devices that libibverbs lists. Their pointers are valid only until the list is freed, or for what was opened. */
final class DeviceList {

    private DeviceList() {}

    /**
     * Looks at each device of a new list.
     *
     * @param look what to make of a pointer to {@code ibv_device}, while the list lives
     * @throws org.paraverbs.verbs.VerbsException if there is no list: a kernel without RDMA (ENOSYS)
     */
    static <T> List<T> forEach(LongFunction<T> look) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            // NULL must not be freed, and is not: this throws.
            long list = NativeCall.nonNull(
                    "ibv_get_device_list", "", SystemDevices::noList, errno -> DeviceVerbs.getDeviceList(errno, count));
            try {
                int length = count.get(ValueLayout.JAVA_INT, 0);
                MemorySegment pointers = Native.struct(list, length * ValueLayout.ADDRESS.byteSize());
                List<T> seen = new ArrayList<>();
                for (int i = 0; i < length; i++) {
                    seen.add(look.apply(pointers.getAtIndex(ValueLayout.JAVA_LONG, i)));
                }
                return seen;
            } finally {
                DeviceVerbs.freeDeviceList(list);
            }
        }
    }

    static MemorySegment fields(long device) {
        return Native.struct(device, IbvDevice.SIZE);
    }

    static String name(long device) {
        return IbvDevice.name(fields(device));
    }

    /** The GUID, from network byte order. */
    static long guid(long device) {
        return Long.reverseBytes(DeviceVerbs.getDeviceGuid(device));
    }
}
