// SPDX-License-Identifier: Apache-2.0
//
// What the binding needs of the system beside libibverbs.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include "probe.h"

void system_calls(void) {
    STRUCT(pollfd);
    FIELD(pollfd, fd);
    FIELD(pollfd, events);
    FIELD(pollfd, revents);

    CONST(POLLIN);
    CONST(POLLERR);
    CONST(POLLHUP);
    CONST(POLLNVAL);
    CONST(F_GETFL);
    CONST(F_SETFL);
    CONST(O_NONBLOCK);
    CONST(O_RDONLY);
    CONST(O_CREAT);
    CONST(O_CLOEXEC);
    CONST(EFD_CLOEXEC);
    CONST(EFD_NONBLOCK);
    CONST(PROT_READ);
    CONST(PROT_WRITE);
    CONST(MAP_PRIVATE);
    CONST(MAP_ANONYMOUS);
    CONST(MAP_HUGETLB);
    CONST(MADV_HUGEPAGE);
    CONST(EPERM);
    CONST(ENOENT);
    CONST(EINTR);
    CONST(EAGAIN);
    CONST(ENOMEM);
    CONST(EACCES);
    CONST(EFAULT);
    CONST(EBUSY);
    CONST(ENODEV);
    CONST(EINVAL);
    CONST(ENOSYS);
    CONST(ENODATA);
    CONST(EOPNOTSUPP);
    CONST(ETIMEDOUT);
}
