// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.ffm.struct.IbvMr;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.spi.MemoryRegionBase;

/** {@code ibv_mr}. */
final class NativeMemoryRegion extends MemoryRegionBase {
    private final NativeContext context;
    private final NativeProtectionDomain domain;
    private final long region;
    private final @Nullable Arena owned;

    /**
     * A registered region.
     *
     * @param context its context
     * @param domain its protection domain
     * @param memory the memory
     * @param address its address in requests
     * @param rights what may be done with it
     * @param region what {@code ibv_reg_mr} answered
     * @param owned the arena of the memory if it is ours to free
     */
    NativeMemoryRegion(
            NativeContext context,
            NativeProtectionDomain domain,
            MemorySegment memory,
            long address,
            Set<Access> rights,
            long region,
            @Nullable Arena owned) {
        super(
                context,
                "memory region of " + memory.byteSize() + " bytes of "
                        + context.device().name(),
                memory,
                address,
                rights,
                IbvMr.lkey(Native.struct(region, IbvMr.SIZE)),
                IbvMr.rkey(Native.struct(region, IbvMr.SIZE)));
        this.context = context;
        this.domain = domain;
        this.region = region;
        this.owned = owned;
    }

    /** The {@code ibv_mr}, which the library looks into while it posts a request that binds a window to it. */
    long pointer() {
        return region;
    }

    boolean isOf(NativeProtectionDomain asked) {
        return domain == asked;
    }

    @Override
    protected void release() {
        if (access().contains(Access.MEMORY_WINDOW_BIND)) {
            context.awaitPosts();
            context.memoryWindows().forEach(window -> window.goWith(this));
        }
        // If the device refuses, this throws and the memory is not freed: the device may still write to it.
        NativeCall.zero(
                "ibv_dereg_mr", toString(), context.advice()::release, () -> ResourceVerbs.deregisterMemory(region));
        if (owned != null) {
            owned.close();
        }
    }
}
