// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

/** The user ended the measurement, and what was measured has been printed. */
final class StoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoppedException() {
        super("stopped before its end; the last result is of the messages until then");
    }
}
