// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * A completion, as a view on the current entry of a completion queue ({@code struct ibv_wc}, {@code ibv_poll_cq(3)}).
 *
 * <p>The object is always the same for one queue and shows the next completion after the next poll: read it at once or
 * {@link #copy()} it. It belongs to the thread that polls.
 */
public interface WorkCompletion {

    /** The id that the request was given when it was posted. */
    long id();

    /** How the request ended; {@link CompletionStatus#UNKNOWN} if this version does not know {@link #rawStatus()}. */
    CompletionStatus status();

    /** The code of the status as the device gave it. */
    int rawStatus();

    /** What completed; meaningless, as {@link #byteLength()} and {@link #immediate()}, unless successful. */
    Opcode opcode();

    /**
     * The number of bytes that were received or read, with the {@value QueuePair#GLOBAL_ROUTE_HEADER_BYTES} bytes in front
     * of a datagram. Undefined for other requests of the sender.
     */
    long byteLength();

    /** Whether the peer sent immediate data with a message that was received. */
    boolean hasImmediate();

    /** The immediate data, in host order, if {@link #hasImmediate()}. */
    int immediate();

    /** Whether the message that was received has invalidated a key ({@code IBV_WC_WITH_INV}). */
    default boolean hasInvalidatedKey() {
        return false;
    }

    /** The remote key of ours that the peer invalidated, if {@link #hasInvalidatedKey()}. */
    default int invalidatedKey() {
        return 0;
    }

    /** The number of the queue pair whose request completed, 24 bits. */
    int qpn();

    /** The number of the queue pair that sent a datagram (UD), 24 bits. Undefined for other completions. */
    int sourceQpn();

    /** The LID of the sender of a datagram on InfiniBand; 0 on Ethernet. Undefined for other completions. */
    int sourceLid();

    /** The service level that a datagram came with, 0 to 15. Undefined for other completions. */
    int serviceLevel();

    /**
     * Whether the first {@value QueuePair#GLOBAL_ROUTE_HEADER_BYTES} bytes of a datagram's receive hold its global route
     * header ({@code IBV_WC_GRH}); {@link Context#replyRoute} reads it. Always so on Ethernet; those bytes are set aside
     * either way.
     */
    boolean hasGlobalRouteHeader();

    /** The vendor's own error code of a failed request, for support; 0 if there is none. */
    int vendorError();

    /**
     * Whether there is a {@link #timestamp()}: of a successful completion, in a queue of {@link
     * Context#createTimestampedCompletionQueue}.
     */
    default boolean hasTimestamp() {
        return false;
    }

    /** When the completion was made, by the {@link TimestampClock} of its queue; 0 if there is none. */
    default long timestamp() {
        return 0;
    }

    /** Whether the request succeeded. */
    default boolean isSuccess() {
        return rawStatus() == 0;
    }

    /**
     * Throws if the request failed.
     *
     * @return this
     * @throws WorkCompletionException if the request failed
     */
    default WorkCompletion requireSuccess() {
        if (!isSuccess()) {
            throw new WorkCompletionException(copy());
        }
        return this;
    }

    /** A copy that may be kept. */
    default CompletionRecord copy() {
        return new CompletionRecord(
                id(),
                status(),
                rawStatus(),
                opcode(),
                byteLength(),
                hasImmediate(),
                immediate(),
                qpn(),
                sourceQpn(),
                sourceLid(),
                serviceLevel(),
                hasGlobalRouteHeader(),
                vendorError(),
                hasInvalidatedKey(),
                invalidatedKey(),
                hasTimestamp(),
                timestamp());
    }
}
