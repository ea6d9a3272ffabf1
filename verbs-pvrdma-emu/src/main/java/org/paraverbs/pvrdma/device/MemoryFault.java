// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.device;

/**
 * Tells memory that a guest took away from a fault of the device's own. Both arrive as exceptions in the middle of work; the first
 * is the guest's affair, the second must not happen and must not stay hidden.
 */
final class MemoryFault {
    private static final String OURS = "org.paraverbs.";

    /**
     * Whether the JDK refused an access to a guest's memory: its scope is closed, it is read-only, another thread's, shorter than it
     * was, or, by {@link InternalError}, a mapped file that was cut short.
     */
    static boolean isGuests(Throwable failure) {
        if (failure instanceof InternalError) {
            return true;
        }
        boolean possible = failure instanceof IllegalStateException
                || failure instanceof IllegalArgumentException
                || failure instanceof IndexOutOfBoundsException
                || failure instanceof UnsupportedOperationException
                || failure instanceof WrongThreadException;
        if (!possible) {
            return false;
        }
        for (StackTraceElement frame : failure.getStackTrace()) {
            String where = frame.getClassName();
            if (where.startsWith("jdk.internal.foreign.") || where.startsWith("jdk.internal.misc.ScopedMemoryAccess")) {
                return true;
            }
            if (where.startsWith(OURS)) {
                return false;
            }
        }
        return false;
    }

    private MemoryFault() {}
}
