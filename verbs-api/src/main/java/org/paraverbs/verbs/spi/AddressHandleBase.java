// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import org.paraverbs.verbs.AddressHandle;
import org.paraverbs.verbs.Route;

/** What the address handles of all providers share. */
public abstract class AddressHandleBase extends ResourceBase implements AddressHandle {

    private final Route route;

    /**
     * An address handle.
     *
     * @param context its context
     * @param route the way to the peer
     */
    protected AddressHandleBase(ContextBase context, Route route) {
        super(
                context,
                "address handle to " + route.destination() + " of "
                        + context.device().name());
        this.route = route;
    }

    @Override
    public final Route route() {
        return route;
    }
}
