// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.pvrdma.guest.kernel.RegisteredMemory;
import org.paraverbs.verbs.Access;
import org.paraverbs.verbs.spi.MemoryRegionBase;

/** A memory region. Registering copies nothing: the device is given the program's segment. */
final class PvrdmaMemoryRegion extends MemoryRegionBase {
    private final PvrdmaDriver driver;
    private final int handle;
    private final @Nullable OwnedMemory owned;

    PvrdmaMemoryRegion(
            PvrdmaContext context,
            MemorySegment memory,
            Set<Access> access,
            RegisteredMemory registered,
            @Nullable OwnedMemory owned) {
        super(
                context,
                "MR 0x" + Integer.toHexString(registered.lkey()) + " of "
                        + context.device().name(),
                memory,
                access,
                registered.lkey(),
                registered.rkey());
        this.driver = context.driver();
        this.handle = registered.handle();
        this.owned = owned;
    }

    @Override
    protected void release() {
        try {
            driver.deregister(handle);
        } finally {
            if (owned != null) {
                owned.close();
            }
        }
    }
}
