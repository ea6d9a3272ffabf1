// SPDX-License-Identifier: Apache-2.0
/*
 * A client of the emulator that does not keep to the protocol: hostile DIRECTORY MODE SEED STEPS. Exits with 0 when it has done
 * its worst, or has been thrown out.
 *
 *   garbage   random bytes instead of a greeting
 *   greetings greetings that are almost right, again and again
 *   frames    a greeting, then random bytes, again and again
 *   fds       a greeting with a file that is none of ours, or none at all, again and again
 *   impostor  the number of another process: that of the emulator
 *   mute      it says that it copies itself, and does not, when a message of its own is to be sent
 *   silent    many connections on which nothing is said
 *   stalled   half a greeting, and half a request
 *   commands  uverbs commands of random bytes, in proper requests
 *   rings     a queue pair that is connected to itself, and random bytes in its rings, doorbells and indices
 *   unread    events are asked for and never read
 *   truncate  the shared file is one that could be cut short
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/vmw_pvrdma-abi.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "protocol.h"

static const char *directory;
static int commands = -1;
static int events = -1;
static int memfd = -1;
static int sealed = 1;
static char *memory; /* of the memfd, as far as RINGS_OFFSET and RINGS reach */
static uint64_t ticket[2];
static uint32_t pid_shown; /* 0 for our own */
static int memfd_shown = -2;
static uint32_t flags_shown;
static uint64_t random_state;

#define RINGS (64 * PAGE)

static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void fill_random(void *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        ((unsigned char *)to)[i] = (unsigned char)next_random();
    }
}

/* Where to go on after having been thrown out, for those that come again. */
static jmp_buf door;
static int comes_again;

static void thrown_out(void) {
    if (comes_again) {
        longjmp(door, 1);
    }
    puts("thrown out");
    exit(0);
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int connect_to(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fail("connect");
    }
    return fd;
}

static void send_to(int fd, const void *from, size_t bytes) {
    if (send(fd, from, bytes, MSG_NOSIGNAL) != (ssize_t)bytes) {
        thrown_out();
    }
}

static void receive_from(int fd, void *to, size_t bytes) {
    if (bytes > 0 && recv(fd, to, bytes, MSG_WAITALL) != (ssize_t)bytes) {
        thrown_out();
    }
}

static int32_t ask(uint32_t type, const void *payload, uint32_t bytes, const uint64_t arguments[3], void *response) {
    struct request request = {.type = type, .bytes = bytes, .arguments = {arguments[0], arguments[1], arguments[2]}};
    struct reply reply;
    send_to(commands, &request, sizeof request);
    send_to(commands, payload, bytes);
    receive_from(commands, &reply, sizeof reply);
    receive_from(commands, response, reply.bytes);
    return reply.error;
}

static void greet(void) {
    memfd = memfd_create("vmw_pvrdma0", MFD_ALLOW_SEALING);
    if (memfd < 0 || ftruncate(memfd, RINGS_OFFSET + RINGS) != 0 ||
        (sealed && fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK) != 0)) {
        fail("memfd");
    }
    memory = mmap(NULL, RINGS_OFFSET + RINGS, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    commands = connect_to();
    struct hello hello = {.magic = PROTOCOL_MAGIC,
                          .version = PROTOCOL_VERSION,
                          .role = ROLE_COMMANDS,
                          .pid = pid_shown != 0 ? pid_shown : (uint32_t)getpid(),
                          .memfd = memfd_shown != -2 ? memfd_shown : memfd,
                          .flags = flags_shown};
    struct welcome welcome;
    send_to(commands, &hello, sizeof hello);
    receive_from(commands, &welcome, sizeof welcome);
    if (welcome.error != 0) {
        thrown_out();
    }
    memcpy(ticket, welcome.ticket, sizeof ticket);
    memcpy(hello.ticket, ticket, sizeof ticket);
    hello.role = ROLE_EVENTS;
    events = connect_to();
    send_to(events, &hello, sizeof hello);
    struct event event;
    receive_from(events, &event, sizeof event);
    if (welcome.copies != 0) {
        hello.role = ROLE_COPIES;
        send_to(connect_to(), &hello, sizeof hello);
        receive_from(events, &event, sizeof event);
        memcpy(((struct shared_page *)(memory + SHARED_PAGE_OFFSET))->ticket, ticket, sizeof ticket);
    }
    char none[4096];
    if (ask(REQUEST_ATTACH, "", 0, (uint64_t[]){(uintptr_t)ticket, 0, 0}, none) != 0) {
        fail("attach");
    }
}

/* --- commands as they should be */

static char response[4096];
static const uint64_t no_rings[3];

#define COMMAND(number, core)                                                                                          \
    struct {                                                                                                           \
        struct ib_uverbs_cmd_hdr header;                                                                               \
        core;                                                                                                          \
    } command = {.header = {.command = (number)}}

static void expect(int32_t error, const char *what) {
    if (error != 0) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(1);
    }
}

static uint32_t word(int index) {
    uint32_t value;
    memcpy(&value, response + 4 * index, sizeof value);
    return value;
}

static void get_context(void) {
    COMMAND(IB_USER_VERBS_CMD_GET_CONTEXT, struct ib_uverbs_get_context core);
    expect(ask(REQUEST_COMMAND, &command, sizeof command, no_rings, response), "GET_CONTEXT");
}

static uint32_t alloc_pd(void) {
    COMMAND(IB_USER_VERBS_CMD_ALLOC_PD, struct ib_uverbs_alloc_pd core);
    expect(ask(REQUEST_COMMAND, &command, sizeof command, no_rings, response), "ALLOC_PD");
    return word(0);
}

static uint32_t create_cq(void) {
    COMMAND(IB_USER_VERBS_CMD_CREATE_CQ, struct ib_uverbs_create_cq core; struct pvrdma_create_cq driver);
    command.core.cqe = 64;
    command.core.user_handle = 77;
    expect(ask(REQUEST_COMMAND, &command, sizeof command, (uint64_t[]){RINGS_OFFSET, 2 * PAGE, 0}, response),
           "CREATE_CQ");
    return word(0);
}

/* Behind the completion queue: a page of ring states, 16 sends of 128 bytes, 16 receives of 32. */
static uint32_t create_qp(uint32_t pd, uint32_t cq, uint32_t *qpn) {
    COMMAND(IB_USER_VERBS_CMD_CREATE_QP, struct ib_uverbs_create_qp core; struct pvrdma_create_qp driver);
    command.core.pd_handle = pd;
    command.core.send_cq_handle = cq;
    command.core.recv_cq_handle = cq;
    command.core.max_send_wr = 16;
    command.core.max_recv_wr = 16;
    command.core.max_send_sge = 2;
    command.core.max_recv_sge = 1;
    command.core.qp_type = 2; /* RC */
    expect(ask(REQUEST_COMMAND, &command, sizeof command,
               (uint64_t[]){RINGS_OFFSET + 2 * PAGE, 2 * PAGE, PAGE}, response),
           "CREATE_QP");
    *qpn = word(1);
    return word(0);
}

static void modify(uint32_t qp, uint32_t mask, struct ib_uverbs_modify_qp attributes) {
    COMMAND(IB_USER_VERBS_CMD_MODIFY_QP, struct ib_uverbs_modify_qp core);
    command.core = attributes;
    command.core.qp_handle = qp;
    command.core.attr_mask = mask;
    expect(ask(REQUEST_COMMAND, &command, sizeof command, no_rings, response), "MODIFY_QP");
}

/* To RTS, connected to itself by the link-local GID of the device. */
static void connect_qp(uint32_t qp, uint32_t qpn) {
    static const uint8_t gid[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x02, 0x50, 0x56, 0xff, 0xfe, 0, 0, 1};
    struct ib_uverbs_modify_qp attributes = {.qp_state = 1, .port_num = 1, .qp_access_flags = 15};
    modify(qp, 1 | 8 | 16 | 32, attributes); /* state, access flags, pkey index, port */
    attributes.qp_state = 2;
    attributes.path_mtu = 3;
    attributes.dest_qp_num = qpn;
    attributes.max_dest_rd_atomic = 1;
    attributes.min_rnr_timer = 1;
    attributes.dest.is_global = 1;
    attributes.dest.port_num = 1;
    attributes.dest.sgid_index = 1;
    memcpy(attributes.dest.dgid, gid, sizeof gid);
    modify(qp, 1 | 0x80 | 0x100 | 0x1000 | 0x8000 | 0x20000 | 0x100000, attributes);
    attributes.qp_state = 3;
    attributes.max_rd_atomic = 1;
    modify(qp, 1 | 0x200 | 0x400 | 0x800 | 0x2000 | 0x10000, attributes);
}

static void ring_bell(int bell, uint32_t handle) {
    struct shared_page *shared = (struct shared_page *)(memory + SHARED_PAGE_OFFSET);
    struct bell_pages *bells = (struct bell_pages *)(memory + BELL_PAGES_OFFSET);
    handle %= BELL_HANDLES;
    atomic_fetch_or(&bells->bits[bell][handle / 64], UINT64_C(1) << (handle % 64));
    atomic_fetch_or(&shared->summary[bell][handle / 4096], UINT64_C(1) << (handle / 64 % 64));
    atomic_store(&shared->pending, 1);
    if (atomic_exchange(&shared->asleep, 0) != 0) {
        (void)!send(events, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
}

/* --- and as they should not */

static void garbage(long steps) {
    for (long i = 0; i < steps; i++) {
        char bytes[64];
        int fd = connect_to();
        fill_random(bytes, sizeof bytes);
        (void)!send(fd, bytes, 1 + next_random() % sizeof bytes, MSG_NOSIGNAL);
        close(fd);
    }
}

static void leave(void) {
    if (memory != NULL && memory != MAP_FAILED) {
        munmap(memory, RINGS_OFFSET + RINGS);
    }
    memory = NULL;
    int *fds[] = {&commands, &events, &memfd};
    for (int i = 0; i < 3; i++) {
        if (*fds[i] >= 0) {
            close(*fds[i]);
        }
        *fds[i] = -1;
    }
}

static void frames(long steps) {
    static char bytes[4096];
    volatile long done = 0;
    comes_again = 1;
    if (setjmp(door) != 0) {
        leave();
    }
    while (done++ < steps) {
        greet();
        for (;;) { /* until we are thrown out */
            fill_random(bytes, sizeof bytes);
            send_to(commands, bytes, 1 + next_random() % sizeof bytes);
        }
    }
}

static void damaged_greetings(long steps) {
    for (long i = 0; i < steps; i++) {
        struct hello hello = {.magic = PROTOCOL_MAGIC,
                              .version = PROTOCOL_VERSION,
                              .role = (uint32_t)(next_random() % 3),
                              .pid = (uint32_t)getpid(),
                              .memfd = 3};
        uint64_t r = next_random();
        ((unsigned char *)&hello)[r % sizeof hello] = (unsigned char)(r >> 8);
        int fd = connect_to();
        char answer[256];
        (void)!send(fd, &hello, (r >> 16) % 4 == 0 ? (r >> 20) % sizeof hello : sizeof hello, MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        while (recv(fd, answer, sizeof answer, 0) > 0) {
        }
        close(fd);
    }
}

static void wrong_files(long steps) {
    volatile long done = 0;
    comes_again = 1;
    if (setjmp(door) != 0) {
        leave();
    }
    while (done++ < steps) {
        uint64_t r = next_random();
        memfd_shown = (r & 1) != 0 ? (int)(r >> 32) : (int)(r >> 8) % 16 - 1;
        greet();
        leave();
    }
}

static void impostor(void) {
    pid_shown = (uint32_t)getppid();
    greet();
}

static void silent(long steps) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    for (long i = 0; i < steps && i + 100 < (long)files.rlim_cur; i++) {
        connect_to();
    }
    usleep(300000);
}

static void stalled(void) {
    static const char half[sizeof(struct hello) / 2];
    send_to(connect_to(), half, sizeof half);
    greet();
    send_to(commands, half, sizeof(struct request) / 2);
    usleep(300000);
}

static void random_commands(long steps) {
    greet();
    get_context();
    for (long i = 0; i < steps; i++) {
        uint32_t words[64];
        /* Small numbers are often handles that exist, and sizes that are possible. */
        for (int w = 0; w < 64; w++) {
            uint64_t r = next_random();
            words[w] = (r & 3) == 0 ? (uint32_t)(r >> 32) : (uint32_t)(r >> 32) % 20;
        }
        words[0] = (uint32_t)(next_random() % 42);
        uint64_t rings[3] = {RINGS_OFFSET + next_random() % 70 * PAGE, next_random() % 8 * PAGE, next_random() % 4 * PAGE};
        if (next_random() % 16 == 0) {
            rings[next_random() % 3] = next_random();
        }
        ask(REQUEST_COMMAND, words, (uint32_t)(8 + next_random() % 249), rings, response);
    }
}

static void random_rings(long steps) {
    greet();
    get_context();
    uint32_t pd = alloc_pd();
    uint32_t cq = create_cq();
    uint32_t qpn;
    uint32_t qp = create_qp(pd, cq, &qpn);
    connect_qp(qp, qpn);
    for (long i = 0; i < steps; i++) {
        uint64_t r = next_random();
        size_t at = r % (5 * PAGE / 4) * 4;
        switch (r >> 60) {
        case 0:
        case 1: /* an index */
            ((uint32_t *)(memory + RINGS_OFFSET + (r & 1 ? 0 : 2 * PAGE)))[(r >> 8) % 4] = (uint32_t)(r >> 32) % 40;
            break;
        case 2: /* a page of doorbells, and what only the emulator writes */
            *(uint32_t *)(memory + r % (3 * PAGE / 4) * 4) = (uint32_t)(r >> 32);
            break;
        case 3:
        case 4:
        case 5:
            ring_bell((int)((r >> 8) % BELLS), (r & 16) != 0 ? qp : (uint32_t)(r >> 32));
            break;
        default:
            *(uint32_t *)(memory + RINGS_OFFSET + at) = (r & 1) != 0 ? (uint32_t)(r >> 32) : (uint32_t)(r >> 32) % 16;
            break;
        }
        if (i % 4096 == 4095) {
            /* A queue pair that has stopped is of no more use. */
            struct ib_uverbs_modify_qp reset = {0};
            memset(memory + RINGS_OFFSET + 2 * PAGE, 0, PAGE);
            modify(qp, 1, reset);
            connect_qp(qp, qpn);
        }
    }
}

/* A send of 8 bytes of ours, to ourselves, and then silence. */
static uint32_t register_memory(uint32_t pd, void *address, uint64_t bytes) {
    COMMAND(IB_USER_VERBS_CMD_REG_MR, struct ib_uverbs_reg_mr core);
    command.core.start = (uintptr_t)address;
    command.core.hca_va = (uintptr_t)address;
    command.core.length = bytes;
    command.core.pd_handle = pd;
    command.core.access_flags = 1;
    expect(ask(REQUEST_COMMAND, &command, sizeof command, no_rings, response), "REG_MR");
    return word(1);
}

static void mute(void) {
    flags_shown = HELLO_COPIES;
    greet();
    get_context();
    uint32_t pd = alloc_pd();
    uint32_t cq = create_cq();
    uint32_t qpn;
    uint32_t qp = create_qp(pd, cq, &qpn);
    connect_qp(qp, qpn);
    static uint64_t message[2];
    uint32_t lkey = register_memory(pd, message, sizeof message);
    char *ring = memory + RINGS_OFFSET + 3 * PAGE; /* behind the page of indices */
    char *receives = ring + PAGE;
    struct pvrdma_sq_wqe_hdr send = {.wr_id = 1, .num_sge = 1, .opcode = 2 /* SEND */};
    struct pvrdma_rq_wqe_hdr receive = {.wr_id = 2, .num_sge = 1};
    struct pvrdma_sge element = {.addr = (uintptr_t)message, .length = 8, .lkey = lkey};
    memcpy(ring, &send, sizeof send);
    memcpy(ring + sizeof send, &element, sizeof element);
    memcpy(receives, &receive, sizeof receive);
    memcpy(receives + sizeof receive, &element, sizeof element);
    uint32_t *indices = (uint32_t *)(memory + RINGS_OFFSET + 2 * PAGE);
    atomic_thread_fence(memory_order_seq_cst);
    indices[2] = 1;
    indices[0] = 1;
    ring_bell(BELL_SEND, qp);
    char byte;
    receive_from(commands, &byte, 1); /* nobody says anything, so this is the end */
}

/* Whether the emulator has closed the connection. */
static int is_closed(void) {
    char byte;
    return recv(commands, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

static void unread(long steps) {
    greet();
    get_context();
    uint32_t cq = create_cq() % BELL_HANDLES;
    struct shared_page *shared = (struct shared_page *)(memory + SHARED_PAGE_OFFSET);
    struct armed_pages *armed = (struct armed_pages *)(memory + ARMED_PAGES_OFFSET);
    for (long i = 0; i < steps; i++) {
        /* The index says that completions have come since, so each of these is an event. */
        atomic_store(&armed->tail[cq], 1);
        ring_bell(BELL_ARM, cq);
        while (atomic_load(&shared->pending) != 0) {
            if (is_closed()) {
                thrown_out();
            }
            sched_yield();
        }
    }
}

static void cut_short(void) {
    sealed = 0;
    greet(); /* upon which it is thrown out */
    if (ftruncate(memfd, 0) != 0) {
        fail("ftruncate");
    }
}

int main(int argc, char **argv) {
    if (argc != 5) {
        return 2;
    }
    directory = argv[1];
    random_state = strtoull(argv[3], NULL, 10) * 2654435761u + 1;
    long steps = strtol(argv[4], NULL, 10);
    if (strcmp(argv[2], "garbage") == 0) {
        garbage(steps);
    } else if (strcmp(argv[2], "frames") == 0) {
        frames(steps);
    } else if (strcmp(argv[2], "greetings") == 0) {
        damaged_greetings(steps);
    } else if (strcmp(argv[2], "fds") == 0) {
        wrong_files(steps);
    } else if (strcmp(argv[2], "impostor") == 0) {
        impostor();
    } else if (strcmp(argv[2], "mute") == 0) {
        mute();
    } else if (strcmp(argv[2], "silent") == 0) {
        silent(steps);
    } else if (strcmp(argv[2], "stalled") == 0) {
        stalled();
    } else if (strcmp(argv[2], "commands") == 0) {
        random_commands(steps);
    } else if (strcmp(argv[2], "rings") == 0) {
        random_rings(steps);
    } else if (strcmp(argv[2], "unread") == 0) {
        unread(steps);
    } else if (strcmp(argv[2], "truncate") == 0) {
        cut_short();
    } else {
        return 2;
    }
    puts("done");
    return 0;
}
