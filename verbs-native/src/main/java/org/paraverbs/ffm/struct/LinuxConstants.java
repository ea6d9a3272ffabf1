// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.ffm.struct;

/**
 * The numbers of the C library and the kernel that waiting and huge pages need, by their names in C. A test compares each
 * with what the layout probe prints.
 */
public final class LinuxConstants {
    // poll(2)
    public static final int POLLIN = 1;
    public static final int POLLERR = 8;
    public static final int POLLHUP = 16;
    public static final int POLLNVAL = 32;

    // fcntl(2)
    public static final int F_GETFL = 3;
    public static final int F_SETFL = 4;
    public static final int O_NONBLOCK = 2048;

    // eventfd(2)
    public static final int EFD_CLOEXEC = 524288;
    public static final int EFD_NONBLOCK = 2048;

    // mmap(2), madvise(2)
    public static final int PROT_READ = 1;
    public static final int PROT_WRITE = 2;
    public static final int MAP_PRIVATE = 2;
    public static final int MAP_ANONYMOUS = 32;
    public static final int MADV_HUGEPAGE = 14;
    public static final int O_RDONLY = 0;
    public static final int O_CREAT = 0x40;
    public static final int O_CLOEXEC = 0x8_0000;

    private LinuxConstants() {}
}
