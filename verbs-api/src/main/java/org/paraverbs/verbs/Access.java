// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * What may be done with a memory region or, for the {@code REMOTE} ones, through a queue pair ({@code enum
 * ibv_access_flags}). Reading by the local device is always allowed.
 */
public enum Access {
    /** The local device may write: needed for receives, for reads from a remote and for {@link #REMOTE_WRITE}. */
    LOCAL_WRITE,
    /** Peers may write. Requires {@link #LOCAL_WRITE} for a memory region. */
    REMOTE_WRITE,
    /** Peers may read. */
    REMOTE_READ,
    /** Peers may use atomic operations. Requires {@link #LOCAL_WRITE} for a memory region. */
    REMOTE_ATOMIC,
    /**
     * {@linkplain SendQueue#bind Memory windows} may be bound to the region ({@code IBV_ACCESS_MW_BIND}). Needs a device with
     * {@link Feature#MEMORY_WINDOW}.
     */
    MEMORY_WINDOW_BIND
}
