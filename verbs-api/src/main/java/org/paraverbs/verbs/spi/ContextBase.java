// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.Gid;
import org.paraverbs.verbs.GidEntry;
import org.paraverbs.verbs.GidType;
import org.paraverbs.verbs.Route;
import org.paraverbs.verbs.UnsupportedVerbException;
import org.paraverbs.verbs.WorkCompletion;

/** What the contexts of all providers share. */
public abstract class ContextBase extends ResourceBase implements Context {

    private static final int REPLY_HOP_LIMIT = 255;

    private final Device device;

    /**
     * An open context.
     *
     * @param device the device that was opened
     */
    protected ContextBase(Device device) {
        super("context of " + device.name());
        this.device = device;
    }

    @Override
    public final Device device() {
        return device;
    }

    /**
     * Refuses what the context does not support.
     *
     * @param feature what is needed
     * @param verb the verb that needs it
     * @throws UnsupportedVerbException if the context does not support it
     */
    protected final void require(Feature feature, String verb) {
        if (!supports(feature)) {
            throw UnsupportedVerbException.of(verb, device.name(), feature);
        }
    }

    @Override
    public final Route replyRoute(int port, WorkCompletion completion, MemorySegment globalRouteHeader) {
        List<GidEntry> entries = gids(port);
        if (!completion.hasGlobalRouteHeader()) {
            return Route.to(port, 0, Gid.EMPTY)
                    .withDestinationLid(completion.sourceLid())
                    .withServiceLevel(completion.serviceLevel());
        }
        GlobalRouteHeader header = GlobalRouteHeader.read(globalRouteHeader);
        for (GidEntry entry : entries) {
            // A port has the same GID once for each version of RoCE, and only version 2 has IP headers.
            if (entry.gid().equals(header.destination())
                    && header.isIpv4()
                            == (entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped())) {
                return new Route(
                        port,
                        entry.index(),
                        header.source(),
                        completion.sourceLid(),
                        REPLY_HOP_LIMIT,
                        header.trafficClass(),
                        header.flowLabel(),
                        completion.serviceLevel());
            }
        }
        throw new IllegalArgumentException("the datagram was sent to " + header.destination()
                + ", which is no GID of port " + port + " of " + device.name());
    }
}
