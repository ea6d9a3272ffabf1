// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/**
 * A registered memory region.
 *
 * @param handle names it to the driver
 * @param lkey the local key
 * @param rkey the remote key
 */
public record RegisteredMemory(int handle, int lkey, int rkey) {}
