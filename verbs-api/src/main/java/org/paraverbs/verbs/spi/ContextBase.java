// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs.spi;

import org.paraverbs.verbs.Context;
import org.paraverbs.verbs.Device;
import org.paraverbs.verbs.Feature;
import org.paraverbs.verbs.UnsupportedVerbException;

/** What the contexts of all providers share. */
public abstract class ContextBase extends ResourceBase implements Context {

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
            throw new UnsupportedVerbException(
                    verb,
                    device.name(),
                    device.providerName() + " does not support " + feature
                            + " on this device; ask Context.supports(Feature." + feature + ") before");
        }
    }
}
