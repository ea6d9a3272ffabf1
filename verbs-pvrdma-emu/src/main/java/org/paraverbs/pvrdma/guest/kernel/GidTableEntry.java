// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

import org.paraverbs.verbs.Gid;

/**
 * An entry of the GID table that the kernel keeps.
 *
 * @param gid the GID
 * @param type of {@link org.paraverbs.pvrdma.abi.GidType}
 */
public record GidTableEntry(Gid gid, int type) {}
