// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

/**
 * The out-of-band channel between two perftest programs: messages of sizes both sides know beforehand.
 *
 * <p>Passed in rather than opened by the test, so that the same run works over TCP, between two threads, or in
 * simulated time. Used by one thread at a time.
 */
public interface Exchange extends AutoCloseable {
    /** A time limit for {@link #read} that never ends: the peer may be busy measuring for as long as it likes. */
    long UNBOUNDED = Long.MAX_VALUE;

    /**
     * Tells which side this is: the side that was given a server's name connects, and writes first in every swap.
     *
     * @return true if this side writes first
     */
    boolean isClient();

    /**
     * Writes one message in one piece. The C programs read each message with a single call and give up on a short
     * count, so a message must never be split.
     *
     * @param message the bytes
     * @throws PeerException if the peer has left
     */
    void write(byte[] message);

    /**
     * Reads one message, whole.
     *
     * @param length its size in bytes
     * @param timeoutNs how long to wait for all of it, in nanoseconds, or {@link #UNBOUNDED}
     * @param what the message's name for error texts, such as "program version"
     * @return {@code length} bytes
     * @throws PeerException if the peer leaves before, or the time is over
     */
    byte[] read(int length, long timeoutNs, String what);

    /**
     * Waits for bytes without taking them.
     *
     * @param length how many
     * @param timeoutNs how long to wait, in nanoseconds; 0 only looks
     * @return true if they are here, false if the time is over or the peer has left
     */
    boolean await(int length, long timeoutNs);

    /**
     * Tells, without waiting, whether the peer has closed its end. A loop that waits for the peer's data asks now and
     * then, so that a peer that died is not waited for for ever.
     *
     * @return true once the peer's end is closed; bytes it sent before may still be read
     */
    boolean peerHasLeft();

    /** Closes this end; closing twice does nothing. */
    @Override
    void close();
}
