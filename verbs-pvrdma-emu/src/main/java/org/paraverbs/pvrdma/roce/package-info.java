// SPDX-License-Identifier: Apache-2.0

/**
 * The transport of reliable connections as pure state machines: no clock, no thread, no socket, no memory. Time
 * comes in as {@code nowNs} and goes out as {@code deadlineNs}; what happened comes in as a call and what is to be
 * done next is asked for.
 *
 * <p>A {@link org.paraverbs.pvrdma.roce.Requester} holds the requests that are under way and says which one may be
 * sent, which is finished and with what status. A {@link org.paraverbs.pvrdma.roce.Responder} says of an arriving
 * request whether it is the expected one. Both count packet sequence numbers as if every message were cut in
 * packets of the path MTU, so that what works here agrees with what a wire would carry; so far messages travel
 * whole.
 */
@NullMarked
package org.paraverbs.pvrdma.roce;

import org.jspecify.annotations.NullMarked;
