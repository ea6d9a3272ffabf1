// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.paraverbs.pvrdma.abi.AddressVector;
import org.paraverbs.pvrdma.abi.AhAttr;
import org.paraverbs.pvrdma.abi.DeviceCaps;
import org.paraverbs.pvrdma.abi.GlobalRoute;
import org.paraverbs.verbs.Errno;
import org.paraverbs.verbs.Gid;

/**
 * The address handles of a device (pvrdma_verbs.c {@code pvrdma_create_ah}). The device does not hear of them: an address
 * vector is copied into each request. So the driver counts them.
 */
final class AddressHandles {
    private static final int PORT_SHIFT = 24;
    private static final int TRAFFIC_CLASS_SHIFT = 20;

    /** Both driver and provider set it in the source path bits. */
    private static final int PATH_BITS_VALID = 0x80;

    private final Parts parts;
    private final RouteChecks routes;
    private final Limit limit;
    private final AtomicInteger lastHandle = new AtomicInteger();
    private final Map<Integer, KernelDomain> domains = new ConcurrentHashMap<>();

    AddressHandles(Parts parts, RouteChecks routes) {
        this.parts = parts;
        this.routes = routes;
        this.limit = new Limit("max_ah", "address handles", DeviceCaps.maxAh(parts.caps(), 0), "maxAh");
    }

    int create(KernelDomain domain, MemorySegment route, MemorySegment vector) {
        Gid destination = RouteChecks.destination(route, 0);
        Call call = Call.of("ibv_create_ah", () -> "to " + destination + " on " + parts.name());
        routes.check(call, route, 0);
        if (destination.high() >>> 56 == 0xff) {
            throw call.failure(Errno.EINVAL, "the vmw_pvrdma driver has no multicast");
        }
        domain.users().take(call);
        try {
            limit.take(call);
        } catch (RuntimeException e) {
            domain.users().give();
            throw e;
        }
        write(domain, route, vector);
        int handle = lastHandle.incrementAndGet();
        domains.put(handle, domain);
        return handle;
    }

    /** The service level is not among what driver and provider pass on. */
    private static void write(KernelDomain domain, MemorySegment route, MemorySegment vector) {
        vector.asSlice(0, AddressVector.SIZE).fill((byte) 0);
        AddressVector.portPd(vector, 0, domain.handle() | AhAttr.portNum(route, 0) << PORT_SHIFT);
        AddressVector.srcPathBits(vector, 0, AhAttr.srcPathBits(route, 0) | PATH_BITS_VALID);
        long grh = AhAttr.GRH_OFFSET;
        AddressVector.gidIndex(vector, 0, GlobalRoute.sgidIndex(route, grh));
        AddressVector.hopLimit(vector, 0, GlobalRoute.hopLimit(route, grh));
        AddressVector.slTclassFlowlabel(
                vector,
                0,
                GlobalRoute.trafficClass(route, grh) << TRAFFIC_CLASS_SHIFT | GlobalRoute.flowLabel(route, grh));
        AddressVector.dgidHigh(vector, 0, GlobalRoute.dgidHigh(route, grh));
        AddressVector.dgidLow(vector, 0, GlobalRoute.dgidLow(route, grh));
        RouteChecks.fillMacAddress(route, 0);
        MemorySegment.copy(route, AhAttr.DMAC_OFFSET, vector, AddressVector.DMAC_OFFSET, 6);
    }

    void destroy(int handle) {
        KernelDomain domain = domains.remove(handle);
        if (domain == null) {
            throw Call.of("ibv_destroy_ah", parts::name).failure(Errno.EINVAL, "there is no address handle " + handle);
        }
        domain.users().give();
        limit.give();
    }

    void destroyAllOf(KernelContext context) {
        for (Map.Entry<Integer, KernelDomain> entry : List.copyOf(domains.entrySet())) {
            if (entry.getValue().context().equals(context)) {
                destroy(entry.getKey());
            }
        }
    }
}
