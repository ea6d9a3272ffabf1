// SPDX-License-Identifier: Apache-2.0
/* Which file descriptors stand for something of the emulated device. Looked at by every write and close of the program. */
#include "client.h"

#define MAX_FD 65536

/* The address of the client, with the kind in its lowest bits; 0 for files that are not ours. */
static _Atomic uintptr_t owners[MAX_FD];

bool owner_set(int fd, enum owner_kind kind, struct client *client) {
    if (fd < 0 || fd >= MAX_FD) {
        return false;
    }
    atomic_store(&owners[fd], (uintptr_t)client | (uintptr_t)kind);
    return true;
}

static struct client *decode(uintptr_t owner, enum owner_kind *kind) {
    *kind = (enum owner_kind)(owner & 3);
    return (struct client *)(owner & ~(uintptr_t)3);
}

struct client *owner_get(int fd, enum owner_kind *kind) {
    if (fd < 0 || fd >= MAX_FD) {
        *kind = OWNER_NONE;
        return NULL;
    }
    return decode(atomic_load_explicit(&owners[fd], memory_order_acquire), kind);
}

struct client *owner_take(int fd, enum owner_kind *kind) {
    if (fd < 0 || fd >= MAX_FD || atomic_load_explicit(&owners[fd], memory_order_relaxed) == 0) {
        *kind = OWNER_NONE;
        return NULL;
    }
    return decode(atomic_exchange(&owners[fd], 0), kind);
}

struct client *client_of(int fd) {
    enum owner_kind kind;
    struct client *client = owner_get(fd, &kind);
    return kind == OWNER_DEVICE ? client : NULL;
}
