// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * Something that was opened, allocated or created through a {@link Context} and holds resources of the device.
 *
 * <p>All resources of a context stand in one list in creation order. {@link #close()} first closes what depends on the
 * resource, newest first, then the resource itself, so that closing a {@link Context} alone is always correct.
 *
 * <p>Closing is safe while other threads use the resource, on every backend: a call that has begun runs to its end, a
 * later one throws {@link IllegalStateException}.
 */
public interface VerbsResource extends AutoCloseable {

    /** Whether {@link #close()} has not been called yet. */
    boolean isOpen();

    /**
     * Closes all that depends on this resource, newest first, and then the resource. Closing again does nothing. A
     * failure does not stop the others from being closed: the first is thrown, the rest are its suppressed exceptions.
     *
     * @throws VerbsException if the device refused to release something
     */
    @Override
    void close();
}
