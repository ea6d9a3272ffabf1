// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/**
 * A completion queue.
 *
 * @param handle names it to driver and device
 * @param entries the number of entries
 */
public record CreatedCompletionQueue(int handle, int entries) {}
