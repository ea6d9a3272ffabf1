// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Mtu;

/**
 * What one run does, after defaults and cross checks.
 *
 * @param program which program
 * @param rendezvous how the two sides find each other
 * @param path which device, and how packets travel
 * @param load what is sent
 * @param reporting what is printed
 */
record Settings(Program program, Rendezvous rendezvous, Path path, Load load, Reporting reporting) {

    /**
     * How the two sides find each other.
     *
     * @param server the server's host name, or null: then this side is the server
     * @param port the server's TCP port, 1..65535
     * @param loopback whether both sides run in this process
     */
    record Rendezvous(@Nullable String server, int port, boolean loopback) {}

    /**
     * Which device, and how packets travel.
     *
     * @param device its name, or null for the first one
     * @param port its port, from 1
     * @param gidIndex the GID, or {@link #ANY_GID}
     * @param mtu the wanted path MTU, or null for the port's
     * @param serviceLevel 0..15
     * @param ackTimeout code of the acknowledge timeout, 0..31
     */
    record Path(
            @Nullable String device,
            int port,
            int gidIndex,
            @Nullable Mtu mtu,
            int serviceLevel,
            int ackTimeout) {
        /** The best GID of the port is taken, or none where a LID is enough. */
        static final int ANY_GID = -1;
    }

    /**
     * What is sent.
     *
     * @param size bytes of a message; with {@code allSizes} the largest
     * @param allSizes whether to run all powers of two from 2 to {@link #LARGEST_OF_ALL}
     * @param iterations messages per queue pair; 0 with a duration
     * @param durationSeconds how long to run, or 0 for a number of iterations
     * @param marginSeconds how much of the duration, at its beginning and at its end, does not count
     * @param queuePairs how many queue pairs share the load
     * @param txDepth outstanding messages per queue pair
     * @param rxDepth outstanding receives per queue pair
     * @param postList messages per post
     * @param cqModeration messages per completion
     * @param inlineSize largest message sent inline, or {@link #DEFAULT_INLINE}
     * @param bidirectional whether both sides send
     * @param events whether to sleep until a completion's event instead of polling
     */
    record Load(
            long size,
            boolean allSizes,
            int iterations,
            int durationSeconds,
            int marginSeconds,
            int queuePairs,
            int txDepth,
            int rxDepth,
            int postList,
            int cqModeration,
            int inlineSize,
            boolean bidirectional,
            boolean events) {
        /** The size that {@code -a} ends with: 8 MiB. */
        static final long LARGEST_OF_ALL = 1L << 23;

        /** As much inline as the C programs ask of the device. */
        static final int DEFAULT_INLINE = -1;

        boolean isDuration() {
            return durationSeconds > 0;
        }
    }

    /**
     * What is printed.
     *
     * @param gbits bandwidths in Gb/s instead of MiB/s
     * @param peak whether the best bandwidth is searched
     * @param sorted whether to print all latencies, sorted
     * @param unsorted whether to print all latencies, in the order of the measurement
     */
    record Reporting(boolean gbits, boolean peak, boolean sorted, boolean unsorted) {}
}
