// SPDX-License-Identifier: Apache-2.0

/**
 * What two perftest programs say to each other over TCP: message codecs, the exchange that carries them, and the
 * sequence of a handshake.
 *
 * <p>The messages are those of the C programs, program versions 6.06 to 6.29, so either side may be a C program. Byte
 * layouts were taken from captures of Debian 12's binaries and from the sources of tag {@code v4.5-0.17}. Everything
 * that arrives is treated as hostile: lengths are bounded before bytes are read, and a message that does not parse is
 * a {@link org.paraverbs.perftest.wire.PeerException} that says what came instead.
 */
@NullMarked
package org.paraverbs.perftest.wire;

import org.jspecify.annotations.NullMarked;
