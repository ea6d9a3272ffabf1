// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;

/** What keeps the memory of one user from the queue pairs of another. */
final class ProtectionDomain {
    final int handle;

    /** Whose it is; null for the kernel's. */
    final @Nullable UserContext context;

    /** Regions and queue pairs in it; it cannot go before them. */
    int users;

    ProtectionDomain(int handle, @Nullable UserContext context) {
        this.handle = handle;
        this.context = context;
    }

    /** Whether it is the kernel's, which may do what programs may not. */
    boolean isKernel() {
        return context == null;
    }
}
