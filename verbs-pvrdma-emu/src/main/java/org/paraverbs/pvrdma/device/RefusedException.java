// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

import org.jspecify.annotations.Nullable;
import org.paraverbs.verbs.Errno;

/** The device refuses a command or a control write: an errno number for {@code ERR}, and words for the log. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final Errno errno;

    /** The limit that was run into, if it was one. */
    private final @Nullable String limit;

    RefusedException(Errno errno, String reason) {
        this(errno, null, reason);
    }

    private RefusedException(Errno errno, @Nullable String limit, String reason) {
        super(reason, null, false, false);
        this.errno = errno;
        this.limit = limit;
    }

    Errno errno() {
        return errno;
    }

    @Nullable
    String limit() {
        return limit;
    }

    /** For {@link Limit}. */
    static RefusedException ofLimit(Errno errno, String limit, String reason) {
        return new RefusedException(errno, limit, reason);
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
