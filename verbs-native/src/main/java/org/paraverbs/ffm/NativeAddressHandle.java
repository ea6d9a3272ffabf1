// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.lib.ResourceVerbs;
import org.paraverbs.ffm.struct.IbvAhAttr;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.LinkLayer;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.spi.AddressHandleBase;

/** {@code ibv_ah}. */
final class NativeAddressHandle extends AddressHandleBase {
    private final NativeContext context;
    private final NativeProtectionDomain domain;
    private final long handle;

    private NativeAddressHandle(NativeContext context, NativeProtectionDomain domain, Route route, long handle) {
        super(context, route);
        this.context = context;
        this.domain = domain;
        this.handle = handle;
    }

    static NativeAddressHandle create(NativeContext context, NativeProtectionDomain domain, Route route) {
        String object = route.destination() + " from port " + route.port() + " of "
                + context.device().name();
        String wrong = faultOf(context, route);
        if (!wrong.isEmpty()) {
            throw new VerbsException("ibv_create_ah", object, Errno.EINVAL, wrong);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(IbvAhAttr.SIZE, Long.BYTES);
            QueuePairAttributeForm.writeRoute(route, address);
            long handle = NativeCall.nonNull(
                    "ibv_create_ah",
                    object,
                    errno -> context.advice()
                            .addressHandle(errno, route, context.ports().query(route.port())),
                    errno -> ResourceVerbs.createAh(errno, domain.pointer(), address));
            return new NativeAddressHandle(context, domain, route, handle);
        }
    }

    /** Not every provider looks, and not every one that refuses leaves an error number. */
    private static String faultOf(NativeContext context, Route route) {
        if (context.ports().hasNoPort(route.port())) {
            return context.ports().noPort(route.port());
        }
        return !route.isGlobal() && context.ports().query(route.port()).linkLayer() == LinkLayer.ETHERNET
                ? Advice.NO_PEER_GID
                : "";
    }

    /** The {@code ibv_ah}, which the library looks into while it posts a request that names it. */
    long pointer() {
        return handle;
    }

    boolean isOf(NativeProtectionDomain asked) {
        return domain == asked;
    }

    @Override
    protected void release() {
        // It is marked as closed: no post that begins from now on gives it to the library.
        context.awaitPosts();
        NativeCall.zero("ibv_destroy_ah", toString(), context.advice()::release, () -> ResourceVerbs.destroyAh(handle));
    }
}
