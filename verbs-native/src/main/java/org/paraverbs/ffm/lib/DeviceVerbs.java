// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.BYTE;
import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;
import static org.paraverbs.ffm.lib.Native.SEGMENT;
import static org.paraverbs.ffm.lib.Native.SIZE;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.paraverbs.ffm.struct.IbvContext;
import org.paraverbs.ffm.struct.IbvGidEntry;
import org.paraverbs.ffm.struct.VerbsContext;

/**
 * Finding, opening and asking devices. Each function has a holder class, so that it is linked when first used.
 */
public final class DeviceVerbs {
    private DeviceVerbs() {}

    /** An array of pointers to {@code ibv_device}; NULL and {@code ENOSYS} on a kernel without RDMA. */
    public static long getDeviceList(MemorySegment errno, MemorySegment count) {
        try {
            return (long) GetDeviceList.HANDLE.invokeExact(errno, count);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class GetDeviceList {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_get_device_list", FunctionDescriptor.of(POINTER, SEGMENT), CapturedErrno.CAPTURE);
    }

    /** Frees the array. It must not be NULL: the library does not check. */
    public static void freeDeviceList(long list) {
        try {
            FreeDeviceList.HANDLE.invokeExact(list);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class FreeDeviceList {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_free_device_list", FunctionDescriptor.ofVoid(POINTER));
    }

    /** The address of the name in the {@code ibv_device}. */
    public static long getDeviceName(long device) {
        try {
            return (long) GetDeviceName.HANDLE.invokeExact(device);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class GetDeviceName {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_get_device_name", FunctionDescriptor.of(POINTER, POINTER));
    }

    /** The GUID as it is in memory: in network byte order. */
    public static long getDeviceGuid(long device) {
        try {
            return (long) GetDeviceGuid.HANDLE.invokeExact(device);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class GetDeviceGuid {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_get_device_guid", FunctionDescriptor.of(POINTER, POINTER));
    }

    public static long openDevice(MemorySegment errno, long device) {
        try {
            return (long) OpenDevice.HANDLE.invokeExact(errno, device);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class OpenDevice {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_open_device", FunctionDescriptor.of(POINTER, POINTER), CapturedErrno.CAPTURE);
    }

    /** 0, or -1 and {@code errno}. */
    public static int closeDevice(MemorySegment errno, long context) {
        try {
            return (int) CloseDevice.HANDLE.invokeExact(errno, context);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class CloseDevice {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_close_device", FunctionDescriptor.of(INT, POINTER), CapturedErrno.CAPTURE);
    }

    /** 0, or an error number. */
    public static int queryDevice(long context, MemorySegment attributes) {
        try {
            return (int) QueryDevice.HANDLE.invokeExact(context, attributes);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class QueryDevice {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_query_device", FunctionDescriptor.of(INT, POINTER, SEGMENT));
    }

    /** Whether {@link #queryDeviceEx} can be called. */
    public static boolean hasQueryDeviceEx(long context) {
        return IbvContext.abiCompat(Native.struct(context, IbvContext.SIZE)) == VerbsContext.PRESENT
                && VerbsContext.hasQueryDeviceEx(Native.struct(context - VerbsContext.REACH, VerbsContext.REACH));
    }

    /**
     * {@code ibv_query_device_ex}, which is inline. 0, or an error number.
     *
     * @param context the open device
     * @param attributes the struct to fill, zero
     */
    public static int queryDeviceEx(long context, MemorySegment attributes) {
        long function = VerbsContext.queryDeviceEx(Native.struct(context - VerbsContext.REACH, VerbsContext.REACH));
        try {
            return (int) QueryDeviceEx.HANDLE.invokeExact(
                    MemorySegment.ofAddress(function), context, 0L, attributes, attributes.byteSize());
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class QueryDeviceEx {
        static final MethodHandle HANDLE =
                Native.pointerFunction(FunctionDescriptor.of(INT, POINTER, POINTER, SEGMENT, SIZE));
    }

    /** 0, or -1 and {@code errno}. */
    public static int queryGid(MemorySegment errno, long context, byte port, int index, MemorySegment gid) {
        try {
            return (int) QueryGid.HANDLE.invokeExact(errno, context, port, index, gid);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class QueryGid {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_query_gid", FunctionDescriptor.of(INT, POINTER, BYTE, INT, SEGMENT), CapturedErrno.CAPTURE);
    }

    /** 0, or -1 and {@code errno}. */
    public static int queryPkey(MemorySegment errno, long context, byte port, int index, MemorySegment pkey) {
        try {
            return (int) QueryPkey.HANDLE.invokeExact(errno, context, port, index, pkey);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class QueryPkey {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_query_pkey", FunctionDescriptor.of(INT, POINTER, BYTE, INT, SEGMENT), CapturedErrno.CAPTURE);
    }

    /** Whether {@link #queryGidTable} is there: since rdma-core 32. */
    public static boolean hasQueryGidTable() {
        return IbverbsLibrary.find("_ibv_query_gid_table") != null;
    }

    /**
     * {@code ibv_query_gid_table}, which is inline and passes the size of the entry that it knows.
     *
     * @param context the open device
     * @param entries where the used entries of all ports go
     * @param limit how many entries there is room for
     * @return how many there are, or a negative error number
     */
    public static long queryGidTable(long context, MemorySegment entries, long limit) {
        try {
            return (long) QueryGidTable.HANDLE.invokeExact(context, entries, limit, 0, IbvGidEntry.SIZE);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class QueryGidTable {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "_ibv_query_gid_table", FunctionDescriptor.of(SIZE, POINTER, SEGMENT, SIZE, INT, SIZE));
    }

    /**
     * {@code ibv_query_port} as the macro in verbs.h does it. The symbol of that name is for programs of before 2017: it
     * fills the struct of that time only, so that {@code flags} and {@code port_cap_flags2} keep what was there. 0, or an
     * error number.
     *
     * @param context the open device
     * @param port from 1
     * @param attributes the struct to fill, zero
     */
    public static int queryPort(long context, byte port, MemorySegment attributes) {
        MemorySegment fields = Native.struct(context, IbvContext.SIZE);
        try {
            if (IbvContext.abiCompat(fields) == VerbsContext.PRESENT) {
                MemorySegment extended = Native.struct(context - VerbsContext.REACH, VerbsContext.REACH);
                if (VerbsContext.hasQueryPort(extended)) {
                    MemorySegment function = MemorySegment.ofAddress(VerbsContext.queryPort(extended));
                    return (int)
                            QueryPort.HANDLE.invokeExact(function, context, port, attributes, attributes.byteSize());
                }
            }
            return (int) LegacyQueryPort.HANDLE.invokeExact(context, port, attributes);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class QueryPort {
        static final MethodHandle HANDLE =
                Native.pointerFunction(FunctionDescriptor.of(INT, POINTER, BYTE, SEGMENT, SIZE));
    }

    private static final class LegacyQueryPort {
        static final MethodHandle HANDLE =
                IbverbsLibrary.function("ibv_query_port", FunctionDescriptor.of(INT, POINTER, BYTE, SEGMENT));
    }
}
