// SPDX-License-Identifier: Apache-2.0
/*
 * The operations of the data path, which the provider carries out in user space and of which the emulator must hear. The
 * provider's doorbell is a word of memory in which values overwrite one another, so each is wrapped: first the provider's
 * own, then a bit that says what was rung.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

#define YIELDS 32

/* Sleeping for the shortest time takes some 50 us: a quarter of a second in all. */
#define LOOKS_BEFORE_SLEEP 200u
#define MOST_LOOKS 5000u

static void ring(struct client *client, int bell, uint32_t handle) {
    if (handle >= BELL_HANDLES) {
        return;
    }
    uint32_t word = handle / 64;
    atomic_fetch_or(&client->bells->bits[bell][word], UINT64_C(1) << (handle % 64));
    atomic_fetch_or(&client->shared->summary[bell][word / 64], UINT64_C(1) << (word % 64));
    if (atomic_load(&client->shared->pending) == 0) {
        atomic_store(&client->shared->pending, 1);
    }
    if (atomic_load(&client->shared->asleep) != 0 && atomic_exchange(&client->shared->asleep, 0) != 0) {
        char wake = 0;
        /* When the buffer is full, enough of these are on their way. */
        (void)!send(client->events, &wake, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
    struct client *client = client_of(qp->context->cmd_fd);
    if (atomic_load_explicit(&client->dead, memory_order_relaxed)) {
        *bad = wr;
        return EIO;
    }
    int result = client->ops.post_send(qp, wr, bad);
    ring(client, BELL_SEND, qp->handle); /* also after an error: what came before it is posted */
    return result;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    struct client *client = client_of(qp->context->cmd_fd);
    if (atomic_load_explicit(&client->dead, memory_order_relaxed)) {
        *bad = wr;
        return EIO;
    }
    int result = client->ops.post_recv(qp, wr, bad);
    ring(client, BELL_RECEIVE, qp->handle);
    return result;
}

/* Waits until the emulator has armed a queue; not for ever, since it may be stopped. */
static void await_armed(_Atomic uint32_t *armed, atomic_bool *dead) {
    static const struct timespec shortest = {.tv_nsec = 1000};
    for (uint32_t looks = 0; looks < MOST_LOOKS; looks++) {
        if ((atomic_load(armed) & ARMING) == 0 || atomic_load(dead)) {
            return;
        }
        if (looks >= LOOKS_BEFORE_SLEEP) {
            clock_nanosleep(CLOCK_MONOTONIC, 0, &shortest, NULL);
        }
    }
    atomic_fetch_and(armed, ~ARMING);
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only) {
    struct client *client = client_of(cq->context->cmd_fd);
    if (atomic_load_explicit(&client->dead, memory_order_relaxed)) {
        return EIO;
    }
    _Atomic uint32_t *armed = NULL;
    if (cq->handle < BELL_HANDLES) {
        const _Atomic uint32_t *tail = atomic_load(&client->tails[cq->handle]);
        if (tail != NULL) {
            armed = &client->armed->tail[cq->handle];
            atomic_store(armed, atomic_load(tail) | (solicited_only ? ARMING : 0));
        }
    }
    int result = client->ops.req_notify_cq(cq, solicited_only);
    ring(client, solicited_only ? BELL_ARM_SOLICITED : BELL_ARM, cq->handle);
    if (solicited_only && armed != NULL) {
        await_armed(armed, &client->dead);
    }
    return result;
}

/*
 * A program that polls in vain, while more threads want to run than there are cores, keeps the emulator from running. It
 * yields, and when that does not help, which is when others keep polling too, it sleeps for the shortest time there is.
 */
static void make_room(struct client *client) {
    static const struct timespec shortest = {.tv_nsec = 1000};
    if (atomic_load_explicit(&client->shared->crowded, memory_order_relaxed) == 0) {
        return;
    }
    uint32_t polls = atomic_load_explicit(&client->empty_polls, memory_order_relaxed);
    if (polls < YIELDS) {
        atomic_store_explicit(&client->empty_polls, polls + 1, memory_order_relaxed);
        sched_yield();
    } else {
        clock_nanosleep(CLOCK_MONOTONIC, 0, &shortest, NULL);
    }
}

static int poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc) {
    struct client *client = client_of(cq->context->cmd_fd);
    int result = client->ops.poll_cq(cq, entries, wc);
    if (result == 0) {
        if (atomic_load_explicit(&client->dead, memory_order_relaxed)) {
            return -1; /* nothing will ever come: a program that only polls must hear of it here */
        }
        make_room(client);
    } else {
        atomic_store_explicit(&client->empty_polls, 0, memory_order_relaxed);
    }
    return result;
}

/* Reads memory that the program has named, which may be none. */
static bool peek(const void *address, void *to, size_t bytes) {
    struct iovec here = {.iov_base = to, .iov_len = bytes};
    struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = bytes};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

/*
 * The context of a completion queue or shared receive queue that is being created. libibverbs names the object to the kernel by
 * its address, and the first field of either structure is the context, which is set already.
 */
void wrap_operations(struct client *client, uint64_t object) {
    struct ibv_context *context = NULL;
    int cmd_fd = -1;
    if (client->wrapped || !peek((const void *)(uintptr_t)object, &context, sizeof context) || context == NULL ||
        !peek(&context->cmd_fd, &cmd_fd, sizeof cmd_fd) || cmd_fd != client->fd) {
        return;
    }
    client->ops = context->ops;
    client->wrapped = true;
    atomic_thread_fence(memory_order_seq_cst);
    context->ops.post_send = post_send;
    context->ops.post_recv = post_recv;
    context->ops.req_notify_cq = req_notify_cq;
    context->ops.poll_cq = poll_cq;
}
