// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

/**
 * A user of the device.
 *
 * @param handle its handle
 * @param page its page of the user access region
 */
record UserContext(int handle, int page) {}
