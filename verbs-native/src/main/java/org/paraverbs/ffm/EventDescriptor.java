// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.paraverbs.ffm.lib.LibC;
import org.paraverbs.ffm.lib.NativeCall;
import org.paraverbs.ffm.struct.LinuxConstants;
import org.paraverbs.ffm.struct.Pollfd;

/**
 * A descriptor that the kernel makes readable when there are events, and the threads that wait for it. Made non-blocking,
 * so that threads sleep in {@code poll(2)} only, together with a descriptor of ours by which closing wakes them.
 */
final class EventDescriptor {

    /** How late an interrupt may be noticed: nothing wakes a thread in poll(2) when it is interrupted. */
    private static final int SLICE_MS = 50;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final String description;
    private final int descriptor;
    private final int wake;

    /** How many threads use the descriptor; guarded by this, as the one below. */
    private int users;

    private boolean closed;

    /**
     * Takes a descriptor into use; it stays the library's.
     *
     * @param description what it belongs to, for messages
     * @param descriptor the descriptor
     */
    EventDescriptor(String description, int descriptor) {
        this.description = description;
        this.descriptor = descriptor;
        int flags = NativeCall.nonNegative(
                "fcntl", description, errno -> "", errno -> LibC.fcntl(errno, descriptor, LinuxConstants.F_GETFL, 0));
        NativeCall.nonNegative(
                "fcntl",
                description,
                errno -> "",
                errno -> LibC.fcntl(errno, descriptor, LinuxConstants.F_SETFL, flags | LinuxConstants.O_NONBLOCK));
        this.wake = NativeCall.nonNegative(
                "eventfd",
                description,
                errno -> "the process may have too many open files, see 'ulimit -n'",
                errno -> LibC.eventfd(errno, 0, LinuxConstants.EFD_CLOEXEC | LinuxConstants.EFD_NONBLOCK));
    }

    /**
     * Begins using the descriptor: it is not closed before {@link #exit()}.
     *
     * @throws IllegalStateException if it is closed
     */
    synchronized void enter() {
        requireOpen();
        users++;
    }

    synchronized void exit() {
        users--;
        notifyAll();
    }

    private synchronized void requireOpen() {
        if (closed) {
            throw new IllegalStateException(description + " is closed");
        }
    }

    /** Wakes all threads that wait, lets no other in, and returns when the last has left. */
    void close() {
        boolean interrupted = false;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            wake();
            while (users > 0) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    // What a thread waits in must not be destroyed, so closing cannot be given up.
                    interrupted = true;
                }
            }
        }
        LibC.close(wake);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void wake() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_LONG, 1);
            NativeCall.nonNegative(
                    "write", description, errno -> "", errno -> (int) LibC.write(errno, wake, one, one.byteSize()));
        }
    }

    /**
     * Waits until there may be an event. Between {@link #enter()} and {@link #exit()}.
     *
     * @param deadlineNs when to give up, of {@link #deadline}
     * @return whether there may be one; false after the deadline
     * @throws InterruptedException if the thread was interrupted
     * @throws IllegalStateException if it was closed in the meantime
     */
    boolean await(long deadlineNs) throws InterruptedException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment descriptors = arena.allocate(2 * Pollfd.SIZE, Integer.BYTES);
            Pollfd.fd(descriptors, 0, descriptor);
            Pollfd.events(descriptors, 0, LinuxConstants.POLLIN);
            Pollfd.fd(descriptors, Pollfd.SIZE, wake);
            Pollfd.events(descriptors, Pollfd.SIZE, LinuxConstants.POLLIN);
            while (true) {
                requireOpen();
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                long remainingNs = deadlineNs - System.nanoTime();
                // Rounded up, so that the last slice does not end before the deadline and spin.
                long remainingMs = Math.max(0, (remainingNs + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
                int timeoutMs = (int) Math.min(SLICE_MS, remainingMs);
                NativeCall.nonNegative(
                        "poll", description, errno -> "", errno -> LibC.poll(errno, descriptors, 2, timeoutMs));
                requireOpen();
                // Also POLLERR and POLLHUP, of a device that was removed: then taking the event says so.
                if (Pollfd.revents(descriptors, 0) != 0) {
                    return true;
                }
                if (remainingNs <= 0) {
                    return false;
                }
            }
        }
    }

    /** The moment on the clock of {@link System#nanoTime()} when a timeout that begins now ends. */
    static long deadline(Duration timeout) {
        long longestNs = Long.MAX_VALUE / 2;
        long timeoutNs = timeout.compareTo(Duration.ofNanos(longestNs)) < 0 ? timeout.toNanos() : longestNs;
        return System.nanoTime() + Math.max(0, timeoutNs);
    }
}
