// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest.wire;

/** The other side left, was silent for too long, or said something that perftest does not say. */
public final class PeerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what happened and what to do about it
     */
    public PeerException(String message) {
        super(message);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param message what happened and what to do about it
     * @param cause what the operating system said
     */
    public PeerException(String message, Throwable cause) {
        super(message, cause);
    }
}
