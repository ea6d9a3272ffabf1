// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The error numbers that verbs answer with, as Linux numbers them on x86-64 and aarch64 ({@code errno(3)},
 * {@code asm-generic/errno.h}).
 */
public enum Errno {
    /** Not permitted. */
    EPERM(1),
    /** No such entry. */
    ENOENT(2),
    /** Interrupted by a signal. */
    EINTR(4),
    /** Input or output error. */
    EIO(5),
    /** No such device or address. */
    ENXIO(6),
    /** Too large. */
    E2BIG(7),
    /** Bad file descriptor. */
    EBADF(9),
    /** Nothing there yet. */
    EAGAIN(11),
    /** Out of memory, of a limit, or of room in a queue. */
    ENOMEM(12),
    /** Permission denied. */
    EACCES(13),
    /** Bad address; on PVRDMA also any refusal of the device. */
    EFAULT(14),
    /** Still in use. */
    EBUSY(16),
    /** Exists already. */
    EEXIST(17),
    /** No such device. */
    ENODEV(19),
    /** Invalid argument. */
    EINVAL(22),
    /** Too many open files in the system. */
    ENFILE(23),
    /** Too many open files in the process. */
    EMFILE(24),
    /** No space left. */
    ENOSPC(28),
    /** Read-only. */
    EROFS(30),
    /** Out of range. */
    ERANGE(34),
    /** Not implemented by the kernel. */
    ENOSYS(38),
    /** No data; for an address: its table entry is empty. */
    ENODATA(61),
    /** Timer expired. */
    ETIME(62),
    /** Protocol error. */
    EPROTO(71),
    /** Value too large. */
    EOVERFLOW(75),
    /** Message too long. */
    EMSGSIZE(90),
    /** Protocol not supported. */
    EPROTONOSUPPORT(93),
    /** Operation not supported. */
    EOPNOTSUPP(95),
    /** Address in use. */
    EADDRINUSE(98),
    /** Address not available. */
    EADDRNOTAVAIL(99),
    /** Network is down. */
    ENETDOWN(100),
    /** Network unreachable. */
    ENETUNREACH(101),
    /** Connection reset. */
    ECONNRESET(104),
    /** No buffer space. */
    ENOBUFS(105),
    /** Timed out. */
    ETIMEDOUT(110),
    /** Connection refused. */
    ECONNREFUSED(111),
    /** Host unreachable. */
    EHOSTUNREACH(113),
    /** A number that this version does not know; see {@link VerbsException#errno()}. */
    UNKNOWN(0);

    private static final @Nullable Errno[] BY_NUMBER = new Errno[128];

    static {
        for (Errno errno : values()) {
            BY_NUMBER[errno.number] = errno;
        }
    }

    private final int number;

    Errno(int number) {
        this.number = number;
    }

    /** The number; 0 for {@link #UNKNOWN}. */
    public int number() {
        return number;
    }

    /**
     * The constant of a number.
     *
     * @param number as a system call or a verb gave it
     * @return the constant, {@link #UNKNOWN} if there is none
     */
    public static Errno of(int number) {
        Errno known = number > 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
        return known == null ? UNKNOWN : known;
    }
}
