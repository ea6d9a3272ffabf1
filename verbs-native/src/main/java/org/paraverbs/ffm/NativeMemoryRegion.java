// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.ffm.lib.MemoryVerbs;
import org.paraverbs.ffm.lib.Native;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.struct.IbvMr;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.MemoryRegion;
import org.paraverbs.verbs.ProtectionDomain;
import org.paraverbs.verbs.Reregistration;
import org.paraverbs.verbs.VerbsException;
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
     * @param memory the memory; null for a dma-buf
     * @param address its address in requests
     * @param length the number of bytes
     * @param rights what may be done with it
     * @param region what {@code ibv_reg_mr} answered
     * @param owned the arena of the memory if it is ours to free
     */
    NativeMemoryRegion(
            NativeContext context,
            NativeProtectionDomain domain,
            @Nullable MemorySegment memory,
            long address,
            long length,
            Set<Access> rights,
            long region,
            @Nullable Arena owned) {
        super(
                context,
                "memory region of " + length + " bytes of " + context.device().name(),
                memory,
                address,
                length,
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
    public MemoryRegion reregister(Reregistration change) {
        context.requireSupported(Feature.REREGISTRATION, "ibv_rereg_mr");
        Set<Access> rights = access();
        if (change.access() != null) {
            rights = checkedAccess(change.access().toArray(Access[]::new));
            if (rights.contains(Access.MEMORY_WINDOW_BIND)) {
                context.requireSupported(Feature.MEMORY_WINDOW, "ibv_rereg_mr");
            }
        }
        requireOpen();
        if (!hasMemory()) {
            throw new VerbsException(
                    "ibv_rereg_mr",
                    toString(),
                    Errno.EINVAL,
                    "a dma-buf is not re-registered: register it anew, and close this");
        }
        MemorySegment newMemory = change.memory() == null ? memory() : change.memory();
        checkRegistrable(newMemory, rights);
        NativeProtectionDomain newDomain = change.domain() == null ? domain : ofThisContext(change.domain());
        Changed changed = new Changed(newMemory, newDomain, rights);
        NativeMemoryRegion replacement = replace(() -> reregister(change, changed), newDomain);
        if (owned != null && change.memory() != null) {
            owned.close();
        }
        return replacement;
    }

    private NativeProtectionDomain ofThisContext(ProtectionDomain asked) {
        if (asked instanceof NativeProtectionDomain ours && ours.context() == context) {
            return ours;
        }
        throw new IllegalArgumentException(asked + " is of another context than this one, the " + context);
    }

    /** What the region has after the change. */
    private record Changed(MemorySegment memory, NativeProtectionDomain domain, Set<Access> rights) {}

    private NativeMemoryRegion reregister(Reregistration change, Changed after) {
        boolean moves = change.memory() != null;
        MemorySegment memory = after.memory();
        NativeCall.Answer answer = NativeCall.once(errno -> MemoryVerbs.reregisterMemory(
                errno,
                region,
                ReregistrationOutcome.flags(change),
                after.domain().pointer(),
                moves ? memory.address() : 0,
                moves ? memory.byteSize() : 0,
                change.access() == null ? 0 : AccessFlags.of(after.rights())));
        ReregistrationOutcome outcome = ReregistrationOutcome.of(answer.code());
        if (outcome != ReregistrationOutcome.REPLACED) {
            throw failed(outcome, answer, after);
        }
        NativeMemoryRegion replacement = new NativeMemoryRegion(
                context,
                after.domain(),
                memory,
                moves ? memory.address() : address(),
                memory.byteSize(),
                after.rights(),
                region,
                moves ? null : owned);
        context.memoryWindows().forEach(window -> window.follow(this, replacement));
        return replacement;
    }

    private VerbsException failed(ReregistrationOutcome outcome, NativeCall.Answer answer, Changed after) {
        String object = this + " to " + after.memory().byteSize() + " bytes, " + after.rights();
        // Not every way to fail sets an error number.
        int errno = answer.errno() == 0 ? Errno.EIO.number() : answer.errno();
        VerbsException failure = new VerbsException(
                "ibv_rereg_mr",
                object,
                errno,
                ReregistrationOutcome.advice(
                        answer.code(),
                        context.advice().registration(errno, after.memory().byteSize(), after.rights())));
        if (outcome == ReregistrationOutcome.LOST) {
            try {
                close();
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
            }
        }
        return failure;
    }

    @Override
    protected void release() {
        if (access().contains(Access.MEMORY_WINDOW_BIND)) {
            context.awaitPosts();
            context.memoryWindows().forEach(window -> window.goWith(this));
        }
        // If the device refuses, this throws and the memory is not freed: the device may still write to it.
        NativeCall.zero(
                "ibv_dereg_mr", toString(), context.advice()::release, () -> MemoryVerbs.deregisterMemory(region));
        if (owned != null) {
            owned.close();
        }
    }
}
