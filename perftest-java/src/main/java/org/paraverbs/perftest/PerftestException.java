// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

/** A reason why a program cannot go on, in words for its user, and the exit status that it has in the C programs. */
final class PerftestException extends RuntimeException {
    /** Most errors. */
    static final int FAILED = 1;

    /** The measured loop of a latency test ended early. */
    static final int RUN_FAILED = 17;

    private static final long serialVersionUID = 1L;

    private final int exitStatus;

    PerftestException(String message) {
        this(message, FAILED);
    }

    PerftestException(String message, int exitStatus) {
        super(message);
        this.exitStatus = exitStatus;
    }

    int exitStatus() {
        return exitStatus;
    }
}
