// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.MemoryRegion;

/** What the memory regions of all providers share: their numbers, which the data path reads as final fields. */
public abstract class MemoryRegionBase extends ResourceBase implements MemoryRegion {

    /** A thread that never runs: memory that it may access is not confined to any thread. */
    private static final Thread ANY_OTHER_THREAD = new Thread(() -> {});

    private final @Nullable MemorySegment memory;
    private final Set<Access> access;
    private final long address;
    private final long length;
    private final int lkey;
    private final int rkey;

    /**
     * A registered region.
     *
     * @param context its context
     * @param description what it is, for messages
     * @param memory the memory
     * @param access what may be done with it
     * @param lkey the local key
     * @param rkey the remote key
     */
    protected MemoryRegionBase(
            ContextBase context, String description, MemorySegment memory, Set<Access> access, int lkey, int rkey) {
        this(context, description, memory, memory.address(), memory.byteSize(), access, lkey, rkey);
    }

    /**
     * A region that was registered under an address of its own.
     *
     * @param context its context
     * @param description what it is, for messages
     * @param memory the memory; null if the processor has none of it
     * @param address the address of the first byte in requests
     * @param length the number of bytes
     * @param access what may be done with it
     * @param lkey the local key
     * @param rkey the remote key
     */
    protected MemoryRegionBase(
            ContextBase context,
            String description,
            @Nullable MemorySegment memory,
            long address,
            long length,
            Set<Access> access,
            int lkey,
            int rkey) {
        super(context, description);
        this.memory = memory;
        this.access = Set.copyOf(access);
        this.address = address;
        this.length = length;
        this.lkey = lkey;
        this.rkey = rkey;
    }

    /**
     * Checks the access rights asked for, as every device would.
     *
     * @param access the rights
     * @return the rights as a set
     * @throws IllegalArgumentException if a remote right to write lacks {@link Access#LOCAL_WRITE}
     */
    public static Set<Access> checkedAccess(Access... access) {
        Set<Access> set = EnumSet.noneOf(Access.class);
        set.addAll(Arrays.asList(access));
        if (!set.contains(Access.LOCAL_WRITE)
                && (set.contains(Access.REMOTE_WRITE) || set.contains(Access.REMOTE_ATOMIC))) {
            throw new IllegalArgumentException(
                    "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE as well (ibv_reg_mr(3)); got " + set);
        }
        return set;
    }

    /**
     * Checks a size to allocate.
     *
     * @param byteSize the size
     * @throws IllegalArgumentException if it is not positive
     */
    public static void checkSize(long byteSize) {
        if (byteSize <= 0) {
            throw new IllegalArgumentException("a memory region has at least 1 byte, not " + byteSize);
        }
    }

    /**
     * Checks memory of the caller that is to be registered.
     *
     * @param memory the memory
     * @param access the rights asked for
     * @throws IllegalArgumentException if no device can use it, with the reason
     * @throws IllegalStateException if it has been freed
     */
    public static void checkRegistrable(MemorySegment memory, Set<Access> access) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("memory on the heap cannot be registered, since the garbage collector"
                    + " moves it; allocate it with ProtectionDomain.allocate or a shared Arena");
        }
        if (!memory.isAccessibleBy(ANY_OTHER_THREAD)) {
            throw new IllegalArgumentException("memory that is confined to a thread cannot be registered, since the"
                    + " device and other threads touch it; use Arena.ofShared()");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the memory to register has been freed: its arena is closed");
        }
        checkSize(memory.byteSize());
        if (memory.isReadOnly() && access.contains(Access.LOCAL_WRITE)) {
            throw new IllegalArgumentException("read-only memory cannot be registered with LOCAL_WRITE");
        }
    }

    @Override
    public final MemorySegment memory() {
        if (memory == null) {
            throw new IllegalStateException(
                    this + " is a dma-buf, whose memory is not the program's: map its descriptor,"
                            + " if its owner allows that");
        }
        return memory;
    }

    /** Whether there is a {@link #memory()}. */
    protected final boolean hasMemory() {
        return memory != null;
    }

    @Override
    public final long address() {
        return address;
    }

    @Override
    public final long length() {
        return length;
    }

    @Override
    public final int lkey() {
        return lkey;
    }

    @Override
    public final int rkey() {
        return rkey;
    }

    @Override
    public final Set<Access> access() {
        return access;
    }
}
