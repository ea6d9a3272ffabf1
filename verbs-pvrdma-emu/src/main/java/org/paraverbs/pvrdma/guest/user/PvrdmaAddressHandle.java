// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import org.paraverbs.pvrdma.abi.AddressVector;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.VerbsException;
import org.paraverbs.verbs.spi.AddressHandleBase;

/** An address handle: the address vector that is copied into each request (provider verbs.c {@code pvrdma_create_ah}). */
final class PvrdmaAddressHandle extends AddressHandleBase {
    /** The first byte of a multicast GID; those are refused by the driver. */
    private static final int MULTICAST = 0xff;

    private final PvrdmaContext context;
    private final PvrdmaProtectionDomain domain;
    private final int handle;

    /** On the heap, and never written again: a request that names it needs no other care. */
    private final MemorySegment vector;

    private PvrdmaAddressHandle(
            PvrdmaContext context, PvrdmaProtectionDomain domain, Route route, int handle, MemorySegment vector) {
        super(context, route);
        this.context = context;
        this.domain = domain;
        this.handle = handle;
        this.vector = vector;
    }

    static PvrdmaAddressHandle create(PvrdmaContext context, PvrdmaProtectionDomain domain, Route route) {
        MemorySegment attributes = MemorySegment.ofArray(new byte[AhAttr.SIZE]);
        QueuePairForm.write(route, attributes, 0);
        MemorySegment vector = MemorySegment.ofArray(new long[AddressVector.SIZE / Long.BYTES]);
        requireResolvable(context, route.destination());
        int handle = context.driver().createAddressHandle(domain.handle(), attributes, vector);
        return new PvrdmaAddressHandle(context, domain, route, handle, vector.asReadOnly());
    }

    /** The provider, though not the driver, knows only GIDs whose MAC address it can find; and groups. */
    private static void requireResolvable(PvrdmaContext context, Gid destination) {
        boolean known =
                destination.isIpv4Mapped() || destination.isLinkLocal() || destination.high() >>> 56 == MULTICAST;
        if (!known && !destination.isEmpty()) {
            throw new VerbsException(
                    "ibv_create_ah",
                    "to " + destination + " on " + context.device().name(),
                    Errno.EINVAL,
                    "the vmw_pvrdma provider makes address handles to IPv4 and link-local GIDs only: use another GID of"
                            + " the peer");
        }
    }

    boolean isOf(PvrdmaProtectionDomain other) {
        return domain.equals(other);
    }

    /** Copies the address vector into a request. */
    void write(MemorySegment rings, long at) {
        MemorySegment.copy(vector, 0, rings, at, AddressVector.SIZE);
    }

    @Override
    protected void release() {
        context.driver().destroyAddressHandle(handle);
    }
}
