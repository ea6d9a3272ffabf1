// SPDX-License-Identifier: Apache-2.0
/*
 * Where the emulator is not permitted to read and write the memory of this process (Yama, see proc(5) on /proc/PID/mem), a thread does
 * so for it. By the kernel, so that an address that is none, or not ours to write, is an error and not a signal.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client.h"

static int copy(struct copy_area *area) {
    uint32_t bytes = area->bytes;
    if (bytes > COPY_BYTES) {
        return EINVAL;
    }
    struct iovec here = {.iov_base = area->data, .iov_len = bytes};
    struct iovec there = {.iov_base = (void *)(uintptr_t)area->address, .iov_len = bytes};
    ssize_t moved = area->writing != 0 ? process_vm_writev(getpid(), &here, 1, &there, 1, 0)
                                       : process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    return moved == (ssize_t)bytes ? 0 : EFAULT;
}

void *copy_for_emulator(void *argument) {
    struct client *client = argument;
    char wake;
    while (receive_all(client->copies, &wake, 1)) {
        uint32_t asked = atomic_load(&client->copy->asked);
        client->copy->result = copy(client->copy);
        atomic_store(&client->copy->answered, asked);
    }
    return NULL;
}
