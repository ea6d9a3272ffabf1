// SPDX-License-Identifier: Apache-2.0
/* An open device: the connection to the emulator, and the commands that go over it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/vmw_pvrdma-abi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"

#define MAX_COMMAND 4096
#define MAX_RESPONSE 4096
#define THREAD_STACK (128 * 1024)

/* Clients that are open, for the child of a fork. */
static pthread_mutex_t clients_lock = PTHREAD_MUTEX_INITIALIZER;
static struct client *clients[64];
#define MAX_CLIENTS ((int)(sizeof clients / sizeof clients[0]))

static int connect_to_emulator(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", emulator_directory) >=
        (int)sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = real.socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        real.close(fd);
        errno = ENODEV;
        return -1;
    }
    return fd;
}

bool emulator_answers(void) {
    int fd = connect_to_emulator();
    if (fd >= 0) {
        real.close(fd);
    }
    return fd >= 0;
}

/* --- opening and closing */

static int open_memfd(int flags) {
    /* The name is what programs see in /proc/self/fd. */
    int fd = memfd_create("infiniband/uverbs0", MFD_ALLOW_SEALING | ((flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0));
    /* Nobody in this process can pull the rings away under the emulator. */
    if (fd >= 0 && (ftruncate(fd, RINGS_OFFSET) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0)) {
        real.close(fd);
        fd = -1;
    }
    return fd;
}

static bool map_shared(struct client *client) {
    char *pages = mmap(NULL, RINGS_OFFSET - SHARED_PAGE_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED, client->fd,
                       SHARED_PAGE_OFFSET);
    if (pages == MAP_FAILED) {
        return false;
    }
    client->shared = (struct shared_page *)pages;
    client->bells = (struct bell_pages *)(pages + (BELL_PAGES_OFFSET - SHARED_PAGE_OFFSET));
    client->armed = (struct armed_pages *)(pages + (ARMED_PAGES_OFFSET - SHARED_PAGE_OFFSET));
    client->copy = (struct copy_area *)(pages + (COPY_AREA_OFFSET - SHARED_PAGE_OFFSET));
    client->ring_end = RINGS_OFFSET;
    return true;
}

/* The program's own bytes, set or not: by the name of this function tools tell them from the library's. */
__attribute__((noinline)) static bool pass_on(struct client *client, const void *payload, size_t bytes) {
    return send_all(client->commands, payload, bytes);
}

/* An errno number. */
static int ask(struct client *client, const struct request *request, const void *payload, struct reply *reply,
               void *response) {
    if (atomic_load(&client->dead) || !send_all(client->commands, request, sizeof *request) ||
        !pass_on(client, payload, request->bytes) ||
        !receive_all(client->commands, reply, sizeof *reply) || reply->bytes > MAX_RESPONSE ||
        !receive_all(client->commands, response, reply->bytes)) {
        return EIO;
    }
    return reply->error;
}

static int greet(struct client *client) {
    struct hello hello = {.magic = PROTOCOL_MAGIC,
                          .version = PROTOCOL_VERSION,
                          .role = ROLE_COMMANDS,
                          .pid = (uint32_t)getpid(),
                          .memfd = client->fd,
                          .flags = getenv("PVRDMA_EMU_COPIES") != NULL ? HELLO_COPIES : 0};
    struct welcome welcome;
    if (!send_all(client->commands, &hello, sizeof hello) ||
        !receive_all(client->commands, &welcome, sizeof welcome)) {
        return EIO;
    }
    if (welcome.error != 0) {
        return welcome.error;
    }
    /* Where Yama restricts tracing, the emulator may reach this process's memory nevertheless; elsewhere this is refused. */
    prctl(PR_SET_PTRACER, (unsigned long)welcome.emulator_pid, 0, 0, 0);
    memcpy(client->ticket, welcome.ticket, sizeof client->ticket);
    hello.role = ROLE_EVENTS;
    memcpy(hello.ticket, welcome.ticket, sizeof hello.ticket);
    struct event first;
    /* The two connections are read in any order: go on when this one is known. */
    if (!send_all(client->events, &hello, sizeof hello) || !receive_all(client->events, &first, sizeof first)) {
        return EIO;
    }
    if (welcome.copies != 0) {
        hello.role = ROLE_COPIES;
        client->copies = connect_to_emulator();
        if (client->copies < 0 || !send_all(client->copies, &hello, sizeof hello) ||
            !receive_all(client->events, &first, sizeof first)) {
            return EIO;
        }
    }
    memcpy(client->shared->ticket, welcome.ticket, sizeof client->shared->ticket);
    struct request attach = {.type = REQUEST_ATTACH, .arguments = {(uintptr_t)client->ticket}};
    struct reply reply;
    char none[MAX_RESPONSE];
    return ask(client, &attach, NULL, &reply, none);
}

static bool start_thread(pthread_t *thread, void *(*work)(void *), struct client *client) {
    sigset_t all;
    sigset_t before;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    /* Signals are the program's affair: our threads inherit a mask that lets none through. */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, &attributes, work, client) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

static bool start_threads(struct client *client) {
    client->watched = start_thread(&client->watcher, watch, client);
    client->copying = client->copies >= 0 && start_thread(&client->copier, copy_for_emulator, client);
    return client->watched && client->copying == (client->copies >= 0);
}

static bool list(struct client *client) {
    bool listed = false;
    pthread_mutex_lock(&clients_lock);
    for (int i = 0; i < MAX_CLIENTS && !listed; i++) {
        if (clients[i] == NULL) {
            clients[i] = client;
            listed = true;
        }
    }
    pthread_mutex_unlock(&clients_lock);
    return listed;
}

static void unlist(struct client *client) {
    pthread_mutex_lock(&clients_lock);
    for (int i = 0; i < MAX_CLIENTS; i++) {
        if (clients[i] == client) {
            clients[i] = NULL;
        }
    }
    pthread_mutex_unlock(&clients_lock);
}

static void release(struct client *client) {
    pthread_mutex_lock(&client->lock);
    bool last = --client->references == 0;
    pthread_mutex_unlock(&client->lock);
    if (last) {
        pthread_mutex_destroy(&client->lock);
        pthread_mutex_destroy(&client->turn);
        pthread_cond_destroy(&client->fence_passed);
        free(client);
    }
}

/* The device is closed; pipes of it that are still open stay. */
static void shut(struct client *client) {
    unlist(client);
    atomic_store(&client->dead, true);
    if (client->events >= 0) {
        shutdown(client->events, SHUT_RDWR);
    }
    if (client->copies >= 0) {
        shutdown(client->copies, SHUT_RDWR);
    }
    if (client->watched) {
        pthread_join(client->watcher, NULL);
    }
    if (client->copying) {
        pthread_join(client->copier, NULL);
    }
    if (client->copies >= 0) {
        real.close(client->copies);
    }
    if (client->events >= 0) {
        real.close(client->events);
    }
    if (client->commands >= 0) {
        real.close(client->commands);
    }
    if (client->shared != NULL) {
        munmap(client->shared, RINGS_OFFSET - SHARED_PAGE_OFFSET);
    }
    release(client);
}

int client_open(int flags) {
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        errno = ENOMEM;
        return -1;
    }
    pthread_mutex_init(&client->turn, NULL);
    pthread_mutex_init(&client->lock, NULL);
    pthread_cond_init(&client->fence_passed, NULL);
    client->references = 1;
    client->commands = -1;
    client->events = -1;
    client->copies = -1;
    int fd = client->fd = open_memfd(flags);
    int error = EMFILE;
    if (fd >= 0 && map_shared(client)) {
        error = ENODEV;
        client->commands = connect_to_emulator();
        client->events = client->commands < 0 ? -1 : connect_to_emulator();
        if (client->events >= 0) {
            error = greet(client);
        }
    }
    if (error == 0 && !(list(client) && start_threads(client) && owner_set(fd, OWNER_DEVICE, client))) {
        error = EMFILE;
    }
    if (error == 0) {
        return fd;
    }
    shut(client);
    if (fd >= 0) {
        real.close(fd);
    }
    errno = error;
    return -1;
}

bool client_closing(int fd) {
    enum owner_kind kind;
    struct client *client = owner_take(fd, &kind);
    if (kind == OWNER_DEVICE) {
        shut(client);
    } else if (kind == OWNER_PIPE) {
        pipe_close(client, fd);
        release(client);
    }
    return kind != OWNER_NONE;
}

/*
 * In the child of a fork. The connections go, so that the emulator learns of the parent's end, whatever the child does; as on
 * hardware, the device stays the parent's. The watcher does not exist here, and locks may be held by threads that do not either.
 */
void client_forked(void) {
    for (int i = 0; i < MAX_CLIENTS; i++) {
        struct client *client = clients[i];
        if (client != NULL) {
            atomic_store(&client->dead, true);
            client->watched = false;
            client->copying = false;
            real.close(client->commands);
            real.close(client->events);
            client->commands = -1;
            client->events = -1;
            if (client->copies >= 0) {
                real.close(client->copies);
                client->copies = -1;
            }
            pthread_mutex_init(&client->lock, NULL);
            pthread_mutex_init(&client->turn, NULL);
        }
    }
    pthread_mutex_init(&clients_lock, NULL);
}

/* --- commands */

/* What a command needs on this side. */
struct call {
    struct client *client;
    const unsigned char *bytes; /* as the program has written it */
    size_t size;
    uint32_t command;
    struct request request;
    struct reply reply;
    unsigned char response[MAX_RESPONSE];
};

/* Every command that is answered begins with the address of the response, as does the second header of an extended one. */
static uint64_t first_word(const struct call *call) {
    uint64_t word = 0;
    if (call->size >= sizeof(struct ib_uverbs_cmd_hdr) + sizeof word) {
        memcpy(&word, call->bytes + sizeof(struct ib_uverbs_cmd_hdr), sizeof word);
    }
    return word;
}

/* The second: the address of the object, in those that create one. */
static uint64_t user_handle(const struct call *call) {
    uint64_t word = 0;
    if (call->size >= sizeof(struct ib_uverbs_cmd_hdr) + 2 * sizeof word) {
        memcpy(&word, call->bytes + sizeof(struct ib_uverbs_cmd_hdr) + sizeof word, sizeof word);
    }
    return word;
}

/* Puts memory of the memfd in the place of memory that the provider has allocated for a ring and not touched yet. */
static bool share(struct client *client, uint64_t address, uint64_t bytes, uint64_t offset) {
    return (address & (PAGE - 1)) == 0 && (bytes & (PAGE - 1)) == 0 && address != 0 &&
           mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, client->fd,
                (off_t)offset) != MAP_FAILED;
}

/* An errno number. */
static int share_rings(struct call *call, uint64_t first, uint64_t first_bytes, uint64_t second, uint64_t second_bytes) {
    struct client *client = call->client;
    uint64_t offset = client->ring_end;
    if (ftruncate(client->fd, (off_t)(offset + first_bytes + second_bytes)) != 0) {
        return ENOMEM;
    }
    if (!share(client, first, first_bytes, offset) ||
        (second_bytes != 0 && !share(client, second, second_bytes, offset + first_bytes))) {
        return EINVAL;
    }
    client->ring_end = offset + first_bytes + second_bytes;
    call->request.arguments[0] = offset;
    call->request.arguments[1] = first_bytes;
    call->request.arguments[2] = second_bytes;
    return 0;
}

/* Copies the driver's part of a command, which follows the core's. */
static bool driver_part(const struct call *call, size_t core, void *to, size_t bytes) {
    size_t at = sizeof(struct ib_uverbs_cmd_hdr) + core;
    if (call->size < at + bytes) {
        return false;
    }
    memcpy(to, call->bytes + at, bytes);
    return true;
}

static int prepare(struct call *call) {
    struct pvrdma_create_cq cq;
    struct pvrdma_create_srq srq;
    struct pvrdma_create_qp qp;
    switch (call->command) {
    case IB_USER_VERBS_CMD_CREATE_CQ:
        if (!driver_part(call, sizeof(struct ib_uverbs_create_cq), &cq, sizeof cq)) {
            return EINVAL;
        }
        wrap_operations(call->client, user_handle(call));
        return share_rings(call, cq.buf_addr, cq.buf_size, 0, 0);
    case IB_USER_VERBS_CMD_CREATE_SRQ:
        if (!driver_part(call, sizeof(struct ib_uverbs_create_srq), &srq, sizeof srq)) {
            return EINVAL;
        }
        wrap_operations(call->client, user_handle(call));
        return share_rings(call, srq.buf_addr, srq.buf_size, 0, 0);
    case IB_USER_VERBS_CMD_CREATE_QP:
        if (!driver_part(call, sizeof(struct ib_uverbs_create_qp), &qp, sizeof qp)) {
            return EINVAL;
        }
        return share_rings(call, qp.sbuf_addr, qp.sbuf_size, qp.rbuf_addr, qp.rbuf_size);
    default:
        return 0;
    }
}

static bool destroys(uint32_t command) {
    return command == IB_USER_VERBS_CMD_DESTROY_CQ || command == IB_USER_VERBS_CMD_DESTROY_QP ||
           command == IB_USER_VERBS_CMD_DESTROY_SRQ;
}

/* What the emulator answers to those: by what name events of the object went, and where its rings are. */
struct destroyed {
    uint64_t element;
    uint64_t offset;
    uint64_t bytes;
};

/*
 * libibverbs waits until the program has acknowledged as many events of an object as it reads here, so those that the program
 * has not read, and now never will, must not be counted.
 */
static int destroyed(struct call *call) {
    struct destroyed object;
    if (call->reply.bytes != sizeof object) {
        return EIO;
    }
    memcpy(&object, call->response, sizeof object);
    await_fence(call->client, call->reply.fence);
    uint32_t told[2] = {(uint32_t)call->reply.completions_told, (uint32_t)call->reply.events_told};
    told[1] -= pipes_forget(call->client, true, object.element);
    if (call->command == IB_USER_VERBS_CMD_DESTROY_CQ) {
        told[0] -= pipes_forget(call->client, false, object.element);
        memcpy(call->response, told, sizeof told); /* struct ib_uverbs_destroy_cq_resp */
        call->reply.bytes = sizeof told;
    } else {
        memcpy(call->response, &told[1], sizeof told[1]); /* destroy_qp_resp, destroy_srq_resp */
        call->reply.bytes = sizeof told[1];
    }
    /* Nobody uses the rings any more; the provider's mapping of them, which it will remove, reads as zeros. */
    fallocate(call->client->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)object.offset, (off_t)object.bytes);
    return 0;
}

static int answer_file(struct call *call, bool async) {
    struct event_pipe *pipe = pipe_open(call->client, async);
    if (pipe == NULL) {
        return errno;
    }
    uint32_t fd = (uint32_t)pipe->read_fd;
    memcpy(call->response, &fd, sizeof fd); /* in either response the file descriptor is the first word */
    if (call->reply.bytes < sizeof fd) {
        call->reply.bytes = sizeof fd;
    }
    return 0;
}

/* Where the device puts the producer's index: in the second pair of the ring's first page (struct pvrdma_ring_state). */
static void know_completion_queue(struct call *call) {
    struct pvrdma_create_cq cq;
    uint32_t handle;
    memcpy(&handle, call->response, sizeof handle);
    if (handle < BELL_HANDLES && driver_part(call, sizeof(struct ib_uverbs_create_cq), &cq, sizeof cq)) {
        atomic_store(&call->client->tails[handle], (const _Atomic uint32_t *)(uintptr_t)(cq.buf_addr + 8));
    }
}

static int finish(struct call *call) {
    if (call->command == IB_USER_VERBS_CMD_CREATE_CQ) {
        know_completion_queue(call);
    }
    if (call->command == IB_USER_VERBS_CMD_GET_CONTEXT) {
        return answer_file(call, true);
    }
    return destroys(call->command) ? destroyed(call) : 0;
}

static int execute(struct call *call) {
    if (call->command == IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL) {
        return answer_file(call, false); /* the emulator hears of the channel with its completion queues */
    }
    int error = prepare(call);
    if (error == 0) {
        error = ask(call->client, &call->request, call->bytes, &call->reply, call->response);
    }
    return error == 0 ? finish(call) : error;
}

ssize_t client_command(struct client *client, const void *bytes, size_t size) {
    struct ib_uverbs_cmd_hdr header;
    if (size < sizeof header || size > MAX_COMMAND) {
        errno = EINVAL;
        return -1;
    }
    memcpy(&header, bytes, sizeof header);
    bool extended = (header.command & IB_USER_VERBS_CMD_FLAG_EXTENDED) != 0;
    if (extended && header.command != (IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_QUERY_DEVICE)) {
        errno = EOPNOTSUPP; /* the provider has no use for any other */
        return -1;
    }
    struct call call = {.client = client, .bytes = bytes, .size = size, .command = header.command};
    call.request.type = REQUEST_COMMAND;
    call.request.bytes = (uint32_t)size;
    pthread_mutex_lock(&client->turn);
    int error = execute(&call);
    pthread_mutex_unlock(&client->turn);
    if (error != 0) {
        errno = error;
        return -1;
    }
    size_t room = (size_t)header.out_words * (extended ? 8 : 4);
    size_t length = call.reply.bytes < room ? call.reply.bytes : room;
    if (length > 0) {
        memcpy((void *)(uintptr_t)first_word(&call), call.response, length);
    }
    return (ssize_t)size;
}
