// SPDX-License-Identifier: Apache-2.0
/*
 * What the preload library and the emulator say to each other. The other side is org.paraverbs.pvrdma.front.uverbs.Protocol;
 * who changes one raises PROTOCOL_VERSION and changes both. Both sides run on one machine, so numbers have its byte order.
 *
 * A client has one memfd and two or three connections to the emulator's socket:
 *
 *  - The memfd stands in for the device file. Page 0 is the page of doorbells that the provider maps, which nobody reads;
 *    page 1 is struct shared_page, page 2 struct bell_pages, page 3 and following struct armed_pages, then struct copy_area;
 *    behind them lie the rings.
 *  - Over the command connection go requests, each answered before the next.
 *  - Where the emulator may not read and write the client's memory itself, a third connection wakes a thread of the client that does it;
 *    see struct copy_area.
 *  - Over the event connection the emulator tells of completions and asynchronous events, and the client wakes it with single
 *    bytes.
 */
#ifndef PVRDMA_EMU_PROTOCOL_H
#define PVRDMA_EMU_PROTOCOL_H

#include <stdint.h>

#define PROTOCOL_MAGIC 0x31455650u /* "PVE1" */
#define PROTOCOL_VERSION 3u

enum { ROLE_COMMANDS = 0, ROLE_EVENTS = 1, ROLE_COPIES = 2 };

/* In struct hello: the client wants to copy itself, whether or not it has to. */
#define HELLO_COPIES 1u

/* The first thing on each connection. On those but the first, pid and memfd mean nothing and the ticket must be right. */
struct hello {
    uint32_t magic;
    uint32_t version;
    uint32_t role;
    uint32_t pid;
    int32_t memfd;
    uint32_t flags;
    uint64_t ticket[2];
};

/* The answer on the command connection; on the event connection it is an event, a fence of number 0. */
struct welcome {
    int32_t error; /* 0 or an errno number */
    uint32_t emulator_pid;
    uint64_t ticket[2]; /* for the other connections, and to be put where REQUEST_ATTACH says, and in the shared page */
    uint32_t copies;    /* whether the client has to copy */
    uint32_t reserved;
};

enum {
    REQUEST_ATTACH = 1, /* arguments[0]: the address of the ticket in the client's memory */
    REQUEST_COMMAND = 2 /* a uverbs command; see struct request */
};

/* On the command connection, followed by `bytes` bytes. */
struct request {
    uint32_t type;
    uint32_t bytes;
    /* For commands that create rings: where in the memfd, bytes of the first part, bytes of the second. */
    uint64_t arguments[3];
};

/* The answer to each request, followed by `bytes` bytes: the response of the core and that of the driver. */
struct reply {
    int32_t error; /* 0 or an errno number */
    uint32_t bytes;
    uint64_t completions_told; /* after a command that destroys something: how many events were sent for it */
    uint64_t events_told;
    uint64_t fence; /* and the number of the fence behind those events; 0 for none */
};

enum { EVENT_COMPLETION = 1, EVENT_ASYNC = 2, EVENT_FENCE = 3 };

/* On the event connection. */
struct event {
    uint32_t kind;
    int32_t channel;  /* the completion channel, as the client named it */
    uint64_t element; /* what ibv_get_cq_event and ibv_get_async_event know it by; the number of a fence */
    uint32_t type;    /* of an asynchronous event */
    uint32_t reserved;
};

/* Which doorbell was rung, by handle. */
enum { BELL_SEND = 0, BELL_RECEIVE = 1, BELL_ARM = 2, BELL_ARM_SOLICITED = 3, BELLS = 4 };

#define BELL_HANDLES 8192u /* handles are below this */
#define BELL_WORDS (BELL_HANDLES / 64)
#define BELL_SUMMARY_WORDS (BELL_WORDS / 64)

#define PAGE 4096u
#define SHARED_PAGE_OFFSET PAGE
#define BELL_PAGES_OFFSET (2 * PAGE)
#define ARMED_PAGES_OFFSET (BELL_PAGES_OFFSET + BELLS * BELL_WORDS * 8)
#define COPY_AREA_OFFSET (ARMED_PAGES_OFFSET + BELL_HANDLES * 4)
#define COPY_BYTES (16 * PAGE)
#define RINGS_OFFSET (COPY_AREA_OFFSET + PAGE + COPY_BYTES)

/*
 * The client sets bits, then the summary, then pending; the emulator clears in the opposite order. Before it sleeps the
 * emulator sets asleep and looks at pending once more; the client looks at asleep after it has set pending. All of it is
 * sequentially consistent, so one of the two sees the other.
 */
struct shared_page {
    _Atomic uint32_t pending; /* some bit may be set */
    _Atomic uint32_t asleep;  /* the emulator must be woken */
    _Atomic uint32_t crowded; /* more threads want to run than there are cores: yield when there is nothing to do */
    uint32_t reserved;
    uint64_t ticket[2]; /* as in struct welcome: who can write this page has been welcomed */
    uint32_t reserved_too[8];
    _Atomic uint64_t summary[BELLS][BELL_SUMMARY_WORDS];
};

struct bell_pages {
    _Atomic uint64_t bits[BELLS][BELL_WORDS];
};

/*
 * The producer's index of a completion queue when it was armed, by handle. The emulator hears of an arming later than a device
 * does; by this it knows that completions have come in between, of which it has to tell at once. For solicited ones it cannot know
 * that: there the client adds ARMING and waits until the emulator has taken it away, or takes it away itself and goes on.
 */
#define ARMING 0x80000000u

struct armed_pages {
    _Atomic uint32_t tail[BELL_HANDLES];
};

/*
 * What the emulator wants to have read or written. It fills in the fields and raises asked, then sends a byte over the third connection; the
 * client copies between its memory and data, sets result, and sets answered to what asked was. One at a time.
 */
struct copy_area {
    uint64_t address;
    uint32_t bytes;   /* at most COPY_BYTES */
    uint32_t writing; /* to the client's memory */
    _Atomic uint32_t asked;
    _Atomic uint32_t answered;
    int32_t result; /* 0 or an errno number */
    uint32_t reserved;
    char rest_of_page[PAGE - 32];
    char data[COPY_BYTES];
};

_Static_assert(sizeof(struct hello) == 40, "layout");
_Static_assert(sizeof(struct welcome) == 32, "layout");
_Static_assert(sizeof(struct request) == 32, "layout");
_Static_assert(sizeof(struct reply) == 32, "layout");
_Static_assert(sizeof(struct event) == 24, "layout");
_Static_assert(sizeof(struct bell_pages) == PAGE, "layout");
_Static_assert(sizeof(struct armed_pages) == 8 * PAGE, "layout");
_Static_assert(sizeof(struct copy_area) == PAGE + COPY_BYTES, "layout");
_Static_assert(RINGS_OFFSET == 28 * PAGE, "layout");

#endif
