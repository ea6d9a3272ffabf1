// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

/** What keeps the memory of one user from the queue pairs of another. */
final class ProtectionDomain {
    final int handle;

    /** Regions and queue pairs in it; it cannot go before them. */
    int users;

    ProtectionDomain(int handle) {
        this.handle = handle;
    }
}
