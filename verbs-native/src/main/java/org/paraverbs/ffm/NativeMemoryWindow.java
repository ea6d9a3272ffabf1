// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.WindowVerbs;
import org.paraverbs.ffm.struct.IbvConstants;
import org.paraverbs.ffm.struct.IbvMw;
import org.paraverbs.verbs.spi.MemoryWindowBase;
import org.paraverbs.verbs.spi.ResourceBase;

/**
 * {@code ibv_mw}. For windows of type 2 the library does not follow the key, but the provider of rxe reads it from the struct
 * when a bind is posted: it must be the one that the device has, so it is written there just before.
 */
final class NativeMemoryWindow extends MemoryWindowBase {
    private final NativeContext context;
    private final NativeProtectionDomain domain;
    private final long window;
    private final MemorySegment fields;

    /** The key of the bind that was posted last: what the device knows the window by. The thread's that posts. */
    private int deviceKey;

    /** In which post it was bound last, so that none binds it twice. The thread's that posts. */
    private long boundIn;

    /** What it is bound to, as far as was posted; it must not outlive them. */
    private volatile @Nullable NativeQueuePair pair;

    private volatile @Nullable ResourceBase region;

    /** Whether it went with its queue pair or region. Guarded by the context's lock for closing. */
    private volatile boolean gone;

    private NativeMemoryWindow(NativeContext context, NativeProtectionDomain domain, long window) {
        super(context, IbvMw.rkey(Native.struct(window, IbvMw.SIZE)));
        this.context = context;
        this.domain = domain;
        this.window = window;
        this.fields = Native.struct(window, IbvMw.SIZE);
        this.deviceKey = rkey();
    }

    static NativeMemoryWindow allocate(NativeContext context, NativeProtectionDomain domain) {
        long window = NativeCall.nonNull(
                "ibv_alloc_mw",
                "type 2 of " + context.device().name(),
                context.advice()::general,
                errno ->
                        WindowVerbs.allocateMw(errno, context.pointer(), domain.pointer(), IbvConstants.IBV_MW_TYPE_2));
        NativeMemoryWindow allocated = new NativeMemoryWindow(context, domain, window);
        context.memoryWindows().add(allocated);
        return allocated;
    }

    /** The {@code ibv_mw}, which the library looks into while it posts a request that binds it. */
    long pointer() {
        return window;
    }

    boolean isOf(NativeProtectionDomain asked) {
        return domain == asked;
    }

    boolean isUsable() {
        return isOpen() && !gone;
    }

    /**
     * Makes it ready for a post that binds it.
     *
     * @param post the number of the post
     * @return false if the same post binds it already
     */
    boolean prepare(long post) {
        if (boundIn == post) {
            return false;
        }
        boundIn = post;
        IbvMw.rkey(fields, deviceKey);
        return true;
    }

    /** Notes what the device knows of it after a bind was posted. */
    void posted(int key, NativeQueuePair through, ResourceBase to) {
        deviceKey = key;
        pair = through;
        region = to;
    }

    /** Goes over to the region that took the place of the one that it is, or may be, bound to. */
    @SuppressWarnings("ReferenceEquality") // this very resource
    void follow(ResourceBase replaced, ResourceBase replacement) {
        if (region == replaced) {
            region = replacement;
        }
    }

    /** Deallocates it if it is, or may be, bound to something that is about to be destroyed. */
    @SuppressWarnings("ReferenceEquality") // this very resource
    void goWith(ResourceBase closing) {
        if (!gone && (pair == closing || region == closing)) {
            gone = true;
            context.awaitPosts();
            deallocate();
        }
    }

    private void deallocate() {
        context.memoryWindows().remove(this);
        NativeCall.zero(
                "ibv_dealloc_mw",
                toString(),
                context.advice()::release,
                () -> WindowVerbs.deallocateMw(context.pointer(), window));
    }

    @Override
    protected void release() {
        if (!gone) {
            // It is marked as closed: no post that begins from now on gives it to the library.
            context.awaitPosts();
            deallocate();
        }
    }
}
