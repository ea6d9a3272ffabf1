// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.lib;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The linker, and every restricted method that this module calls. They stand in this one class (and in
 * {@link IbverbsLibrary} for loading), so that a reader sees at a glance what {@code --enable-native-access} is needed
 * for, and so that the compiler's warning about them is suppressed nowhere else.
 */
public final class Native {
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;

    /** {@code size_t} and its signed sibling. */
    static final ValueLayout.OfLong SIZE = ValueLayout.JAVA_LONG;

    /**
     * A pointer that the library gave us, or one on the data path. As a {@code long} it costs nothing: for a pointer
     * declared as an address a downcall acquires and releases the session of the segment, a compare-and-set on a shared
     * arena ({@code jdk.internal.foreign.abi.BindingSpecializer}).
     */
    static final ValueLayout.OfLong POINTER = ValueLayout.JAVA_LONG;

    /** A pointer to memory of ours on the control plane, checked to be alive during the call. */
    static final MemoryLayout SEGMENT = ValueLayout.ADDRESS;

    private static final Linker LINKER = Linker.nativeLinker();

    private Native() {}

    /**
     * A handle for a function that the system's C library exports.
     *
     * @param name the symbol
     * @param descriptor the C signature
     * @param options linker options
     */
    @SuppressWarnings("restricted")
    static MethodHandle systemFunction(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        MemorySegment address = LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no function " + name));
        return LINKER.downcallHandle(address, descriptor, options);
    }

    /** A handle bound to a function at a known address. */
    @SuppressWarnings("restricted")
    static MethodHandle function(MemorySegment address, FunctionDescriptor descriptor, Linker.Option... options) {
        return LINKER.downcallHandle(address, descriptor, options);
    }

    /** A handle whose first argument is the address of the function: for the function pointers of an open device. */
    @SuppressWarnings("restricted")
    static MethodHandle pointerFunction(FunctionDescriptor descriptor, Linker.Option... options) {
        return LINKER.downcallHandle(descriptor, options);
    }

    /**
     * The struct that a pointer from the library points to.
     *
     * @param address not null in the C sense
     * @param byteSize the size of the struct
     */
    @SuppressWarnings("restricted")
    public static MemorySegment struct(long address, long byteSize) {
        assert address != 0;
        return MemorySegment.ofAddress(address).reinterpret(byteSize);
    }

    /**
     * Memory whose life ends with an arena, by an action of ours.
     *
     * @param address the first byte
     * @param byteSize the number of bytes
     * @param arena decides over life and access
     * @param release frees the memory when the arena is closed
     */
    @SuppressWarnings("restricted")
    static MemorySegment owned(long address, long byteSize, Arena arena, Runnable release) {
        return MemorySegment.ofAddress(address).reinterpret(byteSize, arena, segment -> release.run());
    }

    /**
     * What a downcall threw, to be thrown on: an exception of ours or of a dead segment as it is; anything else can only be
     * a defect of this module.
     */
    static RuntimeException unexpected(Throwable thrown) {
        if (thrown instanceof RuntimeException exception) {
            return exception;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        throw new AssertionError("a downcall threw", thrown);
    }
}
