// SPDX-License-Identifier: Apache-2.0
/*
 * Events on their way from the emulator to the program. One thread for each open device takes them from the emulator's
 * connection and puts them in the pipes that the program reads; it also notices when the emulator is gone. With both ends of
 * a pipe at hand, the events of an object that is being destroyed can be taken out again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <rdma/ib_user_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

#define DEVICE_FATAL 8 /* IB_EVENT_DEVICE_FATAL of the kernel, IBV_EVENT_DEVICE_FATAL of verbs.h */

bool send_all(int fd, const void *from, size_t bytes) {
    const char *at = from;
    while (bytes > 0) {
        ssize_t sent = send(fd, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

bool receive_all(int fd, void *to, size_t bytes) {
    char *at = to;
    while (bytes > 0) {
        ssize_t received = recv(fd, at, bytes, 0);
        if (received < 0 && errno == EINTR) {
            continue;
        }
        if (received <= 0) {
            return false;
        }
        at += received;
        bytes -= (size_t)received;
    }
    return true;
}

/* What the program reads is one structure for completions, another for asynchronous events. */
static size_t record_size(const struct event_pipe *pipe) {
    return pipe->async ? sizeof(struct ib_uverbs_async_event_desc) : sizeof(struct ib_uverbs_comp_event_desc);
}

struct event_pipe *pipe_open(struct client *client, bool async) {
    struct event_pipe *pipe = calloc(1, sizeof *pipe);
    int ends[2];
    if (pipe == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        free(pipe);
        return NULL;
    }
    pipe->read_fd = ends[0];
    pipe->write_fd = ends[1];
    pipe->async = async;
    /* The watcher must not wait for a program that does not read. */
    fcntl(pipe->write_fd, F_SETFL, O_NONBLOCK);
    /* Whether read_fd waits is the program's affair, so the library reads through an open file of its own. */
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", pipe->read_fd);
    pipe->drain_fd = real.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (!owner_set(pipe->read_fd, OWNER_PIPE, client)) {
        if (pipe->drain_fd >= 0) {
            real.close(pipe->drain_fd);
        }
        real.close(ends[0]);
        real.close(ends[1]);
        free(pipe);
        errno = EMFILE;
        return NULL;
    }
    pthread_mutex_lock(&client->lock);
    pipe->next = client->pipes;
    client->pipes = pipe;
    client->references++;
    pthread_mutex_unlock(&client->lock);
    return pipe;
}

static void lose(struct event_pipe *pipe, uint64_t element) {
    for (size_t i = 0; i < pipe->lost_count; i++) {
        if (pipe->lost[i].element == element) {
            pipe->lost[i].count++;
            return;
        }
    }
    struct lost *more = realloc(pipe->lost, (pipe->lost_count + 1) * sizeof *more);
    if (more != NULL) {
        pipe->lost = more;
        more[pipe->lost_count++] = (struct lost){.element = element, .count = 1};
    }
}

/* Under the lock. An event that finds the pipe full is lost: thousands lie there that the program has not read. */
static void put(struct event_pipe *pipe, uint64_t element, uint32_t type) {
    union {
        struct ib_uverbs_async_event_desc async;
        struct ib_uverbs_comp_event_desc completion;
    } record;
    memset(&record, 0, sizeof record);
    if (pipe->async) {
        record.async.element = element;
        record.async.event_type = type;
    } else {
        record.completion.cq_handle = element;
    }
    if (pipe->write_fd >= 0 &&
        real.write(pipe->write_fd, &record, record_size(pipe)) != (ssize_t)record_size(pipe)) {
        lose(pipe, element);
    }
}

static void deliver(struct client *client, const struct event *event) {
    pthread_mutex_lock(&client->lock);
    if (event->kind == EVENT_FENCE) {
        client->fence = event->element;
        pthread_cond_broadcast(&client->fence_passed);
    } else {
        for (struct event_pipe *pipe = client->pipes; pipe != NULL; pipe = pipe->next) {
            if (pipe->async ? event->kind == EVENT_ASYNC
                            : event->kind == EVENT_COMPLETION && event->channel == pipe->read_fd) {
                put(pipe, event->element, event->type);
            }
        }
    }
    pthread_mutex_unlock(&client->lock);
}

/* The emulator is gone: readers of asynchronous events learn it from an event, and all readers from the end of file. */
static void emulator_gone(struct client *client) {
    pthread_mutex_lock(&client->lock);
    atomic_store(&client->dead, true);
    for (struct event_pipe *pipe = client->pipes; pipe != NULL; pipe = pipe->next) {
        if (pipe->async) {
            put(pipe, 0, DEVICE_FATAL);
        }
        if (pipe->write_fd >= 0) {
            real.close(pipe->write_fd);
            pipe->write_fd = -1;
        }
    }
    pthread_cond_broadcast(&client->fence_passed);
    pthread_mutex_unlock(&client->lock);
}

void *watch(void *argument) {
    struct client *client = argument;
    struct event event;
    while (receive_all(client->events, &event, sizeof event)) {
        deliver(client, &event);
    }
    emulator_gone(client);
    return NULL;
}

void await_fence(struct client *client, uint64_t fence) {
    pthread_mutex_lock(&client->lock);
    while (client->fence < fence && !atomic_load(&client->dead)) {
        pthread_cond_wait(&client->fence_passed, &client->lock);
    }
    pthread_mutex_unlock(&client->lock);
}

/* Under the lock. Takes everything out of the pipe without waiting, and puts back what is not the element's. */
static uint32_t forget(struct event_pipe *pipe, uint64_t element) {
    size_t size = record_size(pipe);
    uint32_t forgotten = 0;
    for (size_t i = 0; i < pipe->lost_count; i++) {
        if (pipe->lost[i].element == element) {
            forgotten += pipe->lost[i].count;
            pipe->lost[i] = pipe->lost[--pipe->lost_count];
            break;
        }
    }
    if (pipe->write_fd < 0 || pipe->drain_fd < 0) {
        return forgotten;
    }
    char *kept = malloc(65536);
    size_t kept_bytes = 0;
    while (kept != NULL && kept_bytes + size <= 65536 &&
           read(pipe->drain_fd, kept + kept_bytes, size) == (ssize_t)size) {
        uint64_t found;
        memcpy(&found, kept + kept_bytes, sizeof found); /* both structures begin with it */
        if (found == element) {
            forgotten++;
        } else {
            kept_bytes += size;
        }
    }
    for (size_t at = 0; at < kept_bytes; at += size) {
        (void)!real.write(pipe->write_fd, kept + at, size);
    }
    free(kept);
    return forgotten;
}

uint32_t pipes_forget(struct client *client, bool async, uint64_t element) {
    uint32_t forgotten = 0;
    pthread_mutex_lock(&client->lock);
    for (struct event_pipe *pipe = client->pipes; pipe != NULL; pipe = pipe->next) {
        if (pipe->async == async) {
            forgotten += forget(pipe, element);
        }
    }
    pthread_mutex_unlock(&client->lock);
    return forgotten;
}

void pipe_close(struct client *client, int read_fd) {
    pthread_mutex_lock(&client->lock);
    struct event_pipe **place = &client->pipes;
    while (*place != NULL && (*place)->read_fd != read_fd) {
        place = &(*place)->next;
    }
    struct event_pipe *pipe = *place;
    if (pipe != NULL) {
        *place = pipe->next;
    }
    pthread_mutex_unlock(&client->lock);
    if (pipe == NULL) {
        return;
    }
    if (pipe->write_fd >= 0) {
        real.close(pipe->write_fd);
    }
    if (pipe->drain_fd >= 0) {
        real.close(pipe->drain_fd);
    }
    free(pipe->lost);
    free(pipe);
}
