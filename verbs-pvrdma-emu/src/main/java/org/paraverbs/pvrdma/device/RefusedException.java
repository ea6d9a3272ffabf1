// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.paraverbs.verbs.Errno;

/** The device refuses a command or a control write: an errno number for {@code ERR}, and words for the log. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final Errno errno;

    RefusedException(Errno errno, String reason) {
        super(reason, null, false, false);
        this.errno = errno;
    }

    Errno errno() {
        return errno;
    }

    static RefusedException invalid(String reason) {
        return new RefusedException(Errno.EINVAL, reason);
    }

    /** Refuses with EINVAL unless {@code holds}. */
    static void unless(boolean holds, String what, long value) throws RefusedException {
        if (!holds) {
            throw invalid(what + ": " + value);
        }
    }
}
