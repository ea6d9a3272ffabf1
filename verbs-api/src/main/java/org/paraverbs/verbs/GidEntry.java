// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * An entry of a port's GID table ({@code struct ibv_gid_entry}).
 *
 * @param index the index in the table
 * @param port the port, from 1
 * @param gid the GID, never {@linkplain Gid#isEmpty() empty}
 * @param type what packets sent with it look like
 */
public record GidEntry(int index, int port, Gid gid, GidType type) {}
