// SPDX-License-Identifier: Apache-2.0
/* What the parts of the preload library share. */
#ifndef PVRDMA_EMU_CLIENT_H
#define PVRDMA_EMU_CLIENT_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "protocol.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* The C library's own functions, for the library itself and for what is none of its business. */
struct real {
    int (*open)(const char *, int, ...);
    int (*open64)(const char *, int, ...);
    int (*openat)(int, const char *, int, ...);
    int (*openat64)(int, const char *, int, ...);
    ssize_t (*write)(int, const void *, size_t);
    int (*close)(int);
    int (*socket)(int, int, int);
};
extern HIDDEN struct real real;

/* Where the emulator's socket and its sysfs tree lie. */
#define EMULATOR_DIRECTORY_SIZE 96 /* "/socket" behind it is still the path of a socket, which has 108 */
extern HIDDEN char emulator_directory[EMULATOR_DIRECTORY_SIZE];

/* Events that ibv_get_cq_event and ibv_get_async_event read: a pipe, of which the library fills the other end. */
struct event_pipe {
    struct event_pipe *next;
    int read_fd;
    int drain_fd; /* another way to the same end as read_fd, which never waits; -1 if there is none */
    int write_fd; /* -1 once nothing more comes */
    bool async;
    /* Events that found the pipe full, by element; seldom any. */
    struct lost {
        uint64_t element;
        uint32_t count;
    } *lost;
    size_t lost_count;
};

/* An open device. */
struct client {
    int fd; /* the memfd */
    int commands;
    int events;
    int copies; /* the third connection, -1 where the emulator reaches our memory itself */
    atomic_bool dead; /* the emulator is gone */
    struct shared_page *shared;
    struct bell_pages *bells;
    struct armed_pages *armed;
    struct copy_area *copy;
    /* The producer's index of each completion queue, by handle. */
    _Atomic(const _Atomic uint32_t *) tails[BELL_HANDLES];
    uint64_t ring_end; /* where in the memfd the next ring goes */
    uint64_t ticket[2];
    pthread_t watcher;
    bool watched;
    pthread_t copier;
    bool copying;
    pthread_mutex_t turn; /* one command at a time */
    pthread_mutex_t lock; /* the fields below */
    pthread_cond_t fence_passed;
    uint64_t fence;
    struct event_pipe *pipes;
    int references;
    struct ibv_context_ops ops; /* the provider's own */
    bool wrapped;
    _Atomic uint32_t empty_polls; /* one after the other */
};

/* The device, or null. */
HIDDEN struct client *client_of(int fd);
HIDDEN bool emulator_answers(void);
/* A file descriptor, or -1 and errno. */
HIDDEN int client_open(int flags);
/* Whether the file descriptor was one of ours; the caller closes it in either case. */
HIDDEN bool client_closing(int fd);
HIDDEN ssize_t client_command(struct client *, const void *, size_t);
HIDDEN void client_forked(void);

/* pipes.c */
HIDDEN struct event_pipe *pipe_open(struct client *, bool async);
HIDDEN void pipe_close(struct client *, int read_fd);
HIDDEN void *watch(void *client);
HIDDEN void await_fence(struct client *, uint64_t fence);
/* How many events of the element nobody will read; takes them out. */
HIDDEN uint32_t pipes_forget(struct client *, bool async, uint64_t element);
HIDDEN bool send_all(int fd, const void *, size_t);
HIDDEN bool receive_all(int fd, void *, size_t);

/* copies.c */
HIDDEN void *copy_for_emulator(void *client);

/* ops.c */
HIDDEN void wrap_operations(struct client *, uint64_t object);

/* files.c: who owns a file descriptor */
enum owner_kind { OWNER_NONE, OWNER_DEVICE, OWNER_PIPE };
HIDDEN bool owner_set(int fd, enum owner_kind, struct client *);
HIDDEN struct client *owner_get(int fd, enum owner_kind *);
HIDDEN struct client *owner_take(int fd, enum owner_kind *);

#endif
