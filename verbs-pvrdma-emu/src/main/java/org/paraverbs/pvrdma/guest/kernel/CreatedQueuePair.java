// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/**
 * A queue pair.
 *
 * @param handle names it to driver and device; completions carry it
 * @param qpn its number, which peers use
 */
public record CreatedQueuePair(int handle, int qpn) {}
