// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/**
 * A program's context on a device.
 *
 * @param handle names it to the driver
 * @param uarPage the page of BAR2 that the program rings its doorbells in
 */
public record UserContext(int handle, int uarPage) {}
