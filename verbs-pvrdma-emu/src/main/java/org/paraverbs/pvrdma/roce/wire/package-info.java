// SPDX-License-Identifier: Apache-2.0

/**
 * RoCE v2 packets as bytes: one class for each header, with its offsets and fields, in network byte order. A packet begins with the
 * {@linkplain org.paraverbs.pvrdma.roce.wire.Bth base transport header}, which is what a UDP socket gives; the headers before it are
 * for captures and for the {@linkplain org.paraverbs.pvrdma.roce.wire.Icrc invariant CRC}.
 *
 * <p>One guarantee: what came from outside is asked of {@link org.paraverbs.pvrdma.roce.wire.Packet#parse}, and when that has not found
 * fault, every field of the headers that the packet has, and its payload, lie within it. The other classes check nothing.
 */
@NullMarked
package org.paraverbs.pvrdma.roce.wire;

import org.jspecify.annotations.NullMarked;
