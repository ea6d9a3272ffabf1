// SPDX-License-Identifier: Apache-2.0
/*
 * Makes the PVRDMA device of a Paraverbs emulator appear to the libibverbs of this process, for LD_PRELOAD. Stands in front of
 * those functions of the C library by which libibverbs looks for devices and talks to the kernel, and lets everything pass
 * that is not about /dev/infiniband/uverbs0. Without an emulator there is no device, and nothing else is different.
 *
 * PVRDMA_EMU names the emulator's directory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "client.h"

#define EXPORT __attribute__((visibility("default")))
#define DEVICE_PATH "/dev/infiniband/uverbs0"
#define DEVICE_NUMBER makedev(231, 192)

struct real real;
char emulator_directory[EMULATOR_DIRECTORY_SIZE];
static bool active;

/* Found when first needed: another library's constructor may be there before ours. */
static void *next_of(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "pvrdma-emu: the C library has no function %s\n", name);
        abort();
    }
    return found;
}

#define REAL(name)                                                                                                     \
    do {                                                                                                               \
        if (real.name == NULL) {                                                                                       \
            *(void **)&real.name = next_of(#name);                                                                     \
        }                                                                                                              \
    } while (0)

static void find_all(void) {
    REAL(open);
    REAL(open64);
    REAL(openat);
    REAL(openat64);
    REAL(write);
    REAL(close);
    REAL(socket);
}

/* The emulator may read this process's memory, so it has to be one of this user's. */
static bool is_own(const char *directory) {
    struct stat status;
    if (fstatat(AT_FDCWD, directory, &status, 0) != 0) {
        return false; /* no emulator */
    }
    bool own = status.st_uid == geteuid() && (status.st_mode & 077) == 0;
    if (!own) {
        fprintf(stderr, "pvrdma-emu: %s has to belong to this user, and nobody else may enter it\n", directory);
    }
    return own;
}

__attribute__((constructor)) static void start(void) {
    find_all();
    const char *directory = getenv("PVRDMA_EMU");
    if (directory == NULL || *directory == 0) {
        return;
    }
    if (strlen(directory) >= sizeof emulator_directory) {
        fprintf(stderr, "pvrdma-emu: PVRDMA_EMU is too long for the path of a socket: %s\n", directory);
        return;
    }
    if (!is_own(directory)) {
        return;
    }
    strcpy(emulator_directory, directory);
    char sysfs[sizeof emulator_directory + 16];
    snprintf(sysfs, sizeof sysfs, "%s/sysfs", directory);
    setenv("SYSFS_PATH", sysfs, 1); /* where libibverbs looks for devices */
    pthread_atfork(NULL, NULL, client_forked);
    active = true;
}

static bool is_device(const char *path) {
    return active && strcmp(path, DEVICE_PATH) == 0;
}

/* --- opening */

static bool has_mode(int flags) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE(flags, mode)                                                                                              \
    mode_t mode = 0;                                                                                                   \
    if (has_mode(flags)) {                                                                                             \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode = va_arg(arguments, mode_t);                                                                              \
        va_end(arguments);                                                                                             \
    }

EXPORT int open(const char *path, int flags, ...) {
    MODE(flags, mode);
    REAL(open);
    return is_device(path) ? client_open(flags) : real.open(path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...) {
    MODE(flags, mode);
    REAL(open64);
    return is_device(path) ? client_open(flags) : real.open64(path, flags, mode);
}

EXPORT int openat(int directory, const char *path, int flags, ...) {
    MODE(flags, mode);
    REAL(openat);
    return is_device(path) ? client_open(flags) : real.openat(directory, path, flags, mode);
}

EXPORT int openat64(int directory, const char *path, int flags, ...) {
    MODE(flags, mode);
    REAL(openat64);
    return is_device(path) ? client_open(flags) : real.openat64(directory, path, flags, mode);
}

/* --- asking about files */

static void describe(struct stat *status) {
    status->st_mode = S_IFCHR | 0600;
    status->st_rdev = DEVICE_NUMBER;
}

/* Without an emulator that answers there is no device file, which hides the device. */
static int stat_device(struct stat *status) {
    if (!emulator_answers()) {
        errno = ENOENT;
        return -1;
    }
    memset(status, 0, sizeof *status);
    describe(status);
    return 0;
}

static int stat_path(const char *path, struct stat *status) {
    return is_device(path) ? stat_device(status) : fstatat(AT_FDCWD, path, status, 0);
}

static int stat_file(int fd, struct stat *status) {
    /* Straight to the kernel: fstatat with an empty path does not come back here. */
    int result = fstatat(fd, "", status, AT_EMPTY_PATH);
    if (result == 0 && client_of(fd) != NULL) {
        describe(status);
    }
    return result;
}

EXPORT int stat(const char *path, struct stat *status) {
    return stat_path(path, status);
}

EXPORT int fstat(int fd, struct stat *status) {
    return stat_file(fd, status);
}

/* On 64-bit machines the two structures are the same. */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "struct stat64 is another one here");

EXPORT int stat64(const char *path, struct stat64 *status) {
    return stat_path(path, (struct stat *)status);
}

EXPORT int fstat64(int fd, struct stat64 *status) {
    return stat_file(fd, (struct stat *)status);
}

/* What programs built with a C library older than 2.33 call. */
EXPORT int __xstat(int version, const char *path, struct stat *status);
EXPORT int __xstat64(int version, const char *path, struct stat64 *status);
EXPORT int __fxstat(int version, int fd, struct stat *status);
EXPORT int __fxstat64(int version, int fd, struct stat64 *status);

EXPORT int __xstat(int version, const char *path, struct stat *status) {
    (void)version;
    return stat_path(path, status);
}

EXPORT int __xstat64(int version, const char *path, struct stat64 *status) {
    (void)version;
    return stat_path(path, (struct stat *)status);
}

EXPORT int __fxstat(int version, int fd, struct stat *status) {
    (void)version;
    return stat_file(fd, status);
}

EXPORT int __fxstat64(int version, int fd, struct stat64 *status) {
    (void)version;
    return stat_file(fd, (struct stat *)status);
}

/* --- the rest */

EXPORT ssize_t write(int fd, const void *bytes, size_t size) {
    REAL(write);
    struct client *client = client_of(fd);
    return client == NULL ? real.write(fd, bytes, size) : client_command(client, bytes, size);
}

EXPORT int close(int fd) {
    REAL(close);
    int before = errno;
    if (client_closing(fd)) {
        errno = before;
    }
    return real.close(fd);
}

EXPORT int socket(int domain, int type, int protocol) {
    REAL(socket);
    if (active && domain == AF_NETLINK && protocol == NETLINK_RDMA) {
        /* The kernel's list of devices, where it has one, would be believed before sysfs. */
        errno = EPROTONOSUPPORT;
        return -1;
    }
    return real.socket(domain, type, protocol);
}
