// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;

/** A user of the device. */
final class UserContext {
    final int handle;

    /** Its page of the user access region. */
    final int page;

    /** Protection domains and completion queues of it; it cannot go before them. */
    int users;

    UserContext(int handle, int page) {
        this.handle = handle;
        this.page = page;
    }

    /** The page by which an owner rings: page 0 for the kernel, which is null. */
    static int pageOf(@Nullable UserContext owner) {
        return owner == null ? 0 : owner.page;
    }
}
