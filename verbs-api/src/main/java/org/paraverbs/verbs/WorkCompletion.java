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

    /** The number of bytes that were received or read. Undefined for other requests of the sender. */
    long byteLength();

    /** Whether the peer sent immediate data with a message that was received. */
    boolean hasImmediate();

    /** The immediate data, in host order, if {@link #hasImmediate()}. */
    int immediate();

    /** The number of the queue pair whose request completed, 24 bits. */
    int qpn();

    /** The vendor's own error code of a failed request, for support; 0 if there is none. */
    int vendorError();

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
                id(), status(), rawStatus(), opcode(), byteLength(), hasImmediate(), immediate(), qpn(), vendorError());
    }
}
