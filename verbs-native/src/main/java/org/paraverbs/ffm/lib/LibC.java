// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import static org.paraverbs.ffm.lib.Native.INT;
import static org.paraverbs.ffm.lib.Native.POINTER;
import static org.paraverbs.ffm.lib.Native.SEGMENT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The few functions of the C library that waiting for events, huge pages and XRC domains need. All but {@code close} capture {@code errno}. */
public final class LibC {
    private LibC() {}

    /** How many descriptors have something to say, 0 after the timeout, or -1. */
    public static int poll(MemorySegment errno, MemorySegment descriptors, long count, int timeoutMs) {
        try {
            return (int) Poll.HANDLE.invokeExact(errno, descriptors, count, timeoutMs);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Poll {
        static final MethodHandle HANDLE =
                Native.systemFunction("poll", FunctionDescriptor.of(INT, SEGMENT, POINTER, INT), CapturedErrno.CAPTURE);
    }

    public static int eventfd(MemorySegment errno, int initial, int flags) {
        try {
            return (int) Eventfd.HANDLE.invokeExact(errno, initial, flags);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Eventfd {
        static final MethodHandle HANDLE =
                Native.systemFunction("eventfd", FunctionDescriptor.of(INT, INT, INT), CapturedErrno.CAPTURE);
    }

    public static long read(MemorySegment errno, int descriptor, MemorySegment buffer, long byteSize) {
        try {
            return (long) Read.HANDLE.invokeExact(errno, descriptor, buffer, byteSize);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Read {
        static final MethodHandle HANDLE = Native.systemFunction(
                "read", FunctionDescriptor.of(POINTER, INT, SEGMENT, POINTER), CapturedErrno.CAPTURE);
    }

    public static long write(MemorySegment errno, int descriptor, MemorySegment buffer, long byteSize) {
        try {
            return (long) Write.HANDLE.invokeExact(errno, descriptor, buffer, byteSize);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Write {
        static final MethodHandle HANDLE = Native.systemFunction(
                "write", FunctionDescriptor.of(POINTER, INT, SEGMENT, POINTER), CapturedErrno.CAPTURE);
    }

    /** Variadic in C, but no mode is given: nothing is created. */
    public static int open(MemorySegment errno, MemorySegment path, int flags) {
        try {
            return (int) Open.HANDLE.invokeExact(errno, path, flags);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Open {
        static final MethodHandle HANDLE = Native.systemFunction(
                "open",
                FunctionDescriptor.of(INT, SEGMENT, INT),
                CapturedErrno.CAPTURE,
                Linker.Option.firstVariadicArg(2));
    }

    public static int close(int descriptor) {
        try {
            return (int) Close.HANDLE.invokeExact(descriptor);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Close {
        static final MethodHandle HANDLE = Native.systemFunction("close", FunctionDescriptor.of(INT, INT));
    }

    /** Variadic in C, which x86-64 tells the callee. */
    public static int fcntl(MemorySegment errno, int descriptor, int command, int argument) {
        try {
            return (int) Fcntl.HANDLE.invokeExact(errno, descriptor, command, argument);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Fcntl {
        static final MethodHandle HANDLE = Native.systemFunction(
                "fcntl",
                FunctionDescriptor.of(INT, INT, INT, INT),
                CapturedErrno.CAPTURE,
                Linker.Option.firstVariadicArg(2));
    }

    /** The mapping, or -1. */
    public static long mmap(
            MemorySegment errno, long address, long byteSize, int protection, int flags, int descriptor, long offset) {
        try {
            return (long) Mmap.HANDLE.invokeExact(errno, address, byteSize, protection, flags, descriptor, offset);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Mmap {
        static final MethodHandle HANDLE = Native.systemFunction(
                "mmap",
                FunctionDescriptor.of(POINTER, POINTER, POINTER, INT, INT, INT, POINTER),
                CapturedErrno.CAPTURE);
    }

    public static int munmap(MemorySegment errno, long address, long byteSize) {
        try {
            return (int) Munmap.HANDLE.invokeExact(errno, address, byteSize);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Munmap {
        static final MethodHandle HANDLE =
                Native.systemFunction("munmap", FunctionDescriptor.of(INT, POINTER, POINTER), CapturedErrno.CAPTURE);
    }

    public static int madvise(MemorySegment errno, long address, long byteSize, int advice) {
        try {
            return (int) Madvise.HANDLE.invokeExact(errno, address, byteSize, advice);
        } catch (Throwable thrown) {
            throw Native.unexpected(thrown);
        }
    }

    private static final class Madvise {
        static final MethodHandle HANDLE = Native.systemFunction(
                "madvise", FunctionDescriptor.of(INT, POINTER, POINTER, INT), CapturedErrno.CAPTURE);
    }
}
