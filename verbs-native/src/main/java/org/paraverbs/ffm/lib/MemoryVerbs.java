// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;
import static org.paraverbs.ffm.lib.Native.SIZE;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.paraverbs.ffm.struct.IbvConstants;

/** Memory regions. Registering answers with NULL and {@code errno}. */
public final class MemoryVerbs {
    private MemoryVerbs() {}

    /**
     * {@code ibv_reg_mr} as the macro in verbs.h does it: for rights that the compiler does not know, a C program calls
     * {@code ibv_reg_mr_iova2} (rdma-core 28), which leaves out the optional rights that the kernel does not know. An
     * older library has no optional rights, and there the plain symbol is right.
     *
     * @param errno takes the error number
     * @param pd the protection domain
     * @param address the first byte
     * @param byteSize the number of bytes
     * @param requestAddress the address in requests, another one only if {@link #registersAtAddress}
     * @param access {@code enum ibv_access_flags}
     */
    public static long registerMemory(
            MemorySegment errno, long pd, long address, long byteSize, long requestAddress, int access) {
        try {
            if (registersAtAddress()) {
                return (long) RegisterIova2.HANDLE.invokeExact(errno, pd, address, byteSize, requestAddress, access);
            }
            int required = access & ~IbvConstants.IBV_ACCESS_OPTIONAL_RANGE;
            return (long) Register.HANDLE.invokeExact(errno, pd, address, byteSize, required);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    /** Whether memory can be registered under another address: since rdma-core 28. */
    public static boolean registersAtAddress() {
        return IbverbsLibrary.find("ibv_reg_mr_iova2") != null;
    }

    private static final class RegisterIova2 {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_reg_mr_iova2",
                FunctionDescriptor.of(POINTER, POINTER, POINTER, SIZE, POINTER, INT),
                CapturedErrno.CAPTURE);
    }

    private static final class Register {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_reg_mr", FunctionDescriptor.of(POINTER, POINTER, POINTER, SIZE, INT), CapturedErrno.CAPTURE);
    }

    /** 0, or an error number. */
    public static int deregisterMemory(long region) {
        try {
            return (int) DeregisterMemory.HANDLE.invokeExact(region);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class DeregisterMemory {
        static final MethodHandle HANDLE = IbverbsLibrary.function("ibv_dereg_mr", FunctionDescriptor.of(INT, POINTER));
    }

    /**
     * Changes a region.
     *
     * @param errno takes the error number
     * @param region the {@code ibv_mr}, which gets the new keys
     * @param flags {@code enum ibv_rereg_mr_flags}: which of the following count
     * @param pd the protection domain
     * @param address the first byte
     * @param byteSize the number of bytes
     * @param access {@code enum ibv_access_flags}; 0 if it does not count
     * @return 0, or of {@code enum ibv_rereg_mr_err_code}
     */
    public static int reregisterMemory(
            MemorySegment errno, long region, int flags, long pd, long address, long byteSize, int access) {
        try {
            return (int) Reregister.HANDLE.invokeExact(errno, region, flags, pd, address, byteSize, access);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Reregister {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_rereg_mr",
                FunctionDescriptor.of(INT, POINTER, INT, POINTER, POINTER, SIZE, INT),
                CapturedErrno.CAPTURE);
    }

    /** Whether {@link #registerDmaBuf} is there: since rdma-core 34. */
    public static boolean hasDmaBuf() {
        return IbverbsLibrary.find("ibv_reg_dmabuf_mr") != null;
    }

    /**
     * Registers a part of a dma-buf.
     *
     * @param errno takes the error number
     * @param pd the protection domain
     * @param offset the first byte within the dma-buf
     * @param byteSize the number of bytes
     * @param requestAddress the address in requests
     * @param descriptor the file descriptor
     * @param access {@code enum ibv_access_flags}
     */
    public static long registerDmaBuf(
            MemorySegment errno, long pd, long offset, long byteSize, long requestAddress, int descriptor, int access) {
        try {
            return (long)
                    RegisterDmaBuf.HANDLE.invokeExact(errno, pd, offset, byteSize, requestAddress, descriptor, access);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class RegisterDmaBuf {
        static final MethodHandle HANDLE = IbverbsLibrary.function(
                "ibv_reg_dmabuf_mr",
                FunctionDescriptor.of(POINTER, POINTER, POINTER, SIZE, POINTER, INT, INT),
                CapturedErrno.CAPTURE);
    }
}
