// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.user;

import org.paraverbs.pvrdma.guest.kernel.Bars;
import org.paraverbs.pvrdma.guest.kernel.PvrdmaDriver;
import org.paraverbs.pvrdma.link.Clock;

/**
 * The guest that a program runs in, as far as one device is concerned.
 *
 * @param driver the device's driver
 * @param bars where the program rings its doorbells
 * @param clock the time of the network that the device is plugged into
 */
public record Guest(PvrdmaDriver driver, Bars bars, Clock clock) {}
