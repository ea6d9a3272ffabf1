// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** How far a measured loop has come, for whoever shows it; the loop pays one plain store. */
final class Progress {
    private static final VarHandle MESSAGES;

    static {
        try {
            MESSAGES = MethodHandles.lookup().findVarHandle(Progress.class, "messages", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Written by the loop, read by another thread, both opaque: a late value does no harm, a torn one would.
    private long messages;

    void set(long completed) {
        MESSAGES.setOpaque(this, completed);
    }

    long messages() {
        return (long) MESSAGES.getOpaque(this);
    }
}
